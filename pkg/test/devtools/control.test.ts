// Actions of the dashboard on a process that allows them: over a real server and a real connection.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { type TestContext, test } from 'node:test';
import { CircuitBreaker } from '../../src/breaker/breaker.js';
import { type ConnectOptions, connect } from '../../src/devtools/connect.js';
import { Control } from '../../src/devtools/control/carry-out.js';
import { waitForActions } from '../../src/devtools/control/wait.js';
import { nodePlatform } from '../../src/devtools/platform-node.js';
import { webPlatform } from '../../src/devtools/platform-web.js';
import type { RunningServer } from '../../src/devtools/running.js';
import { type HalfopenEvent, onEvent, processName } from '../../src/event/events.js';
import { createPolicy } from '../../src/policy/policy.js';
import { createRun } from '../../src/run/run.js';
import { ask, enter, type Reply, start, until } from './server.js';

const TOKEN = 'a-token-of-this-test-only';

type Applied = Extract<HalfopenEvent, { type: 'control.applied' }>;
type Failed = Extract<HalfopenEvent, { type: 'control.failed' }>;

interface Setup {
  server: RunningServer;
  /** The events of actions so far. */
  events: (Applied | Failed)[];
  /** Sends an action as the page does. */
  action: (action: Record<string, unknown>) => Promise<Reply>;
  /** Sends an action, and waits for its event. */
  done: (action: Record<string, unknown>) => Promise<Applied | Failed>;
}

async function controlled(t: TestContext, options: Partial<ConnectOptions> = {}): Promise<Setup> {
  const server = await start(t, { token: TOKEN });
  const events: (Applied | Failed)[] = [];
  t.after(
    onEvent((event) => {
      if (event.type === 'control.applied' || event.type === 'control.failed') events.push(event);
    }),
  );
  const connection = connect(
    { url: server.url, token: TOKEN, channel: false, control: true, ...options },
    nodePlatform,
  );
  t.after(() => connection.close());
  const { key } = await enter(server);
  const action = (action: Record<string, unknown>) =>
    ask(`${server.url}/control`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ source: processName(), ...action }),
    });
  const done = async (one: Record<string, unknown>) => {
    let reply = await action(one);
    await until(async () => {
      // Until the process has asked for the first time.
      if (reply.status === 404) reply = await action(one);
      return reply.status !== 404;
    }, 'the process');
    assert.equal(reply.status, 202, reply.body);
    const { id } = JSON.parse(reply.body);
    await until(() => events.some((event) => event.id === id), `the action ${id}`);
    return events.find((event) => event.id === id) as Applied | Failed;
  };
  return { server, events, action, done };
}

const fails = () => Promise.reject(Object.assign(new Error('boom'), { status: 500 }));

test('a breaker is isolated, and the isolation undone by one action', async (t) => {
  const { done } = await controlled(t);
  const policy = createPolicy({ name: 'mail' });
  await policy.execute(() => 1);
  const applied = (await done({ action: 'isolate', breaker: 'mail' })) as Applied;
  assert.deepEqual(
    [applied.type, applied.action, applied.breaker, applied.undoable],
    ['control.applied', 'isolate', 'mail', true],
  );
  assert.equal(applied.by, userInfo().username);
  assert.equal(policy.breaker?.state, 'isolated');
  await assert.rejects(
    policy.execute(() => 1),
    { code: 'CIRCUIT_OPEN' },
  );
  const undone = (await done({ action: 'undo', of: applied.id })) as Applied;
  assert.deepEqual([undone.type, undone.of, undone.undoable], ['control.applied', applied.id, false]);
  assert.equal(await policy.execute(() => 2), 2);
  const again = (await done({ action: 'undo', of: applied.id })) as Failed;
  assert.deepEqual([again.type, again.reason], ['control.failed', 'this was undone before']);
});

test('an open breaker is closed, also one that the page isolated; undoing opens it again', async (t) => {
  const { done } = await controlled(t);
  const policy = createPolicy({
    name: 'crm',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1e6 },
  });
  await assert.rejects(policy.execute(fails));
  assert.equal(policy.breaker?.state, 'open');
  await done({ action: 'isolate', breaker: 'crm' });
  const { id } = await done({ action: 'close', breaker: 'crm' });
  assert.equal(policy.breaker?.state, 'closed');
  assert.equal(await policy.execute(() => 1), 1);
  await done({ action: 'undo', of: id });
  assert.equal(policy.breaker?.state, 'isolated');
});

test('options of a policy are changed, and come back whole', async (t) => {
  const { done } = await controlled(t);
  const policy = createPolicy({ name: 'search', retry: { maxRetries: 2, baseDelayMs: 1 }, breaker: false });
  let attempts = 0;
  const failing = () => {
    attempts += 1;
    return fails();
  };
  const call = () => policy.execute(failing).catch(() => attempts);
  assert.equal(await call(), 3);
  const applied = (await done({
    action: 'update',
    policy: 'search',
    options: { retry: { maxRetries: 0 }, timeout: { totalMs: 5_000 } },
  })) as Applied;
  assert.deepEqual(
    [applied.policy, applied.options],
    ['search', { retry: { maxRetries: 0 }, timeout: { totalMs: 5_000 } }],
  );
  assert.equal(await call(), 4);
  await done({ action: 'undo', of: applied.id });
  assert.equal(await call(), 7);
});

test('a wrong option, a shared breaker and unknown names are events that say why, and change nothing', async (t) => {
  const { done } = await controlled(t);
  const shared = new CircuitBreaker({ name: 'shared' });
  const policy = createPolicy({ name: 'two', breaker: shared });
  await policy.execute(() => 1);
  const reason = async (action: Record<string, unknown>) => {
    const event = (await done(action)) as Failed;
    assert.equal(event.type, 'control.failed');
    return event.reason;
  };
  assert.match(
    await reason({ action: 'update', policy: 'two', options: { retry: { maxRetries: -1 } } }),
    /maxRetries.*expects|maxRetries.*must/,
  );
  assert.match(
    await reason({ action: 'update', policy: 'two', options: { breaker: { failureThreshold: 1 } } }),
    /belongs to several policies/,
  );
  assert.match(await reason({ action: 'update', policy: 'three', options: {} }), /no policy 'three'/);
  assert.match(
    await reason({ action: 'isolate', breaker: 'three' }),
    /no policy of this process has a breaker 'three'/,
  );
  assert.match(await reason({ action: 'end-run', run: 'r' }), /no run 'r'/);
  assert.match(await reason({ action: 'undo', of: 'x' }), /no action 'x'/);
  const { id } = await done({ action: 'isolate', breaker: 'shared' });
  assert.equal(shared.state, 'isolated');
  await done({ action: 'undo', of: id });
});

test('a run is ended as cancelled, its signal aborts, and that cannot be undone', async (t) => {
  const { done } = await controlled(t);
  const run = createRun({ name: 'report' });
  const { id, undoable } = (await done({ action: 'end-run', run: run.id })) as Applied;
  assert.equal(undoable, false);
  assert.equal(run.end?.kind, 'cancelled');
  assert.equal(run.signal.aborted, true);
  const undone = (await done({ action: 'undo', of: id })) as Failed;
  assert.equal(undone.reason, "'end-run' cannot be undone");
});

test('closing the connection lifts the isolations that only the page could have lifted', async (t) => {
  const server = await start(t, { token: TOKEN });
  const connection = connect({ url: server.url, token: TOKEN, channel: false, control: true }, nodePlatform);
  t.after(() => connection.close());
  const policy = createPolicy({ name: 'left' });
  await policy.execute(() => 1);
  const { key } = await enter(server);
  await until(async () => {
    const { status } = await ask(`${server.url}/control`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ source: processName(), action: 'isolate', breaker: 'left' }),
    });
    return status === 202;
  }, 'the process');
  await until(() => policy.breaker?.state === 'isolated', 'the isolation');
  await connection.close();
  assert.equal(policy.breaker?.state, 'closed');
});

test('without control: true no action reaches the process, and the page learns why', async (t) => {
  const { action } = await controlled(t, { control: false });
  const policy = createPolicy({ name: 'kept' });
  await policy.execute(() => 1);
  const reply = await action({ action: 'isolate', breaker: 'kept' });
  assert.equal(reply.status, 404);
  assert.match(reply.body, /allows no control.*control: true/);
});

test('what is no action is refused with what was expected', async (t) => {
  const { action } = await controlled(t);
  const error = async (one: Record<string, unknown>) => {
    const { status, body } = await action(one);
    assert.equal(status, 400);
    return JSON.parse(body).error as string;
  };
  assert.match(
    await error({ action: 'explode' }),
    /'action' expects isolate, close, update, end-run, undo, got "explode"/,
  );
  assert.match(await error({ action: 'toString' }), /'action' expects/);
  assert.match(await error({ action: 'isolate' }), /'breaker' of 'isolate' expects a text/);
  assert.match(await error({ action: 'update', policy: 'a', options: [] }), /expects an object/);
  assert.match(
    await error({ action: 'update', policy: 'a', options: { fallback: 'x' } }),
    /expects retry, breaker, .*, got 'fallback'/,
  );
});

test('attacks: only the page of this server with its key, or the token, may act', async (t) => {
  const { server, action, events } = await controlled(t);
  const { key, cookie } = await enter(server);
  const body = JSON.stringify({ source: processName(), action: 'isolate', breaker: 'x' });
  const status = async (path: string, headers: Record<string, string>) =>
    (await ask(`${server.url}${path}`, { method: 'POST', headers, body })).status;
  assert.equal(await status('/control', {}), 401, 'nothing');
  assert.equal(await status('/control', { cookie }), 401, 'the cookie');
  assert.equal(await status(`/control?key=${key}`, {}), 401, 'the key in the address');
  assert.equal(
    await status('/control', { authorization: `Bearer ${key}`, origin: 'https://evil.example' }),
    403,
  );
  assert.equal(
    await status('/control', { authorization: `Bearer ${TOKEN}`, origin: 'http://localhost:3000' }),
    403,
    'a page of another local server, even with the token',
  );
  assert.equal(
    await status('/control', { authorization: `Bearer ${key}`, 'sec-fetch-site': 'cross-site' }),
    403,
  );
  assert.equal(
    await status('/control/wait', { authorization: `Bearer ${key}` }),
    401,
    "the page's key takes no actions",
  );
  assert.equal((await action({ action: 'isolate', breaker: 'x'.repeat(70_000) })).status, 413);
  assert.deepEqual(events, []);
});

test('a server without a token, or one that others can reach, takes no actions', async (t) => {
  const open = await start(t, { token: false });
  const { status, body } = await ask(`${open.url}/control`, { method: 'POST', body: '{}' });
  assert.equal(status, 403);
  assert.match(body, /without a token takes no actions/);
  const wide = await start(t, { host: '0.0.0.0', token: TOKEN });
  const reply = await ask(`http://127.0.0.1:${new URL(wide.url).port}/control`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '{}',
  });
  assert.equal(reply.status, 403);
  assert.match(reply.body, /127\.0\.0\.1 alone/);
});

test('a program that has taken the port decides nothing, and does not get the token', async (t) => {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const stranger = createServer((request, response) => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const { port } = stranger.address() as AddressInfo;
    const isHealth = request.url?.startsWith('/health') === true;
    const claim = { halfopen: 'devtools', instance: 'x', port, proof: '0'.repeat(64) };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        isHealth ? claim : { actions: [{ id: '1', by: 'me', action: 'isolate', breaker: 'x' }] },
      ),
    );
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  t.after(() => stranger.close());
  t.after(() => stranger.closeAllConnections());
  const actions: unknown[] = [];
  const stop = waitForActions(
    {
      line: nodePlatform.open(new URL(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`)),
      source: processName(),
      findServer: async () => ({ token: TOKEN, secret: TOKEN, registered: false }),
    },
    (action) => actions.push(action),
  );
  t.after(stop);
  await until(() => requests.length >= 2, 'two tries');
  assert.ok(
    requests.every(({ path, authorization }) => path.startsWith('/health') && authorization === undefined),
  );
  assert.deepEqual(actions, []);
});

test('an action that comes twice is carried out once', async (t) => {
  const { events } = await controlled(t, { control: false });
  const policy = createPolicy({ name: 'twice', breaker: {} });
  await policy.execute(() => 1);
  const control = new Control();
  const action = { id: 'a', by: 'me', action: 'isolate', breaker: 'twice' } as const;
  control.carryOut(action);
  control.carryOut(action);
  assert.equal(events.length, 1);
  control.carryOut({ id: 'b', by: 'me', action: 'undo', of: 'a' });
  assert.equal(policy.breaker?.state, 'closed');
});

test('where control cannot be, it is refused at once', (t) => {
  assert.throws(
    () =>
      connect({ url: 'https://devtools.example', token: TOKEN, channel: false, control: true }, nodePlatform),
    /option 'control' .*a server on this machine, not on 'devtools.example'/,
  );
  assert.throws(
    () => connect({ url: 'http://127.0.0.1:1', token: TOKEN, channel: false, control: true }, webPlatform),
    /option 'control' .*page/,
  );
  process.env.HALFOPEN_DEVTOOLS_URL = 'https://devtools.example';
  t.after(() => delete process.env.HALFOPEN_DEVTOOLS_URL);
  const warn = t.mock.method(console, 'warn', () => {});
  const connection = connect({ token: TOKEN, channel: false, control: true }, nodePlatform);
  t.after(() => connection.close());
  assert.match(String(warn.mock.calls[0]?.arguments[0]), /allows no control.*devtools\.example/);
});
