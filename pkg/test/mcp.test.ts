// `halfopen/mcp` without the SDK: what becomes of responses that are not passed on, and of wrong arguments.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type Policy, type PolicyOptions } from 'halfopen';
import { fetchMiddleware, type GuardClientOptions, guardClient, toolSucceeded } from 'halfopen/mcp';
import { createLedger, memoryStore } from 'halfopen/once';
import { ownWork } from '../../scripts/patience.mjs';

const policyOf = (options: PolicyOptions = {}): Policy =>
  createPolicy({ retry: { maxRetries: 3, baseDelayMs: 1, enableJitter: false }, ...options });

/** A response whose body never ends; records that its body was released. */
function failing(cancelled: number[], number: number): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(5000).fill(120)),
    cancel: () => void cancelled.push(number),
  });
  return new Response(body, { status: 500 });
}

test('the bodies of failing responses that are not passed on are cancelled', async () => {
  const cancelled: number[] = [];
  let sent = 0;
  const next = async () => failing(cancelled, ++sent);
  const response = await fetchMiddleware(policyOf({ breaker: false }))(next)('http://127.0.0.1/mcp');
  assert.deepEqual([response.status, sent, cancelled], [500, 4, [1, 2, 3]]);
  await response.body?.cancel();
  assert.deepEqual(cancelled, [1, 2, 3, 4]);
});

test("a hedge's response is not that of the call, which another attempt ended", async () => {
  const cancelled: number[] = [];
  let sent = 0;
  let release = () => {};
  const hedgeFailed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const next = async () => {
    const number = ++sent;
    // The first comes after the hedge has failed, and is the last that the call hears of.
    if (number === 1) await hedgeFailed;
    return failing(cancelled, number);
  };
  const policy = policyOf({
    ...{ hedge: { afterMs: 5 }, retry: false, breaker: false },
    onEvent: ({ type }) => type === 'attempt.failed' && release(),
  });
  const response = await fetchMiddleware(policy)(next)('http://127.0.0.1/mcp');
  assert.deepEqual([response.status, sent, cancelled], [500, 2, [2]]);
  await response.body?.cancel();
});

test('callTool without arguments rejects, and does not throw', async () => {
  const client = { callTool: async () => ({}), listTools: async () => ({ tools: [] }) };
  const guarded = guardClient(client as never, policyOf()) as { callTool(): Promise<unknown> };
  const result = guarded.callTool();
  await assert.rejects(result, TypeError);
});

test('a long complaint of a server is no work, and the model reads the beginning', () => {
  for (const quote of [`'`, '"']) {
    const words = `Expected a number, received ${quote}`.repeat(20_000);
    const work = ownWork();
    const text = `Invalid arguments for tool add: ${words}x`;
    assert.throws(
      () => toolSucceeded({ isError: true, content: [{ type: 'text', text }] }),
      ({ code, message }: { code: string; message: string }) =>
        code === 'VALIDATION_ERROR' && message.length < 1200 && !message.includes('received'),
    );
    const tookMs = work();
    assert.ok(tookMs < 2000, `${tookMs} ms`); // by one expression it was half a minute
  }
});

test('of a complaint that names values, the places and expectations remain', () => {
  const said = (text: string) => {
    try {
      toolSucceeded({
        isError: true,
        content: [{ type: 'text', text: `Invalid arguments for tool add: ${text}` }],
      });
    } catch (error) {
      return /fit the tool: (.*)\. Call/.exec((error as Error).message)?.[1];
    }
    return undefined;
  };
  assert.equal(said(`Expected 'C', received 'it's' at unit, and more`), "Expected 'C' at unit, and more");
  assert.equal(said('Expected number, received string at n'), 'Expected number at n');
  assert.equal(
    said(`Expected 'C', received 'A', Expected 'D' but received "x"`),
    "Expected 'C', Expected 'D'",
  );
});

type Parameters = { name: string; arguments?: Record<string, unknown> };

/** A server with a tool that reads on each page, and `order`, which acts, on the last; a guarded client with a ledger. */
function shop(pages: number, more: GuardClientOptions & { tool?: () => object; policy?: Policy } = {}) {
  const { tool, policy = policyOf({ retry: false }), ...options } = more;
  const seen = { listings: 0, calls: [] as string[] };
  const server = {
    async listTools({ cursor = '1' }: { cursor?: string } = {}): Promise<unknown> {
      seen.listings += 1;
      const page = Number(cursor);
      const tools = [{ name: `read${page}`, annotations: { readOnlyHint: true } }];
      return page < pages
        ? { tools, nextCursor: String(page + 1) }
        : { tools: [...tools, { name: 'order', annotations: {} }] };
    },
    async callTool({ name }: Parameters): Promise<unknown> {
      seen.calls.push(name);
      return { content: [{ type: 'text', text: `${seen.calls.length}` }] };
    },
  };
  const ledger = createLedger({ store: memoryStore(), secret: 's' });
  const once = { ledger, name: 'shop', ...(tool !== undefined && { tool }) };
  const client = guardClient(server as never, policy, { once, ...options }) as {
    callTool(params: Parameters, schema?: undefined, options?: { signal: AbortSignal }): Promise<unknown>;
  };
  return { server, client, seen };
}

test('with a ledger, the tools are listed once for calls at the same time', async () => {
  const { client, seen } = shop(3);
  const orders = [1, 2, 3, 4].map((id) => client.callTool({ name: 'order', arguments: { id } }));
  await Promise.all([...orders, client.callTool({ name: 'read3' })]);
  await client.callTool({ name: 'read3' });
  assert.deepEqual([seen.listings, seen.calls.length], [3, 6]);
});

test('with a ledger, a listing that failed is tried again, and an abort ends no other call of it', async () => {
  const { server, client, seen } = shop(1);
  const { listTools } = server;
  server.listTools = async () => {
    server.listTools = listTools;
    throw new Error('socket hang up');
  };
  const failed = await Promise.allSettled([
    client.callTool({ name: 'order' }),
    client.callTool({ name: 'order' }),
  ]);
  assert.deepEqual([failed.map(({ status }) => status), seen.calls], [['rejected', 'rejected'], []]);

  let list = () => {};
  const listed = new Promise<void>((resolve) => {
    list = resolve;
  });
  server.listTools = async () => {
    await listed;
    return listTools();
  };
  const caller = new AbortController();
  const aborted = client.callTool({ name: 'order' }, undefined, { signal: caller.signal });
  const other = client.callTool({ name: 'order', arguments: { id: 2 } });
  caller.abort();
  await assert.rejects(aborted, { code: 'CANCELLED' });
  list();
  await other;
  assert.deepEqual(seen, { listings: 1, calls: ['order'] });
});

test("with a ledger and the application's own word, nothing is listed", async () => {
  const { client, seen } = shop(11, { idempotent: (tool) => tool !== 'order' });
  for (let times = 0; times < 2; times++) {
    await client.callTool({ name: 'order' });
    await client.callTool({ name: 'read11' });
  }
  assert.deepEqual(seen, { listings: 0, calls: ['order', 'read11', 'read11'] });
});

test('with a ledger, a tool behind the last page that is listed is an error that says what to do', async () => {
  const { client, seen } = shop(11);
  for (const name of ['order', 'read11', 'order'])
    await assert.rejects(client.callTool({ name }), {
      code: 'CONFIG_ERROR',
      message: `The server lists more than 10 pages of tools, so it is not known whether ${name} may run twice. Set the option 'idempotent' of guardClient`,
    });
  await client.callTool({ name: 'read10' });
  assert.deepEqual(seen, { listings: 10, calls: ['read10'] });
  await shop(10).client.callTool({ name: 'order' });
});

test("with a ledger, the application's functions get the arguments of the call alone", async () => {
  const got: unknown[][] = [];
  const { server, client } = shop(1, {
    tool: () => ({
      key: (...args: unknown[]) => got.push(['key', ...args]) && args[0],
      describe: (...args: unknown[]) => String(got.push(['describe', ...args])),
      verify: ({ since: _ }: { since: number }, ...args: unknown[]) => {
        got.push(['verify', ...args]);
        return { happened: 'unknown' };
      },
    }),
  });
  server.callTool = () => Promise.reject(new Error('socket hang up'));
  await assert.rejects(client.callTool({ name: 'order', arguments: { id: 1 } }), {
    code: 'TOOL_EXECUTION_ERROR',
  });
  assert.deepEqual(
    got,
    ['key', 'describe', 'verify'].map((name) => [name, { id: 1 }]),
  );
});

test('with a ledger, a call whose attempts were refused and lost is unknown; one whose were all refused is not', async () => {
  const unknownTool = { isError: true, content: [{ type: 'text', text: 'Tool order not found' }] };
  const refused = () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
  for (const [answers, code] of [
    [[refused, () => Promise.reject(new Error('socket hang up'))], 'TOOL_EXECUTION_ERROR'],
    [[refused, async () => unknownTool], 'NOT_FOUND'],
  ] as const) {
    const policy = policyOf({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const { server, client } = shop(1, { policy });
    let calls = 0;
    server.callTool = () => answers[calls++ % 2]?.() ?? Promise.reject(new Error('none'));
    for (let times = 1; times <= 2; times++) {
      await assert.rejects(client.callTool({ name: 'order' }), { code });
      assert.equal(calls, code === 'NOT_FOUND' ? 2 * times : 2);
    }
  }
});
