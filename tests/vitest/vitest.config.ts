// Vitest itself, for what a user's tests with its fake timers see. The other tests run in Node's own runner.
import { defineConfig } from 'vitest/config';
import { WAIT } from '../../scripts/patience.mjs';

export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.vitest.ts'], testTimeout: WAIT },
});
