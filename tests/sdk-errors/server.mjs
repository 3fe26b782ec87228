// Local mock server. Everything listens on 127.0.0.1.
// A "fault" is registered under an opaque, letters-only slug, so that neither the URL nor the path
// ever leaks the answer ("429", "timeout", ...) into an error message.

import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { selfSigned } from './tls.mjs';

const port = (name, fallback) => {
  const n = Number(process.env[name] || fallback);
  if (!Number.isInteger(n) || n < 1 || n > 65535) throw new Error(`${name} is not a port number`);
  return n;
};
// 'closed' must have no listener: the connection-refused cases use it. Linux gives ports from 32768 on to whoever wants any.
export const PORTS = {
  http: port('SDKERR_HTTP_PORT', 28741),
  https: port('SDKERR_HTTPS_PORT', 28742),
  closed: port('SDKERR_CLOSED_PORT', 28749),
};
export const origin = {
  http: `http://127.0.0.1:${PORTS.http}`,
  https: `https://127.0.0.1:${PORTS.https}`,
  closed: `http://127.0.0.1:${PORTS.closed}`,
  dns: 'http://nonexistent.invalid',
};
const ALPHA = 'bcdfghjkmnpqrvwxz';
export function slugFor(id) {
  const h = createHash('sha256').update(id).digest();
  let s = '';
  for (let i = 0; i < 12; i++) s += ALPHA[h[i] % ALPHA.length];
  return s;
}
const registry = new Map();
/** spec: {kind:'http'|'stream'|'partial'|'destroy'|'never', status, statusText, headers, body, chunks, end} */
export function register(id, spec) {
  const slug = slugFor(id);
  const prev = registry.get(slug);
  if (prev && prev.id !== id) throw new Error(`slug collision ${id}`);
  registry.set(slug, { id, spec });
  return slug;
}
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const val = (x, ctx) => (typeof x === 'function' ? x(ctx) : x);

async function handle(req, res) {
  const m = /^\/x\/([a-z]+)(\/.*)?$/.exec(req.url);
  const ent = m && registry.get(m[1]);
  if (!ent) {
    res.writeHead(599);
    return res.end('no such fault');
  }
  const s = ent.spec;
  const bufs = [];
  try {
    for await (const b of req) bufs.push(b);
  } catch {
    return;
  }
  const ctx = {
    req,
    path: m[2] || '/',
    body: Buffer.concat(bufs).toString('utf8'),
    auth: req.headers.authorization || req.headers['x-api-key'] || req.headers['x-goog-api-key'] || '',
  };
  const kill = () => res.socket.destroy();
  if (s.kind === 'destroy') return kill();
  if (s.kind === 'never') {
    await sleep(s.holdMs ?? 8000);
    if (!res.destroyed) {
      try {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end('{}');
      } catch {}
    }
    return;
  }
  const headers = { ...(val(s.headers, ctx) || {}) };
  if (s.kind === 'http') {
    let body = val(s.body, ctx);
    if (body == null) body = '';
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
      body = JSON.stringify(body);
      headers['content-type'] ??= 'application/json';
    }
    headers['content-length'] = Buffer.byteLength(body);
    if (!s.statusText) res.writeHead(s.status, headers);
    else res.writeHead(s.status, s.statusText, headers);
    return res.end(body);
  }
  if (s.kind === 'partial') {
    // announces more bytes than it sends, then cuts the socket
    const body = val(s.body, ctx);
    res.writeHead(s.status ?? 200, {
      'content-type': 'application/json',
      ...headers,
      'content-length': Buffer.byteLength(body) + 500,
    });
    res.write(body);
    await sleep(60);
    return kill();
  }
  if (s.kind === 'stream') {
    res.writeHead(s.status ?? 200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
    for (const c of val(s.chunks, ctx)) {
      res.write(c);
      await sleep(s.gapMs ?? 25);
    }
    if (s.end === 'destroy') {
      await sleep(30);
      return kill();
    }
    if (s.end === 'stall') {
      await sleep(s.holdMs ?? 8000);
      if (!res.destroyed)
        try {
          res.end();
        } catch {}
      return;
    }
    return res.end();
  }
  res.writeHead(598);
  res.end();
}
let starting = null;
let servers = [];
const listening = (p) =>
  new Promise((ok) => {
    const c = net.connect(p, '127.0.0.1');
    c.on('connect', () => {
      c.destroy();
      ok(true);
    });
    c.on('error', () => ok(false));
  });
async function open() {
  if (await listening(PORTS.closed))
    throw new Error(
      `port ${PORTS.closed} must be closed, but something listens there (set SDKERR_CLOSED_PORT)`,
    );
  const wrap = (req, res) =>
    handle(req, res).catch((e) => {
      try {
        res.destroy(e);
      } catch {}
    });
  const list = [
    [http.createServer({ keepAlive: false }, wrap), PORTS.http],
    [https.createServer(selfSigned(), wrap), PORTS.https],
  ];
  for (const [s] of list) {
    s.on('clientError', (_e, sock) => sock.destroy());
  }
  await Promise.all(
    list.map(
      ([s, p]) =>
        new Promise((ok, no) => {
          s.once('error', no);
          s.listen(p, '127.0.0.1', () => {
            s.off('error', no);
            s.on('error', () => {});
            ok();
          });
        }),
    ),
  );
  for (const [s] of list) s.unref();
  servers = list.map(([s]) => s);
}
export function start() {
  starting ??= open();
  return starting;
}
export async function stop() {
  for (const s of servers) {
    s.closeAllConnections?.();
    s.close();
  }
  servers = [];
  starting = null;
}
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await start();
  for (const s of servers) s.ref();
  console.log('listening', PORTS);
}
