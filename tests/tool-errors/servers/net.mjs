// Stub servers on 127.0.0.1. A port has no digits that read as a status code, because ports appear in messages.
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { selfSigned } from '../../sdk-errors/tls.mjs';

const open = new Set();
let next = 38800 + ((process.pid * 7) % 200); // Several processes may run at once.

const free = (port) =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** A port that nothing listens on. */
export async function closedPort() {
  for (;;) {
    next = next >= 38999 ? 38800 : next + 1;
    if (await free(next)) return next;
  }
}

async function listen(server) {
  const port = await closedPort();
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.on('error', () => {});
  const close = async () => {
    open.delete(close);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  open.add(close);
  return { port, host: '127.0.0.1', close, sockets };
}

/** Closes every stub. */
export async function closeAll() {
  await Promise.all([...open].map((close) => close()));
}

/** A server that speaks bytes: `talk(socket)` for each connection. */
export const tcp = (talk = () => {}) => listen(net.createServer(talk));

/** A server that answers each line with what `reply(line, socket)` returns, after a greeting. */
export const lines = (greeting, reply) =>
  tcp((socket) => {
    if (greeting) socket.write(`${greeting}\r\n`);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end).replace(/\r$/, '');
        text = text.slice(end + 1);
        const back = reply(line, socket);
        if (back !== undefined && back !== null && !socket.destroyed) socket.write(`${back}\r\n`);
      }
    });
  });

/**
 * An HTTP server that gives the same response to every request.
 * @param {object | ((request, body: string) => object)} answer
 *   `{ status, headers, body }`; `{ cut: bytes }` ends within the body, `{ reset: true }` before the response,
 *   `{ silent: true }` never responds
 */
export async function serve(answer, { tls } = {}) {
  const respond = async (request, response) => {
    let body = '';
    try {
      for await (const part of request) body += part;
    } catch {
      return;
    }
    const what = typeof answer === 'function' ? answer(request, body) : answer;
    if (what.silent) return;
    if (what.reset) {
      response.socket.destroy();
      return;
    }
    const text =
      what.body === undefined || typeof what.body === 'string'
        ? (what.body ?? '')
        : JSON.stringify(what.body);
    const headers = {
      ...(typeof what.body === 'object' && { 'content-type': 'application/json' }),
      ...what.headers,
    };
    if (what.cut !== undefined) {
      response.writeHead(what.status ?? 200, { ...headers, 'content-length': Buffer.byteLength(text) + 500 });
      response.write(text.slice(0, what.cut));
      setTimeout(() => response.socket?.destroy(), 40);
      return;
    }
    if (what.status !== 204) headers['content-length'] ??= Buffer.byteLength(text);
    response.writeHead(what.status ?? 200, headers);
    response.end(request.method === 'HEAD' ? '' : text);
  };
  const server = tls
    ? https.createServer(tls === true ? selfSigned() : tls, respond)
    : http.createServer({ keepAlive: false }, respond);
  const at = await listen(server);
  return { ...at, url: `${tls ? 'https' : 'http'}://127.0.0.1:${at.port}` };
}

/** A signal that aborts after `ms`, with `reason` if one is given. */
export function abortAfter(ms, reason) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}

/** The first error that `emitter` emits; also when it never does what it should within `ms`. */
export const emitted = (emitter, event = 'error') =>
  new Promise((_, reject) => emitter.once(event, (error) => reject(error)));

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export { selfSigned };
