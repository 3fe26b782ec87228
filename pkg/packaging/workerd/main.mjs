import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

// A policy may be created at module scope, where workers may neither draw randomness nor set timers.
const policy = halfopen.createPolicy({ name: 'module-scope' });

export default {
  async fetch() {
    try {
      const seen = await policy.execute(() => consume({ halfopen, testing }));
      return new Response(seen);
    } catch (error) {
      return new Response(String(error?.cause?.stack ?? error?.stack ?? error), { status: 500 });
    }
  },
};
