/**
 * Who may talk to the server.
 *
 * A web page that the developer happens to visit can send requests to a port on this machine. So:
 *
 * - `Host` must name this machine (against DNS rebinding: a foreign name that resolves to 127.0.0.1).
 * - `Origin` and `Sec-Fetch-Site`, which pages cannot forge, must be the dashboard's own. Only
 *   `POST /events` is open to pages that another local server serves, and they must bring the token
 *   in a header; a cookie does not count there.
 * - The token comes as `Authorization: Bearer` (agents), or once in the URL that is printed, where it
 *   is exchanged for a cookie: HttpOnly, SameSite=Strict, and derived from the token, not the token.
 * - Secrets are compared in constant time. Wrong ones are answered with 429 when there are many; a right
 *   one always passes, or one agent with a token of yesterday could lock out the others.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLoopback } from '../loopback.js';
import { TokenBucket } from './rate.js';

const FAILED_TOKENS_A_MINUTE = 30;

/** What the guard needs to know. */
export interface GuardOptions {
  /** The address listened on. */
  readonly host: string;
  readonly port: number;
  /** `undefined`: no token is asked for; the other checks stay. */
  readonly token: string | undefined;
}

/** The checks on every request, as one middleware. */
export function guard(options: GuardOptions): MiddlewareHandler {
  const failures = new TokenBucket(FAILED_TOKENS_A_MINUTE / 60, FAILED_TOKENS_A_MINUTE);
  const { token } = options;
  const cookieName = `halfopen_${options.port}`;
  const cookieValue =
    token === undefined ? '' : createHmac('sha256', token).update('halfopen dashboard').digest('base64url');

  /** The answer to a request with a wrong token, or none. */
  const unauthorized = (c: Context, given: boolean) => {
    if (given && failures.take(1) > 0) return deny(c, 429, 'Too many wrong tokens. Wait a minute.');
    c.header('WWW-Authenticate', 'Bearer realm="halfopen devtools"');
    return deny(
      c,
      401,
      'A token is needed. In a browser, open the URL that `halfopen devtools` printed (`npx halfopen devtools --url` ' +
        'prints it again). From an agent, send `Authorization: Bearer <token>`.',
    );
  };

  return async (c, next) => {
    const url = new URL(c.req.url);
    if (!hostAllowed(c.req.header('host'), options.host)) {
      return deny(c, 403, 'This Host is not one of this server. Use http://127.0.0.1 or http://localhost.');
    }
    const from = requestFrom(c);
    if (from === 'foreign') return deny(c, 403, 'Requests from other origins are refused.');
    const isIngest = url.pathname === '/events' && (c.req.method === 'POST' || c.req.method === 'OPTIONS');
    if (from === 'local-page') {
      if (!isIngest) return deny(c, 403, 'Pages of another origin may only POST to /events.');
      allowOrigin(c);
      if (c.req.method === 'OPTIONS') return c.body(null, 204);
    }
    if (token === undefined || url.pathname === '/health') return next();
    const inUrl = url.searchParams.get('token');
    if (inUrl !== null && c.req.method === 'GET') {
      if (!sameSecret(inUrl, token)) return unauthorized(c, true);
      setCookie(c, cookieName, cookieValue, { httpOnly: true, sameSite: 'Strict', path: '/' });
      url.searchParams.delete('token');
      c.header('Cache-Control', 'no-store');
      // `//` would send the browser to another host.
      return c.redirect(url.pathname.replace(/^\/+/, '/') + url.search, 303);
    }
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (bearer !== undefined) return sameSecret(bearer, token) ? next() : unauthorized(c, true);
    const cookie = from === 'local-page' ? undefined : getCookie(c, cookieName);
    if (cookie === undefined) return unauthorized(c, false);
    return sameSecret(cookie, cookieValue) ? next() : unauthorized(c, true);
  };
}

/** Names of this machine; an address as it stands, for no DNS name is involved in it. */
function hostAllowed(header: string | undefined, listening: string): boolean {
  if (header === undefined) return false;
  let hostname: string;
  try {
    ({ hostname } = new URL(`http://${header}`));
  } catch {
    return false;
  }
  if (isLoopback(hostname)) return true;
  if (isLoopback(listening)) return false;
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || hostname === listening.toLowerCase();
}

/** `own`: the dashboard, or no browser at all. `local-page`: a page from another port of this machine. */
function requestFrom(c: Context): 'own' | 'local-page' | 'foreign' {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  if (origin !== undefined && origin !== `http://${c.req.header('host')}`) {
    if (!URL.canParse(origin)) return 'foreign';
    const { protocol, hostname } = new URL(origin);
    return /^https?:$/.test(protocol) && isLoopback(hostname) ? 'local-page' : 'foreign';
  }
  return site === undefined || site === 'same-origin' || site === 'none' ? 'own' : 'foreign';
}

/** CORS for pages of other local servers. No credentials: they bring the token themselves. */
function allowOrigin(c: Context): void {
  c.header('Access-Control-Allow-Origin', c.req.header('origin') ?? 'null');
  c.header('Vary', 'Origin', { append: true });
  c.header('Access-Control-Allow-Methods', 'POST');
  c.header('Access-Control-Allow-Headers', 'authorization, content-type');
  c.header('Access-Control-Allow-Private-Network', 'true');
  c.header('Access-Control-Max-Age', '600');
}

/** Compares through a keyed hash, so that neither content nor length shows in the time. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'halfopen').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function deny(c: Context, status: 401 | 403 | 429, why: string): Response {
  c.header('Cache-Control', 'no-store');
  return c.text(`${why}\n`, status);
}
