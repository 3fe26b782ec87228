/**
 * Decides which requests the server accepts.
 *
 * A web page that the developer happens to visit can send requests to a port on this machine. So:
 *
 * - `Host` must name this machine (against DNS rebinding: a foreign name that resolves to 127.0.0.1).
 * - `Origin` and `Sec-Fetch-Site`, which pages cannot forge, must be the dashboard's own. Only
 *   `POST /events` is open to pages that another local server serves, and they must bring the token
 *   in a header; and `GET /health`, by which the server proves itself to them.
 * - Agents bring the token as `Authorization: Bearer`. A browser brings it once in the URL that is printed, or a one-time
 *   code (`--open`), and gets two other secrets for it: a cookie that opens the dashboard's files and nothing else, and a
 *   key that opens `GET /events`, `POST /lab/real` and `POST /control` (these in a header, for the dashboard's own page) and
 *   nothing else (`entry.ts`).
 * - Secrets are compared in constant time. Wrong ones are answered with 429 when there are many; a right
 *   one always passes, or one agent with a token of yesterday could lock out the others.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLoopback } from '../loopback.js';
import { browserSecrets, ENTRY_SCRIPT, ENTRY_SCRIPT_PATH, entryPage, OneTimeCodes } from './entry.js';
import { TokenBucket } from './rate.js';

/** Beyond this number of wrong secrets a minute, the server responds to further ones with 429. */
const FAILED_TOKENS_A_MINUTE = 30;

/** Where the dashboard's own page may post, with its key. */
const OWN_POSTS = ['/lab/real', '/control'];

/** The settings of the guard. */
export interface GuardOptions {
  /** The address listened on. */
  readonly host: string;
  readonly port: number;
  /** `undefined`: no token is required; the other checks stay. */
  readonly token: string | undefined;
  /** A one-time code came twice: one of the two who have it is not the user. */
  readonly onCodeReused: () => void;
  /** A request on this connection was let pass. */
  readonly onAuthorized: (socket: Socket) => void;
}

/** The checks on every request, as one middleware. */
export function guard(options: GuardOptions): MiddlewareHandler {
  const failures = new TokenBucket(FAILED_TOKENS_A_MINUTE / 60, FAILED_TOKENS_A_MINUTE);
  const { token, onAuthorized, onCodeReused } = options;
  const cookieName = `halfopen_${options.port}`;
  const codes = new OneTimeCodes();
  const { cookie: cookieValue, key } = token === undefined ? { cookie: '', key: '' } : browserSecrets(token);

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

  /** Guessed codes count as wrong tokens do. */
  const usedCode = (c: Context) => {
    if (failures.take(1) > 0) return deny(c, 429, 'Too many wrong tokens. Wait a minute.');
    return deny(
      c,
      401,
      'This link was used already, or is older than a minute. `npx halfopen devtools --url` prints one that lasts. ' +
        'If you did not open it before, a program on this machine did: start the server again, which gives it a new token.',
    );
  };

  const pass = (c: Context, next: () => Promise<void>) => {
    onAuthorized((c.env as { incoming: IncomingMessage }).incoming.socket);
    return next();
  };

  /** Lets a browser in: the cookie, the key, and on to the page without the secret in its address. */
  const enter = (c: Context, url: URL) => {
    for (const name of ['token', 'code']) url.searchParams.delete(name);
    setCookie(c, cookieName, cookieValue, { httpOnly: true, sameSite: 'Strict', path: '/' });
    c.header('Cache-Control', 'no-store');
    // `//` would send the browser to another host.
    return c.html(entryPage(key, url.pathname.replace(/^\/+/, '/') + url.search));
  };

  return async (c, next) => {
    const url = new URL(c.req.url);
    if (!hostAllowed(c.req.header('host'), options.host)) {
      return deny(c, 403, 'This Host is not one of this server. Use http://127.0.0.1 or http://localhost.');
    }
    const from = requestFrom(c);
    if (from === 'foreign') return deny(c, 403, 'Requests from other origins are refused.');
    const { method } = c.req;
    const { pathname, searchParams } = url;
    const isHealth = pathname === '/health' && method === 'GET';
    const isIngest = pathname === '/events' && (method === 'POST' || method === 'OPTIONS');
    if (from === 'local-page') {
      if (!isIngest && !isHealth) return deny(c, 403, 'Pages of another origin may only POST to /events.');
      allowOrigin(c);
      if (method === 'OPTIONS') return c.body(null, 204);
    }
    if (isHealth) return next();
    if (token === undefined) return pass(c, next);
    if (method === 'GET' && pathname === ENTRY_SCRIPT_PATH)
      return c.body(ENTRY_SCRIPT, 200, { 'Content-Type': 'text/javascript; charset=utf-8' });
    const inUrl = searchParams.get('token');
    if (inUrl !== null && method === 'GET')
      return sameSecret(inUrl, token) ? enter(c, url) : unauthorized(c, true);
    const code = searchParams.get('code');
    if (code !== null && method === 'GET') {
      const redeemed = codes.redeem(code);
      if (redeemed === 'valid') return enter(c, url);
      if (redeemed === 'reused') onCodeReused();
      return usedCode(c);
    }
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const isOwnPost = OWN_POSTS.includes(pathname) && method === 'POST' && from === 'own';
    if (bearer !== undefined && isOwnPost && sameSecret(bearer, key)) return pass(c, next);
    if (bearer !== undefined) {
      if (!sameSecret(bearer, token)) return unauthorized(c, true);
      if (pathname === '/code' && method === 'POST') return c.json({ code: codes.issue() });
      return pass(c, next);
    }
    if (from === 'local-page' || method !== 'GET') return unauthorized(c, false);
    const isEvents = pathname === '/events';
    const given = isEvents ? searchParams.get('key') : getCookie(c, cookieName);
    if (given === null || given === undefined) return unauthorized(c, false);
    return sameSecret(given, isEvents ? key : cookieValue) ? pass(c, next) : unauthorized(c, true);
  };
}

/** Accepts names of this machine. An address is always accepted, because no DNS name is involved. */
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
  c.header('Access-Control-Allow-Methods', 'GET, POST');
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
