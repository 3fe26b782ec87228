/** Pages and workers: batches go through `fetch`. Nothing is posted unless a URL or a token was given. */

import { type Platform, retryAfterMs } from './platform.js';

/** What `fetch` may still send while the page goes (Fetch standard, "keepalive": 64 KiB in flight). */
const KEEPALIVE_BYTES = 60_000;

export const webPlatform: Platform = {
  postsByDefault: false,

  async post({ url, token, body, signal }) {
    const blob = new Blob([...body] as BlobPart[]);
    const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const keepalive = blob.size < KEEPALIVE_BYTES;
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: blob,
      signal,
      keepalive,
      credentials: 'omit',
    });
    return {
      status: response.status,
      body: await response.text(),
      retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
    };
  },

  async findToken() {
    return undefined;
  },

  onIdleExit(callback) {
    if (typeof addEventListener !== 'function') return () => {};
    addEventListener('pagehide', callback);
    return () => removeEventListener('pagehide', callback);
  },
};
