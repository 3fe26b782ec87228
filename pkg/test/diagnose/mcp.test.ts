// `npx halfopen mcp` with a client of the official SDK: every tool, its bounds, and mistakes that say what to do.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { start, temporaryDirectory } from '../devtools/server.js';
import { FIXTURES } from './command.js';
import { connected } from './mcp-client.js';

const INCIDENT = `${FIXTURES}incident.jsonl`;

test('it lists tools that only read, and says how to begin', async (t) => {
  const { client } = await connected(t, [INCIDENT]);
  assert.equal(client.getServerVersion()?.name, 'halfopen');
  assert.match(client.getInstructions() ?? '', /Begin with 'findings'/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'call',
    'calls',
    'classify',
    'docs',
    'explain_policy',
    'explore',
    'export_test',
    'findings',
    'replay',
    'run',
    'runs',
    'simulate',
  ]);
  for (const { name, annotations, inputSchema } of tools) {
    assert.equal(annotations?.readOnlyHint, true, name);
    assert.equal(inputSchema.additionalProperties, false, name);
  }
});

test('an agent goes from a finding to the call, to a policy that helps, and to a test', async (t) => {
  const { call } = await connected(t, [INCIDENT]);
  const { value: found } = await call('findings');
  assert.deepEqual([found.total, found.log.events, found.next], [2, 115, undefined]);
  const [outage] = found.findings;
  assert.equal(outage.title, "Only the fallback answered 9 calls of 'support-desk' in a row");

  const { value: one } = await call('call', { id: outage.evidence[1].id });
  assert.equal(one.status, 'fallback');
  assert.ok(one.steps.length > 1);

  const { value: policy } = await call('explain_policy', { policy: outage.policy });
  assert.equal(policy.options.retry.maxRetries, 2);
  assert.deepEqual(
    policy.findings.map(({ check }: { check: string }) => check),
    ['hidden-outage', 'futile-retries'],
  );

  const { value: replayed } = await call('replay', {
    policies: { [outage.policy]: { ...policy.replayable, retry: { maxRetries: 0 } } },
    seeds: 3,
  });
  assert.ok(replayed.identity > 0.9, String(replayed.identity));
  assert.ok(replayed.after.attempts < replayed.before.attempts);
  assert.ok(replayed.afterBand.low.attempts <= replayed.after.attempts);
  assert.deepEqual(
    replayed.policies.map(({ policy }: { policy: string }) => policy),
    [outage.policy],
  );
  assert.ok(replayed.says.some((sentence: string) => sentence.includes('are not modelled')));

  const { value: exported } = await call('export_test', { id: outage.evidence[1].id });
  assert.match(
    exported.code,
    /^\/\/ Exported from a log of Halfopen: call 547f96f2-\w+ of the policy support-desk\./,
  );
  assert.match(exported.code, /import \{ (?:AgentError, )?createPolicy \} from 'halfopen';/);
});

test('calls come by a filter of the dashboard, in pages', async (t) => {
  const log = join(temporaryDirectory(t), 'long.jsonl');
  const calls = 700;
  const task = 'x'.repeat(60);
  writeFileSync(
    log,
    Array.from(
      { length: calls },
      (_, n) =>
        `{"v":1,"source":"s","seq":${n},"time":${1e12 + n},"policy":"${n % 2 ? 'odd' : 'even'}","call":"c${n}","type":"call.started","task":"${task}"}`,
    ).join('\n'),
  );
  const { call } = await connected(t, [log]);
  const ids: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { value } = await call('calls', { filter: 'policy:odd', ...(cursor !== undefined && { cursor }) });
    assert.equal(value.total, calls / 2);
    ids.push(...value.calls.map(({ id }: { id: string }) => id));
    cursor = value.next;
    pages += 1;
  } while (cursor !== undefined);
  assert.ok(pages > 2, `${pages} pages`);
  assert.deepEqual(
    ids,
    Array.from({ length: calls / 2 }, (_, n) => `c${2 * n + 1}`),
  );
});

test('runs, and one with its steps', async (t) => {
  const log = join(temporaryDirectory(t), 'runs.jsonl');
  writeFileSync(
    log,
    [
      '"time":0,"seq":1,"type":"run.started","name":"desk","task":"refund 7"',
      '"time":10,"seq":2,"type":"run.step","step":1',
      '"time":20,"seq":3,"type":"run.tool","tool":"refund","outcome":"failed","code":"TIMEOUT","repeated":3,"durationMs":9',
    ]
      .map((line) => `{"v":1,"source":"a","run":"r-1",${line}}`)
      .join('\n'),
  );
  const { call } = await connected(t, [log]);
  const { value } = await call('runs');
  assert.deepEqual([value.total, value.runs[0].id, value.runs[0].end], [1, 'r-1', 'running']);
  const { value: run } = await call('run', { id: 'r-1' });
  assert.deepEqual(run.parts[0].parts[0], {
    kind: 'failed',
    text: 'refund · TIMEOUT · 9 ms',
    repeated: '×3',
    helped: '',
  });
});

test('errors are classified as text and as JSON, without a log', async (t) => {
  const { call } = await connected(t, []);
  const error = {
    status: 429,
    headers: { 'retry-after': '7' },
    error: { type: 'rate_limit_error', message: 'slow down' },
  };
  const { value } = await call('classify', { error: JSON.stringify(error), provider: 'anthropic' });
  assert.equal(value.classification.code, 'RATE_LIMITED');
  assert.equal(value.rules.at(-1).decided, true);
  assert.equal(
    (await call('classify', { error: '502 Bad Gateway' })).value.classification.code,
    'SERVER_ERROR',
  );
});

test('scenarios are simulated and explored', async (t) => {
  const { call } = await connected(t, []);
  const scenario = {
    version: 1,
    durationMs: 20_000,
    clients: { count: 10, arrivals: { kind: 'open', perSecond: 4, process: 'constant' } },
    policies: {
      chat: { retry: { maxRetries: 2, baseDelayMs: 50 }, breaker: false, timeout: { attemptMs: 500 } },
    },
    provider: { servers: 1, service: { kind: 'constant', mean: 100 } },
    faults: [{ kind: 'pause', atMs: 5000, forMs: 1000 }],
  };
  const { value: simulated } = await call('simulate', { scenario, seeds: 2 });
  const { offered, attempts } = simulated.policies[0].totals;
  assert.ok(attempts > offered, `${attempts} attempts of ${offered} calls`);
  assert.ok(simulated.policies[0].bands);
  const { value: explored } = await call('explore', {
    scenario,
    policy: 'chat',
    vary: { 'retry.maxRetries': [0, 1] },
  });
  assert.equal(explored.points, 2);
  assert.ok(explored.front.length >= 1);
});

test('the format of a scenario is in the tools and in the documentation, with an example that runs', async (t) => {
  const { client, call } = await connected(t, []);
  const { tools } = await client.listTools();
  const described = (name: string) => {
    const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties as
      | Record<string, { description: string }>
      | undefined;
    return properties?.scenario?.description ?? '';
  };
  const [, example = ''] = described('simulate').split('Example: ');
  const scenario = JSON.parse(example);
  assert.ok(described('explore').includes(example));
  const { value } = await call('simulate', { scenario });
  assert.equal(value.policies.length, Object.keys(scenario.policies).length);
  const { value: explored } = await call('explore', {
    scenario,
    policy: Object.keys(scenario.policies)[0],
    vary: { 'retry.maxRetries': [0, 1, 2], 'timeout.attemptMs': [1000, 2000] },
  });
  assert.equal(explored.points, 6);
  for (const query of ['simulate', 'scenario', 'explore', 'simulate scenario', 'scenario format explore']) {
    const { value: found } = await call('docs', { query });
    assert.ok(
      found.sections.slice(0, 3).some(({ page }: { page: string }) => page === 'lab'),
      `${query}: ${JSON.stringify(found.sections.slice(0, 3))}`,
    );
  }
  const { value: found } = await call('docs', { query: 'scenario format' });
  const { value: page } = await call('docs', { page: found.sections[0].page });
  assert.ok(page.text.includes('"durationMs"'), 'the page has the example');
});

test('all mistakes of a scenario are reported at once, each with what was expected', async (t) => {
  const { call } = await connected(t, []);
  const scenario = {
    version: 2,
    duration: 1000,
    clients: { count: 0, rate: 3 },
    policies: { chat: { retries: 2, timeout: { attemptMs: -1 } } },
    provider: { servers: 2, service: { kind: 'normal', mean: 3 } },
  };
  for (const [name, more] of [
    ['simulate', {}],
    ['explore', { policy: 'chat', vary: { 'retry.maxRetries': [1] } }],
  ] as const) {
    const { isError, text } = await call(name, { scenario, ...more });
    assert.ok(isError);
    const lines = text.split('\n');
    for (const path of [
      'version',
      'duration',
      'durationMs',
      'clients.count',
      'clients.rate',
      'clients.arrivals',
      'policies.chat.retries',
      'policies.chat.timeout.attemptMs',
      'provider.service.kind',
    ])
      assert.equal(
        lines.filter((line) => line.startsWith(`${path}: expected `)).length,
        1,
        `${path}: ${text}`,
      );
    assert.equal(lines.length, 9, text);
  }
});

test('a search finds the pages whose titles have its words first, and nothing for words that are nowhere', async (t) => {
  const { call } = await connected(t, []);
  for (const [query, page] of [
    ['retry', 'policies/retry'],
    ['MCP server', 'mcp'],
    ['how do I read a timeout', 'policies/timeout'],
    ['circuit breaker', 'policies/breaker'],
  ] as const) {
    const { value } = await call('docs', { query });
    assert.equal(value.sections[0]?.page, page, `${query}: ${JSON.stringify(value.sections.slice(0, 4))}`);
  }
  const { value: none } = await call('docs', { query: 'retry blancmange' });
  assert.deepEqual(none, { unknownWords: ['blancmange'], sections: [] });
});

test('the documentation of the package is searched and read', async (t) => {
  const { call } = await connected(t, []);
  const { value: pages } = await call('docs');
  assert.ok(pages.pages.includes('policies/retry'));
  const { value: examples } = await call('docs', { query: 'createLedger secret' });
  assert.ok(examples.sections.length > 0 && !JSON.stringify(examples).includes('[redacted]'));
  const { value: ofCode } = await call('docs', { query: 'RATE_LIMITED' });
  assert.ok(ofCode.sections.length > 0);
  const { value: found } = await call('docs', { query: 'stallTimeoutMs stream' });
  assert.ok(
    found.sections.slice(0, 3).some(({ page }: { page: string }) => page === 'policies/stream'),
    JSON.stringify(found.sections.slice(0, 3)),
  );
  let text = '';
  let cursor: string | undefined;
  do {
    const { value } = await call('docs', { page: 'errors', ...(cursor !== undefined && { cursor }) });
    text += value.text;
    cursor = value.next;
  } while (cursor !== undefined);
  assert.match(text, /^# /);
  assert.match(text, /explainClassification/);
});

test('mistakes say what was expected', async (t) => {
  const { call } = await connected(t, [INCIDENT]);
  for (const [name, given, says] of [
    ['weather', {}, /^there is no tool 'weather'; there are findings, calls, /],
    ['call', {}, /^'id' is missing: the call's id$/],
    ['call', { id: 7 }, /^'id' expects a string, got 7$/],
    ['call', { id: 'x' }, /^the log has no call 'x'$/],
    ['calls', { filter: 'colour:red' }, /expected one of the keys code, rule/],
    ['calls', { filter: 'status:refused' }, /expected one of the statuses ok, fallback, failed, rejected/],
    ['calls', { page: '2' }, /^there is no argument 'page'; there are filter, cursor$/],
    ['calls', { cursor: 'last' }, /^'cursor' expects the 'next' of an earlier result, got "last"$/],
    ['replay', { policies: { nobody: {} } }, /nobody/],
    ['replay', { policies: {}, seeds: 1e6 }, /^'seeds' expects a whole number from 1 to 200, got 1000000$/],
    ['simulate', { scenario: { version: 2 } }, /version/],
    ['docs', { page: '../package.json' }, /^there is no page /],
  ] as const) {
    const { isError, text } = await call(name, given);
    assert.ok(isError, name);
    assert.match(text, says);
  }
});

test('without a log it reads that of the server that runs, once there is one', async (t) => {
  const server = await start(t);
  const { call } = await connected(t, [], String(process.env.HALFOPEN_HOME));
  const post = (seq: number) =>
    fetch(`${server.url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-ndjson' },
      body: `{"v":1,"source":"s","seq":${seq},"time":${1e12 + seq},"policy":"chat","call":"c${seq}","type":"call.started"}\n`,
    });
  assert.equal((await post(1)).status, 200);
  const { value } = await call('calls');
  assert.deepEqual(
    value.calls.map(({ id }: { id: string }) => id),
    ['c1'],
  );
  await server.close();
  const none = await connected(t, []);
  const { isError, text } = await none.call('findings');
  assert.ok(isError);
  assert.match(text, /^there is no log: start `npx halfopen devtools`, or give `npx halfopen mcp` a log/);
});

test('a file that grows is read again', async (t) => {
  const log = join(temporaryDirectory(t), 'grows.jsonl');
  const line = (n: number) =>
    `{"v":1,"source":"s","seq":${n},"time":${1e12 + n},"policy":"chat","call":"c${n}","type":"call.started"}\n`;
  writeFileSync(log, line(1));
  const { call } = await connected(t, [log]);
  assert.equal((await call('calls')).value.total, 1);
  writeFileSync(log, line(1) + line(2));
  assert.equal((await call('calls')).value.total, 2);
});

test('secrets of a log are redacted', async (t) => {
  const log = join(temporaryDirectory(t), 'secret.jsonl');
  const key = `sk-proj-${'abcdefghij0123456789'.repeat(2)}`;
  writeFileSync(
    log,
    [
      '"seq":1,"type":"call.started"',
      `"seq":2,"type":"attempt.failed","attempt":1,"durationMs":1,"code":"AUTHENTICATION_ERROR","severity":"critical","retryable":false,"rule":"x","technicalDetails":"Incorrect API key provided: ${key}"`,
    ]
      .map((more) => `{"v":1,"source":"s","time":1,"policy":"chat","call":"c",${more}}`)
      .join('\n'),
  );
  const { call } = await connected(t, [log]);
  for (const [name, given] of [
    ['call', { id: 'c' }],
    ['export_test', { id: 'c' }],
    ['classify', { error: `401 Incorrect API key provided: ${key}` }],
  ] as const) {
    const { text, isError } = await call(name, given);
    assert.ok(!isError, text);
    assert.ok(!text.includes('abcdefghij0123'), `${name}: ${text}`);
  }
});
