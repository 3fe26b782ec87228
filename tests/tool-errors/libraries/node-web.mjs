// Node's own errors of zlib, crypto, URL, JSON, DOMException, structuredClone, modules, dns and workers.
import crypto from 'node:crypto';
import dns from 'node:dns';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, sleep } from '../servers/net.mjs';

const lib = library({});
lib.add(
  'zlib-header',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Z_DATA_ERROR: incorrect header check',
  () => promisify(zlib.gunzip)(Buffer.from('not gzip')),
);
lib.add('zlib-cut', again('INVALID_RESPONSE'), 'Z_BUF_ERROR: unexpected end of file', () =>
  promisify(zlib.gunzip)(zlib.gzipSync('x'.repeat(1000)).subarray(0, 20)),
);
lib.add('zlib-corrupt', unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'), 'Z_DATA_ERROR within', () => {
  const bytes = zlib.gzipSync(crypto.randomBytes(200));
  bytes.fill(7, 40, 60);
  return promisify(zlib.gunzip)(bytes);
});
lib.add('brotli-cut', again('INVALID_RESPONSE'), 'ERR__ERROR… or unexpected end of file', () =>
  promisify(zlib.brotliDecompress)(zlib.brotliCompressSync('x'.repeat(1000)).subarray(0, 6)),
);
lib.add(
  'decrypt',
  final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'Unsupported state or unable to authenticate data',
  () => {
    const decipher = crypto.createDecipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12));
    decipher.setAuthTag(Buffer.alloc(16));
    decipher.update('abcd', 'hex');
    return decipher.final();
  },
);
lib.add(
  'bad-decrypt',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'ERR_OSSL_BAD_DECRYPT',
  () => {
    const decipher = crypto.createDecipheriv('aes-256-cbc', Buffer.alloc(32), Buffer.alloc(16));
    decipher.update(Buffer.alloc(32, 3));
    return decipher.final();
  },
);
lib.add('key-length', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'ERR_CRYPTO_INVALID_KEYLEN', () =>
  crypto.createCipheriv('aes-256-cbc', 'short', Buffer.alloc(16)),
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'ERR_INVALID_URL', () => new URL('nowhere'));
lib.add('uri', final('VALIDATION_ERROR'), 'URIError: URI malformed', () => decodeURIComponent('%E0%A4%A'));
lib.add('json-bad', unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'), 'SyntaxError: Unexpected token', () =>
  JSON.parse('<html>'),
);
lib.add('json-cut', again('INVALID_RESPONSE'), 'SyntaxError: Unexpected end of JSON input', () =>
  JSON.parse('{"a":'),
);
lib.add(
  'json-cut-within',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'cut, but Node says only what it expected there',
  () => JSON.parse('{"a": [1, 2'),
);
lib.add('base64', final('VALIDATION_ERROR'), 'InvalidCharacterError', () => atob('%%%'));
lib.add('clone', final('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'DataCloneError', () =>
  structuredClone(() => {}),
);
lib.add('abort', final('CANCELLED'), 'AbortError of a signal', () => AbortSignal.abort().throwIfAborted());
lib.add('abort-reason-text', unclear('CANCELLED', 'UNKNOWN'), 'the reason is a text', () =>
  AbortSignal.abort('user navigated away').throwIfAborted(),
);
lib.add('signal-timeout', again('TIMEOUT'), 'TimeoutError of AbortSignal.timeout', async () => {
  const signal = AbortSignal.timeout(20);
  await sleep(60);
  signal.throwIfAborted();
});
lib.add('aborted-timer', final('CANCELLED'), 'ABORT_ERR of timers/promises', async () =>
  (await import('node:timers/promises')).setTimeout(500, null, {
    signal: AbortSignal.timeout(1e6) && AbortSignal.abort(),
  }),
);
lib.add(
  'timed-out-timer',
  unclear('TIMEOUT', 'CANCELLED'),
  'ABORT_ERR with a TimeoutError as its cause',
  async () =>
    (await import('node:timers/promises')).setTimeout(500, null, { signal: AbortSignal.timeout(20) }),
);
lib.add(
  'any-timeout',
  again('TIMEOUT'),
  'AbortSignal.any of a user and a timeout: the timeout came first',
  async () => {
    const signal = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]);
    await sleep(60);
    signal.throwIfAborted();
  },
);
lib.add('dns-missing', unclear('NETWORK_ERROR', 'NOT_FOUND'), 'ENOTFOUND of a resolver', () =>
  dns.promises.lookup('nonexistent.invalid'),
);
lib.add('dns-refused', again('NETWORK_ERROR'), 'ECONNREFUSED of a resolver', async () => {
  const resolver = new dns.promises.Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${await closedPort()}`]);
  return resolver.resolve4('db.example.com');
});
lib.add('dns-timeout', again('TIMEOUT', 'NETWORK_ERROR'), 'ETIMEOUT of a resolver', async () => {
  const { createSocket } = await import('node:dgram');
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const resolver = new dns.promises.Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([`127.0.0.1:${silent.address().port}`]);
  try {
    return await resolver.resolve4('db.example.com');
  } finally {
    silent.close();
  }
});
lib.add(
  'no-module',
  final('INITIALIZATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
  'ERR_MODULE_NOT_FOUND: no language model is meant',
  () => import('no-such-package'),
);
lib.add(
  'worker-memory',
  unclear('SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'CAPACITY_EXCEEDED', 'UNKNOWN', 'INITIALIZATION_ERROR'),
  'ERR_WORKER_OUT_OF_MEMORY',
  async () => {
    const worker = new Worker('const a = []; for (;;) a.push(new Array(1000).fill(1))', {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: 8 },
    });
    const [error] = await once(worker, 'error').catch((failed) => [failed]);
    throw error;
  },
);
lib.add(
  'undefined-function',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'TypeError: a mistake of the program',
  () => undefined.map((x) => x),
);
lib.add(
  'assertion',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'ERR_ASSERTION',
  async () => (await import('node:assert/strict')).equal(1, 2),
);
lib.add(
  'deep',
  unclear('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'RangeError: Maximum call stack size exceeded',
  () => {
    const deeper = () => deeper() + 1;
    return deeper();
  },
);
lib.add(
  'promise-any',
  again('NETWORK_ERROR'),
  'AggregateError of Promise.any: all servers refused',
  async () =>
    Promise.any([
      fetch(`http://127.0.0.1:${await closedPort()}`),
      fetch(`http://127.0.0.1:${await closedPort()}`),
    ]),
);
export default lib;
