// `halfopen/mcp` with both versions of the MCP TypeScript SDK: clients, servers, the HTTP transport and reconnection.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { AgentError, createPolicies, createPolicy, type PolicyOptions } from 'halfopen';
import { guard } from 'halfopen/guard';
import { fetchMiddleware, guardClient, reconnecting, toolHandler, toolSucceeded } from 'halfopen/mcp';
import { createLedger, memoryStore } from 'halfopen/once';
import { createRun } from 'halfopen/run';
import { z } from 'zod';

const quick = (options: PolicyOptions = {}) => createPolicy({ retry: { baseDelayMs: 1 }, ...options });
const failure = (promise: Promise<unknown>): Promise<AgentError> =>
  promise.then(
    () => assert.fail('it resolved'),
    (error) => error,
  );

// biome-ignore lint/suspicious/noExplicitAny: parts of a result, of any kind
type Any = any;

/** How often each tool of the server ran. */
type Runs = Record<string, number>;

const failing = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });
const fine = { content: [{ type: 'text' as const, text: 'rain' }] };

/** More than one text, and parts that are no text. */
const LONG = [
  { type: 'text', text: 'a'.repeat(3000) },
  { type: 'text', text: 'b'.repeat(3000) },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'file:///x', text: 'r'.repeat(3000) } },
  { type: 'text', text: 'c'.repeat(3000) },
];

/** Registers the tools on a server of either version. */
function register(server: ServerV1 | ServerV2, runs: Runs): void {
  const add = (name: string, run: (n: number) => unknown, annotations = {}) =>
    (server as ServerV1).registerTool(name, { annotations }, () => {
      runs[name] = (runs[name] ?? 0) + 1;
      return run(runs[name]) as typeof fine;
    });
  const busyOnce = (n: number) => (n === 1 ? failing('503 Service Unavailable') : fine);
  add('weather', busyOnce, { readOnlyHint: true });
  add('order', () => new Promise((resolve) => setTimeout(() => resolve(fine), 2000)));
  add('slow', (n) => (n === 1 ? new Promise((resolve) => setTimeout(() => resolve(fine), 2000)) : fine), {
    idempotentHint: true,
  });
  add('broken', () => failing('ENOENT: no such file'));
  const shape = { n: z.number(), unit: z.enum(['C', 'F']) };
  const inputSchema = server instanceof ServerV1 ? shape : z.object(shape);
  (server as ServerV1).registerTool('add', { inputSchema: inputSchema as never }, (() => fine) as never);
  add('long', () => ({ content: LONG }));
}

const VERSIONS = {
  'version 1': async (runs: Runs) => {
    const server = new ServerV1({ name: 'server', version: '1.0.0' });
    register(server, runs);
    const client = new ClientV1({ name: 'client', version: '1.0.0' });
    const [mine, theirs] = InMemoryV1.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(mine)]);
    return { client, server };
  },
  'version 2': async (runs: Runs) => {
    const server = new ServerV2({ name: 'server', version: '1.0.0' });
    register(server, runs);
    const client = new v2.Client({ name: 'client', version: '1.0.0' });
    const [mine, theirs] = v2.InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(mine)]);
    return { client: client as unknown as ClientV1, server: server as unknown as ServerV1 };
  },
};

/** Gives a server's list two tools at a time. */
function paged(client: ClientV1, all: Awaited<ReturnType<ClientV1['listTools']>>['tools']): void {
  client.listTools = async (params) => {
    const from = Number(params?.cursor ?? 0);
    const more = from + 2 < all.length ? { nextCursor: String(from + 2) } : {};
    return { tools: all.slice(from, from + 2), ...more };
  };
}

for (const [version, connect] of Object.entries(VERSIONS)) {
  describe(`guardClient, ${version}`, () => {
    test('a result with isError is a failure, retried where the tool may run twice', async () => {
      const runs: Runs = {};
      const { client } = await connect(runs);
      const tools = guardClient(client, quick());
      const { tools: listed } = await tools.listTools();
      assert.equal(listed.length, 6);
      assert.deepEqual((await tools.callTool({ name: 'weather' })).content, fine.content);
      assert.equal(runs.weather, 2);
      const error = await failure(tools.callTool({ name: 'broken' }));
      assert.deepEqual([AgentError.is(error), error.attempts, runs.broken], [true, 1, 1]);
      await client.close();
    });

    test('in a run, a call that repeats itself is refused, then stopped with a sentence', async () => {
      const runs: Runs = {};
      const { client } = await connect(runs);
      const run = createRun();
      const tools = guardClient(client, quick(), { run });
      await tools.listTools();
      const texts: string[] = [];
      for (let turn = 1; turn <= 6; turn++) {
        run.step();
        const { content, isError } = await tools.callTool({ name: 'weather', arguments: { city: 'Bern' } });
        texts.push(`${isError === true} ${(content as { text: string }[])[0]?.text.slice(0, 22)}`);
      }
      const refused = 'true This call was not run.';
      assert.deepEqual(texts, [...Array(4).fill('false rain'), refused, refused]);
      assert.equal(runs.weather, 5); // once more for the first, which was busy
      assert.equal(run.step().do, 'stop');
      const error = await failure(tools.callTool({ name: 'weather', arguments: { city: 'Basel' } }));
      assert.equal(error.code, 'MAX_ITERATIONS_EXCEEDED', String(error));
      assert.match(error.userMessage(), /repeated itself/);
      await client.close();
    });

    test('in a run, a tool that fails in the same way is a loop', async () => {
      const { client } = await connect({});
      const run = createRun();
      const tools = guardClient(client, quick({ retry: false }), { run });
      for (let page = 1; page <= 4; page++) {
        run.step();
        await failure(tools.callTool({ name: 'broken', arguments: { page } }));
      }
      const advice = run.step();
      assert.ok(advice.do === 'steer');
      assert.match(advice.say, /broken has failed 4 times/);
      await client.close();
    });

    test('a tool that the server does not have is NOT_FOUND', async () => {
      const { client } = await connect({});
      const error = await failure(guardClient(client, quick()).callTool({ name: 'wether' }));
      assert.deepEqual([error.code, error.attempts], ['NOT_FOUND', 1]);
      // The model reads which there are.
      const names = 'weather, order, slow, broken, add, long';
      assert.equal(error.message, `No tool is named wether. The tools are: ${names}.`);
      await client.close();
      const { client: mute } = await connect({});
      mute.listTools = () => Promise.reject(new Error('no list'));
      const bare = await failure(guardClient(mute, quick()).callTool({ name: 'wether' }));
      assert.match(bare.message, /Tool wether not found/);
      await mute.close();
    });

    test('tools on later pages are known too', async () => {
      const { client } = await connect({});
      const { tools: all } = await client.listTools();
      paged(client, all);
      const tools = guardClient(client, quick());
      assert.equal((await tools.listTools()).tools.length, 2);
      const error = await failure(tools.callTool({ name: 'wether' }));
      const names = 'weather, order, slow, broken, add, long';
      assert.equal(error.message, `No tool is named wether. The tools are: ${names}.`);
      await client.close();
    });

    test('with a ledger, a tool that may not run twice acts once, in all clients', async () => {
      const runs: Runs = {};
      const { client } = await connect(runs);
      const { tools: all } = await client.listTools();
      paged(client, all);
      const store = memoryStore();
      const guarded = () => {
        const ledger = createLedger({ store, secret: 's' });
        return guardClient(client, quick(), { once: { ledger, name: 'shop' } });
      };
      const first = await guarded().callTool({ name: 'order', arguments: { id: 1 } });
      const second = await guarded().callTool({ name: 'order', arguments: { id: 1 } });
      assert.deepEqual([first.content, second.content, runs.order], [fine.content, fine.content, 1]);
      await guarded().callTool({ name: 'order', arguments: { id: 2 } });
      assert.equal(runs.order, 2);
      // These only read, or may run twice; one of them is on the second page.
      const tools = guarded();
      for (const name of ['weather', 'slow']) {
        await tools.callTool({ name });
        await tools.callTool({ name });
      }
      assert.deepEqual([runs.weather, runs.slow], [3, 2]);
      await client.close();
    });

    test('with a ledger, a lost answer is unknown, and a refusal of the server is not', async () => {
      const runs: Runs = {};
      const { client } = await connect(runs);
      const ledger = createLedger({ store: memoryStore(), secret: 's' });
      const describe = ({ id }: Record<string, unknown>) => `Order ${id}`;
      const once = { ledger, name: 'shop', tool: () => ({ describe }) };
      const tools = guardClient(client, quick({ timeout: { attemptMs: 1000 } }), { once });
      const order = { name: 'order', arguments: { id: 1 } };
      for (const attempt of ['its own', 'a later one']) {
        const error = await failure(tools.callTool(order));
        assert.deepEqual(
          [error.code, error.severity, error.retryable],
          ['TOOL_EXECUTION_ERROR', 'critical', false],
          attempt,
        );
        assert.match(error.message, /not known whether shop\.order was carried out\. Do not try it again/);
      }
      assert.equal(runs.order, 1);
      assert.deepEqual(
        (await ledger.unknown()).map(({ name, about }) => [name, about]),
        [['shop.order', 'Order 1']],
      );

      const wrong = { name: 'add', arguments: { n: 'one', unit: 'C' } };
      for (const call of [wrong, wrong, { name: 'ordre' }, { name: 'ordre' }]) {
        const { code } = await failure(tools.callTool(call));
        assert.ok(code === 'VALIDATION_ERROR' || code === 'NOT_FOUND', code);
      }
      assert.equal((await ledger.unknown()).length, 1);
      await client.close();
    });

    test('arguments that do not fit are answered with what is wrong, without content', async () => {
      const { client } = await connect({});
      const call = { name: 'add', arguments: { n: 'SECRET', unit: 'SECRET' } };
      const error = await failure(guardClient(client, quick()).callTool(call));
      assert.deepEqual([error.code, error.attempts], ['VALIDATION_ERROR', 1]);
      assert.match(error.message, /^The arguments do not fit the tool: .*expected number.*Call it again/);
      assert.match(error.message, /\bn\b.*\bunit\b/);
      assert.ok(!/SECRET|received|MCP/.test(error.message), error.message);
      await client.close();
    });

    test('of a long output, head and tail remain, and what is no text', async () => {
      const { client } = await connect({});
      const spilled: string[] = [];
      const tools = guardClient(client, quick(), {
        maxOutput: 1000,
        spill: (rest, { tool }) => `/tmp/${tool}-${spilled.push(rest)}`,
      });
      const { content } = (await tools.callTool({ name: 'long' })) as { content: Record<string, unknown>[] };
      const kinds = content.map(({ type }) => type);
      assert.deepEqual(kinds, ['text', 'image', 'resource', 'text']);
      const [head, image, resource, tail] = content as [Any, Any, Any, Any];
      assert.match(
        head.text,
        /^a+\n\n\[\d+ of 12000 characters are left out\. They are here: \/tmp\/long-1\]\n\n$/,
      );
      assert.deepEqual([image.data, resource.resource], ['AAAA', { uri: 'file:///x', text: '' }]);
      assert.match(tail.text, /^c+$/);
      const kept = head.text.indexOf('\n') + tail.text.length;
      assert.equal(kept + (spilled[0]?.length ?? 0), 12_000);
      assert.ok(head.text.length + tail.text.length <= 1000);
      const whole = guardClient(client, quick(), { maxOutput: Infinity });
      assert.deepEqual((await whole.callTool({ name: 'long' })).content, LONG);
      assert.deepEqual((await guardClient(client, quick()).callTool({ name: 'long' })).content, LONG);
      await client.close();
    });

    test('a timeout is TIMEOUT; only what may run twice is called again', async () => {
      const runs: Runs = {};
      const { client } = await connect(runs);
      const tools = guardClient(client, quick({ timeout: { attemptMs: 1000 }, retry: { baseDelayMs: 1 } }));
      await tools.listTools();
      assert.deepEqual((await tools.callTool({ name: 'slow' })).content, fine.content);
      const error = await failure(tools.callTool({ name: 'order' }));
      assert.deepEqual([error.code, error.attempts, runs], ['TIMEOUT', 1, { slow: 2, order: 1 }]);
      await client.close();
    });

    test("the SDK's own timeout is TIMEOUT, and the caller's signal CANCELLED", async () => {
      const { client } = await connect({});
      const tools = guardClient(client, quick({ retry: false }));
      const timed = { timeout: 20 };
      const call = (options: object) =>
        version === 'version 1'
          ? tools.callTool({ name: 'order' }, undefined, options)
          : tools.callTool({ name: 'order' }, options as never);
      assert.equal((await failure(call(timed))).code, 'TIMEOUT');
      const aborter = new AbortController();
      setTimeout(() => aborter.abort(), 20);
      assert.equal((await failure(call({ signal: aborter.signal }))).code, 'CANCELLED');
      await client.close();
    });

    test('a transport that closes is NETWORK_ERROR, during a call and after it', async () => {
      const { client, server } = await connect({});
      const tools = guardClient(client, quick({ retry: false }));
      setTimeout(() => server.close(), 20);
      assert.equal((await failure(tools.callTool({ name: 'order' }))).code, 'NETWORK_ERROR');
      assert.equal((await failure(tools.listTools())).code, 'NETWORK_ERROR');
    });

    test('each tool has its own policy', async () => {
      const { client } = await connect({});
      const policies = createPolicies({ retry: false, breaker: { failureThreshold: 1 } });
      const tools = guardClient(client, policies, { idempotent: () => true });
      await failure(tools.callTool({ name: 'weather' }));
      assert.equal((await failure(tools.callTool({ name: 'weather' }))).code, 'CIRCUIT_OPEN');
      assert.equal((await failure(tools.callTool({ name: 'broken' }))).code !== 'CIRCUIT_OPEN', true);
      await client.close();
    });

    test('guard of halfopen/guard does the same', async () => {
      const { client } = await connect({});
      const error = await failure(guard(client, quick()).callTool({ name: 'wether' }));
      assert.equal(error.code, 'NOT_FOUND');
      await client.close();
    });

    test('what is not guarded is the client itself', async () => {
      const { client } = await connect({});
      const tools = guardClient(client, quick());
      assert.equal(tools.getServerVersion()?.name, 'server');
      assert.ok(tools instanceof client.constructor);
      let closed = 0;
      tools.onclose = () => closed++;
      await tools.close();
      assert.ok(closed > 0);
    });
  });

  describe(`toolHandler, ${version}`, () => {
    test('what a tool throws is a result with isError, without secrets', async () => {
      const { client, server } = await connect({});
      const handler = toolHandler(async () => {
        throw Object.assign(new Error('denied for sk-proj-abcdefghijklmnopqrstuvwxyz012345'), {
          status: 401,
        });
      });
      server.registerTool('read', {}, handler as never);
      const result = await client.callTool({ name: 'read' });
      assert.equal(result.isError, true);
      const [{ text }] = result.content as [{ text: string }];
      assert.ok(text.startsWith('Error: ') && !text.includes('sk-proj'), text);
      await client.close();
    });
  });
}

describe('toolSucceeded', () => {
  test('what servers in other languages say of a call that they cannot carry out', () => {
    const said = (text: string) => {
      try {
        toolSucceeded(failing(text));
      } catch (error) {
        return [(error as AgentError).code, (error as AgentError).message];
      }
      return undefined;
    };
    assert.equal(said('Unknown tool: x')?.[0], 'NOT_FOUND');
    const pydantic = `Error executing tool add: 2 validation errors for addArguments
n
  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='SECRET', input_type=str]
    For further information visit https://errors.pydantic.dev/2.11/v/int_parsing
unit
  Field required [type=missing, input_value={'n': 'SECRET'}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.11/v/missing`;
    const end = 'Call it again with arguments that do.';
    assert.deepEqual(said(pydantic), [
      'VALIDATION_ERROR',
      `The arguments do not fit the tool: n: Input should be a valid integer, unable to parse string as an integer; unit: Field required. ${end}`,
    ]);
    const json = `MCP error -32602: Invalid arguments for tool add: ${JSON.stringify([
      { code: 'invalid_enum_value', options: ['C', 'F'], received: 'SECRET', path: ['unit'], message: 'x' },
    ])}`;
    assert.deepEqual(said(json), [
      'VALIDATION_ERROR',
      `The arguments do not fit the tool: unit: expected one of "C", "F". ${end}`,
    ]);
    const zod3 = `Invalid arguments for tool add: Invalid enum value. Expected 'C' | 'F', received 'SECRET' at unit`;
    assert.ok(said(zod3)?.[1]?.includes('SECRET') === false);
  });

  test('throws for isError alone', () => {
    toolSucceeded(fine);
    assert.throws(() => toolSucceeded(failing('MCP error -32602: Tool x not found')), { code: 'NOT_FOUND' });
    assert.throws(() => toolSucceeded(failing('429 Too Many Requests')), { code: 'RATE_LIMITED' });
  });
});

describe('over HTTP', () => {
  let http: Server;
  let url: URL;
  let requests: string[] = [];
  /** Statuses that the next requests with a tool's call get. */
  let faults: number[] = [];
  before(async () => {
    http = createServer((request, response) => void answer(request, response));
    http.listen(0, '127.0.0.1');
    await new Promise((resolve) => http.once('listening', resolve));
    url = new URL(`http://127.0.0.1:${(http.address() as { port: number }).port}/mcp`);
  });
  after(() => {
    http.close();
    http.closeAllConnections();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text === '' ? undefined : JSON.parse(text);
    const method = body?.method ?? request.method;
    requests.push(method);
    const fault = method === 'tools/call' ? faults.shift() : undefined;
    if (fault !== undefined) {
      response.writeHead(fault).end();
      return;
    }
    if (request.method === 'GET') {
      response.writeHead(405).end();
      return;
    }
    const server = new ServerV1({ name: 'server', version: '1.0.0' });
    server.registerTool('weather', { annotations: { readOnlyHint: true } }, () => fine);
    const transport = new StreamableHTTPServerTransport({});
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response, body);
  }

  const reconnectionOptions = {
    initialReconnectionDelay: 1000,
    maxReconnectionDelay: 30_000,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: 0,
  };
  const CLIENTS = {
    'version 1': async (guarded: typeof fetch) => {
      const client = new ClientV1({ name: 'client', version: '1.0.0' });
      const transport = new HttpV1(url, { fetch: guarded, reconnectionOptions });
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      return client;
    },
    'version 2': async (guarded: typeof fetch) => {
      const client = new v2.Client({ name: 'client', version: '1.0.0' });
      await client.connect(
        new v2.StreamableHTTPClientTransport(url, { fetch: guarded, reconnectionOptions }),
      );
      return client as unknown as ClientV1;
    },
  };
  for (const [version, connect] of Object.entries(CLIENTS)) {
    test(`${version}: requests are retried under the policy, and no more than that`, async () => {
      requests = [];
      faults = [503, 503];
      const middleware = fetchMiddleware(quick());
      const client = await connect(v2.applyMiddlewares(middleware)(fetch) as typeof fetch);
      assert.deepEqual((await client.callTool({ name: 'weather' })).content, fine.content);
      assert.equal(requests.filter((method) => method === 'tools/call').length, 3);
      faults = [400];
      const error = await failure(client.callTool({ name: 'weather' }));
      assert.match(error.message, /Error POSTing to endpoint/);
      assert.equal(requests.filter((method) => method === 'tools/call').length, 4);
      await client.close();
    });
  }
});

describe('fetchMiddleware', () => {
  const down = () =>
    Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));

  test('without a response it rejects as fetch does, with the AgentError as the cause', async () => {
    const policy = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const error = await failure(fetchMiddleware(policy)(down)('http://127.0.0.1:1/mcp'));
    assert.ok(error instanceof TypeError && AgentError.is(error.cause), String(error));
    assert.deepEqual(
      [error.message, error.cause.code, error.cause.attempts],
      ['fetch failed', 'NETWORK_ERROR', 2],
    );
  });

  test("the caller's reason is what it rejects with, also between attempts", async () => {
    const end = new AbortController();
    const policy = quick({ retry: { baseDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    const next = () => {
      setImmediate(() => end.abort(new Error('enough')));
      return down();
    };
    const error = await failure(
      fetchMiddleware(policy)(next)('http://127.0.0.1:1/mcp', { signal: end.signal }),
    );
    assert.equal(error.message, 'enough');
  });
});

describe('reconnecting', () => {
  test('connects once, and again after the transport has closed', async () => {
    let connections = 0;
    let server: ServerV1 | undefined;
    const connection = reconnecting(async () => {
      connections++;
      const made = await VERSIONS['version 1']({});
      server = made.server;
      return made.client;
    }, quick());
    const [first, second] = await Promise.all([connection.client(), connection.client()]);
    assert.equal(first, second);
    await server?.close();
    const third = await connection.client();
    assert.equal((await third.listTools()).tools.length, 6);
    assert.equal(connections, 2);
    await connection.close();
    await connection.client();
    assert.equal(connections, 3);
    await connection.close();
  });

  test('while the circuit is open, nobody is called', async () => {
    let connections = 0;
    const policy = quick({ retry: false, breaker: { failureThreshold: 2 } });
    const connection = reconnecting<ClientV1>(async () => {
      connections++;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    }, policy);
    for (let n = 0; n < 2; n++) assert.equal((await failure(connection.client())).code, 'NETWORK_ERROR');
    assert.equal((await failure(connection.client())).code, 'CIRCUIT_OPEN');
    assert.equal(connections, 2);
  });
});

test('wrong arguments are TypeErrors', () => {
  assert.throws(() => guardClient({} as never, quick()), /client/);
  assert.throws(() => fetchMiddleware({} as never), /policy/);
  assert.throws(() => reconnecting({} as never, quick()), /function/);
});
