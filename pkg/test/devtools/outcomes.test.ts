// Real SDKs under real policies, watched: whatever state the devtools server is in, calls come out the same.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { AgentError, createPolicy, type HalfopenEvent } from 'halfopen';
import { connectDevtools, startDevtoolsServer } from 'halfopen/devtools';
import OpenAI from 'openai';
import { type Fault, times } from '../../../examples/faulty-provider/faults.js';
import { startFaultyProvider } from '../../../examples/faulty-provider/server.js';
import { serveInProcess } from './serve.js';
import { ownHome, stored, temporaryDirectory } from './server.js';

const OPENAI: Fault[] = [
  { kind: 'rate-limited', retryAfterMs: 30 },
  { kind: 'ok', text: 'one' },
  { kind: 'unauthorized' },
  { kind: 'context-length' },
  { kind: 'quota-exceeded' },
  { kind: 'reset' },
  { kind: 'ok', text: 'six' },
  { kind: 'truncated-body' },
  { kind: 'ok', text: 'seven' },
  ...times(6, { kind: 'server-error' }),
];

const ANTHROPIC: Fault[] = [
  { kind: 'overloaded' },
  { kind: 'rate-limited', retryAfterMs: 20 },
  { kind: 'ok', text: 'eins' },
  { kind: 'stall', forMs: 30_000 },
  { kind: 'ok', text: 'zwei' },
  { kind: 'unauthorized' },
];

/** One working day of both SDKs; what each call came to, without times. */
async function day(): Promise<string[]> {
  const provider = await startFaultyProvider({ openai: OPENAI, anthropic: ANTHROPIC });
  const openai = new OpenAI({ baseURL: provider.openaiUrl, apiKey: 'sk-test-key-of-nobody', maxRetries: 0 });
  const anthropic = new Anthropic({
    baseURL: provider.anthropicUrl,
    apiKey: 'sk-ant-key-of-nobody',
    maxRetries: 0,
  });
  const options = { seed: 7, retry: { maxRetries: 2, baseDelayMs: 10, maxDelayMs: 40 } };
  const first = createPolicy({ name: 'openai', breaker: { failureThreshold: 2 }, ...options });
  // Long enough for every answer on a busy machine; only the stall takes longer.
  const second = createPolicy({ name: 'anthropic', timeout: { attemptMs: 2_500 }, ...options });
  const outcomes: string[] = [];
  const note = async (call: Promise<string>) => {
    outcomes.push(
      await call.catch((error: unknown) => {
        assert.ok(AgentError.is(error), String(error));
        return `${error.code} after ${error.attempts}`;
      }),
    );
  };
  for (let call = 0; call < 9; call += 1) {
    await note(
      first.execute(async ({ signal }) => {
        const messages = [{ role: 'user' as const, content: 'x' }];
        const answer = await openai.chat.completions.create({ model: 'gpt-5', messages }, { signal });
        return answer.choices[0]?.message.content ?? '';
      }),
    );
  }
  for (let call = 0; call < 3; call += 1) {
    await note(
      second.execute(async ({ signal }) => {
        const messages = [{ role: 'user' as const, content: 'x' }];
        const answer = await anthropic.messages.create(
          { model: 'claude-opus-4-6', max_tokens: 9, messages },
          { signal },
        );
        return answer.content[0]?.type === 'text' ? answer.content[0].text : '';
      }),
    );
  }
  first.dispose();
  second.dispose();
  await provider.close();
  const [limited, next] = provider.received;
  assert.ok((next?.at ?? 0) - (limited?.at ?? 0) >= 30, 'the hint was cut short');
  return outcomes;
}

const EXPECTED = [
  'one',
  'AUTHENTICATION_ERROR after 1',
  'CONTEXT_LENGTH_EXCEEDED after 1',
  'QUOTA_EXCEEDED after 1',
  'six',
  'seven',
  'SERVER_ERROR after 3',
  'SERVER_ERROR after 3',
  'CIRCUIT_OPEN after 0',
  'eins',
  'zwei',
  'AUTHENTICATION_ERROR after 1',
];

/** A server of that conduct. Returns its URL. */
async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Each state of the server: gives the URL to connect to. */
const STATES: Record<string, (t: TestContext) => Promise<string>> = {
  away: async () => 'http://127.0.0.1:9',
  frozen: async (t) => {
    const server = await serveInProcess({ port: 0, directory: temporaryDirectory(t) });
    t.after(() => server.child.kill('SIGKILL'));
    server.child.kill('SIGSTOP');
    return server.url;
  },
  refusing: (t) => answering(t, (_request, response) => response.writeHead(403).end()),
  'answering slowly': (t) =>
    answering(t, (_request, response) => setTimeout(() => response.end('{"stored":1,"rejected":0}'), 3_000)),
  'answering without an end': (t) =>
    answering(t, (_request, response) => response.writeHead(200).write('{"stored":1,')),
  lying: (t) => answering(t, (_request, response) => response.end('{"stored":-1e300,"rejected":1e300}')),
  'sending it elsewhere': async (t) => {
    const stranger = await answering(t, (request, response) => {
      response.end('{"stored":1,"rejected":0}');
      // Outside of the test's own promises: what fails there fails the run.
      assert.fail(`a stranger got ${request.method} ${request.url}`);
    });
    return answering(t, ({ url }, response) =>
      response.writeHead(307, { location: `${stranger}${url}` }).end(),
    );
  },
  'dying in the middle': async (t) => {
    const server = await serveInProcess({ port: 0, directory: temporaryDirectory(t) });
    t.after(() => server.child.kill('SIGKILL'));
    setTimeout(() => server.child.kill('SIGKILL'), 150);
    return server.url;
  },
};

test('without devtools the day goes as it should', async () => {
  assert.deepEqual(await day(), EXPECTED);
});

for (const [state, prepare] of Object.entries(STATES)) {
  test(`with the server ${state} it goes the same, and memory stays bounded`, async (t) => {
    ownHome(t);
    const devtools = connectDevtools({ url: await prepare(t), channel: false, buffer: 20 });
    t.after(() => devtools.close());
    assert.deepEqual(await day(), EXPECTED);
    await devtools.close();
    assert.ok(devtools.dropped > 0, 'more happened than twenty events');
  });
}

test('with the server there, all of it arrives, in order, and no key with it', async (t) => {
  ownHome(t);
  const server = await startDevtoolsServer({ port: 0 });
  t.after(() => server.close());
  const devtools = connectDevtools({ url: server.url, token: server.token, channel: false });
  assert.deepEqual(await day(), EXPECTED);
  await devtools.close();
  assert.equal(devtools.dropped, 0);
  const events = (await stored(server)) as unknown as HalfopenEvent[];
  const seqs = events.map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => (seqs[0] ?? 0) + index),
  );
  const failed = events.filter((event) => event.type === 'attempt.failed').map(({ code }) => code);
  assert.equal(new Set(failed).size, 9, [...new Set(failed)].join());
  assert.doesNotMatch(JSON.stringify(events), /of-nobody/);
});

test('only the events of the given policies are sent', async (t) => {
  ownHome(t);
  const server = await startDevtoolsServer({ port: 0 });
  t.after(() => server.close());
  const watched = createPolicy({ name: 'watched' });
  const other = createPolicy({ name: 'other' });
  const devtools = connectDevtools({
    url: server.url,
    token: server.token,
    channel: false,
    policies: [watched],
  });
  await watched.execute(() => 1);
  await other.execute(() => 1);
  await devtools.close();
  const policies = (await stored(server)).map(({ policy }) => policy);
  assert.ok(policies.length > 0);
  assert.deepEqual(new Set(policies), new Set(['watched']));
});

test('startDevtoolsServer: wrong options are TypeErrors at once, a taken port an AgentError', async (t) => {
  ownHome(t);
  for (const [options, message] of [
    [{ port: -1 }, /option 'port' must be a whole number from 0 to 65535, got -1/],
    [{ port: Number.NaN }, /'port'.*NaN/],
    [{ token: '' }, /'token'/],
    [{ token: 'a b' }, /'token'/],
    [{ token: false, host: '0.0.0.0' }, /'token' may be false only on/],
    [{ hots: 'x' }, /unknown option 'hots'/],
  ] as const) {
    assert.throws(() => startDevtoolsServer(options as never), { name: 'TypeError', message });
  }
  const server = await startDevtoolsServer({ port: 0 });
  t.after(() => server.close());
  const port = Number(new URL(server.url).port);
  await assert.rejects(startDevtoolsServer({ port }), (error: unknown) => {
    assert.ok(AgentError.is(error));
    assert.equal(error.code, 'INITIALIZATION_ERROR');
    assert.match(error.message, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    return true;
  });
  await Promise.all([server.close(), server.close()]);
});
