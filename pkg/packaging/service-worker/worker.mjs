// A policy at module scope, where it outlives a fetch event, and calls guarded within the events.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

const policy = halfopen.createPolicy({ name: 'module-scope' });

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (!event.request.url.endsWith('/seen')) return;
  event.respondWith(
    policy
      .execute(() => consume({ halfopen, testing }))
      .then(
        (seen) => new Response(seen),
        (error) => new Response(String(error?.cause?.stack ?? error?.stack ?? error), { status: 500 }),
      ),
  );
});
