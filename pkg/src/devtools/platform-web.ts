/** Pages and workers: batches go through `fetch`. Nothing is posted unless a URL or a token was given. */

import {
  type Challenge,
  type ChallengeResult,
  type Line,
  type Platform,
  type Post,
  retryAfterMs,
} from './platform.js';
import { type Claim, portOf, proofText, readClaim } from './proof.js';

/** How much `fetch` may still send while the page closes (Fetch standard, "keepalive": 64 KiB in flight). */
const KEEPALIVE_BYTES = 60_000;
/**
 * A devtools server never redirects, and events must not follow a stranger's redirect to another host. Cloudflare's
 * workerd refuses `'error'`. With `'manual'` a redirect is a response without success.
 */
const REDIRECT = 'manual';

/** The page goes: what is not sent at once is not sent. */
let leaving = false;

/**
 * The connection from a page. It sees no sockets, so each batch has its own proof; only the last one of a closing page
 * relies on the proof before. `crypto.subtle` is missing in pages that came over plain HTTP from another machine. No
 * server can prove itself there, so nothing that needs a proof is sent.
 */
class WebLine implements Line {
  private readonly url: URL;
  private fresh = false;
  private lately = false;

  constructor(url: URL) {
    this.url = url;
  }

  get proved(): boolean {
    return this.fresh || (leaving && this.lately);
  }

  async challenge({ secret, samePort, signal }: Challenge): Promise<ChallengeResult> {
    this.reset();
    if (globalThis.crypto?.subtle === undefined) return 'stranger';
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('');
    const response = await fetch(`${this.url.href}health?nonce=${nonce}`, {
      signal,
      redirect: REDIRECT,
      credentials: 'omit',
      cache: 'no-store',
    });
    const claim = readClaim(await response.text());
    if (claim === undefined || (samePort && claim.port !== portOf(this.url))) return 'stranger';
    this.fresh = await holds(claim, secret, nonce);
    this.lately = this.fresh;
    return this.fresh ? 'proved' : 'disproved';
  }

  async post({ token, body, signal, provedOnly }: Post) {
    if (provedOnly && !this.proved) throw new Error('the server has not proved itself');
    this.fresh = false;
    const blob = new Blob([...body] as BlobPart[]);
    const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const keepalive = blob.size < KEEPALIVE_BYTES;
    const response = await fetch(`${this.url.href}events`, {
      method: 'POST',
      headers,
      body: blob,
      signal,
      keepalive,
      redirect: REDIRECT,
      credentials: 'omit',
    });
    return {
      status: response.status,
      body: await response.text(),
      retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
    };
  }

  reset(): void {
    this.fresh = false;
    this.lately = false;
  }
}

/** Returns `true` if a claim was made with the secret; `verify` compares in constant time. */
async function holds({ port, proof }: Claim, secret: string, nonce: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const signature = Uint8Array.from(proof.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify('HMAC', key, signature, encoder.encode(proofText(nonce, port)));
}

export const webPlatform: Platform = {
  postsByDefault: false,

  open: (url) => new WebLine(url),

  async findServer() {
    return undefined;
  },

  namedUrl: () => undefined,

  describeProcess: () => ({}),

  onIdleExit(callback) {
    if (typeof addEventListener !== 'function') return () => {};
    const going = () => {
      leaving = true;
      callback();
    };
    // It may come back out of the browser's cache.
    const back = () => {
      leaving = false;
    };
    addEventListener('pagehide', going);
    addEventListener('pageshow', back);
    return () => {
      removeEventListener('pagehide', going);
      removeEventListener('pageshow', back);
    };
  },
};
