// Uploads of Anthropic's and Google's clients under `guard`: what is sent again after a failure, byte for byte, and how many
// requests that takes. OpenAI's uploads are in guard.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { classify } from 'halfopen';
import { guard } from 'halfopen/guard';
import { quick } from './provider.js';

interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** The bodies of the requests, oldest first. */
const received: Received[] = [];
/** How the next requests end; `ok` once the list is empty. */
const next: ('overloaded' | 'reset' | 'invalid' | 'ok')[] = [];

const server: Server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
let url: string;

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  received.length = 0;
  next.length = 0;
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat((await request.toArray()) as Buffer[]);
  const path = new URL(request.url ?? '/', url).pathname;
  received.push({ path, headers: request.headers, body });
  const fault = next.shift() ?? 'ok';
  if (fault === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const reply = (status: number, json: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(json));
  };
  if (fault === 'overloaded') return reply(503, { error: { message: 'overloaded' } });
  if (fault === 'invalid') return reply(400, { error: { message: 'the file is not a PDF' } });
  if (path === '/v1/files') {
    return reply(200, { id: 'file_1', type: 'file', filename: 'notes.txt', size_bytes: 5 });
  }
  if (request.headers['x-goog-upload-command'] === 'start') {
    return reply(200, {}, { 'x-goog-upload-url': `${url}/upload/1` });
  }
  const isLast = String(request.headers['x-goog-upload-command']).includes('finalize');
  reply(
    200,
    { file: { name: 'files/1', mimeType: 'text/plain' } },
    { 'x-goog-upload-status': isLast ? 'final' : 'active' },
  );
}

const anthropic = () => guard(new Anthropic({ apiKey: 'sk-test', baseURL: url }), quick());
const google = () => guard(new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: url } }), quick());

test("an upload with Anthropic's client is sent again, whole", async () => {
  next.push('overloaded', 'reset');
  const file = await anthropic().beta.files.upload({ file: await toFile(Buffer.from('hello'), 'notes.txt') });
  assert.equal(file.id, 'file_1');
  assert.deepEqual(
    received.map(({ path, body }) => [path, /notes\.txt[\s\S]*\r\n\r\nhello\r\n/.test(body.toString())]),
    Array.from({ length: 3 }, () => ['/v1/files', true]),
  );
});

test("an upload with Anthropic's client that is refused for good is sent once, and rejects with the client's error", async () => {
  next.push('invalid');
  const upload = anthropic().beta.files.upload({ file: await toFile(Buffer.from('hello'), 'notes.txt') });
  await assert.rejects(upload, (error) => {
    assert.ok(error instanceof Anthropic.BadRequestError);
    assert.equal(classify(error).code, 'VALIDATION_ERROR');
    return true;
  });
  assert.equal(received.length, 1);
});

test("an upload with Google's client: its start and its chunks are sent again, each from its own offset", async () => {
  const chunk = 8 * 1024 * 1024; // what the client sends at a time
  const bytes = Buffer.alloc(chunk + 3, 'ab');
  next.push('overloaded', 'ok', 'reset', 'ok', 'overloaded', 'ok');
  const file = await google().files.upload({ file: new Blob([bytes]), config: { mimeType: 'text/plain' } });
  assert.equal(file.name, 'files/1');
  assert.deepEqual(
    received.map(({ headers, body }) => [
      headers['x-goog-upload-command'],
      headers['x-goog-upload-offset'],
      body.length,
    ]),
    [
      ['start', undefined, received[0]?.body.length],
      ['start', undefined, received[0]?.body.length],
      ['upload', '0', chunk],
      ['upload', '0', chunk],
      ['upload, finalize', String(chunk), 3],
      ['upload, finalize', String(chunk), 3],
    ],
  );
  const sent = Buffer.concat([received[3]?.body ?? Buffer.alloc(0), received[5]?.body ?? Buffer.alloc(0)]);
  assert.ok(sent.equals(bytes));
});

test("an upload with Google's client that is refused for good is sent once", async () => {
  next.push('ok', 'invalid');
  const upload = google().files.upload({ file: new Blob(['hello']), config: { mimeType: 'text/plain' } });
  await assert.rejects(upload, (error) => classify(error).code === 'VALIDATION_ERROR');
  assert.deepEqual(
    received.map(({ path }) => path),
    ['/upload/v1beta/files', '/upload/1'],
  );
});
