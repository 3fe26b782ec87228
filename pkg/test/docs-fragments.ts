// Blocks of the documentation that are no whole program: the code around each so that it runs, and its output.
// docs.test.ts refuses a block that nothing runs.

/** A block of code without output, run unchanged between `before` and `after`. */
export interface Fragment {
  readonly page: string;
  /** How the block begins. */
  readonly begins: string;
  /** The reader's own code, or a replacement for it. */
  readonly before?: string;
  /** Code that uses the block's names. */
  readonly after?: string;
  readonly prints?: string;
  /** CommonJS, as `require` in it needs. */
  readonly isCommonJs?: boolean;
}

/** A devtools server that `connectDevtools()` finds by the environment, and what it got. */
const DEVTOOLS = {
  begins: "import { connectDevtools } from 'halfopen/devtools';",
  before: `import { startDevtoolsServer } from 'halfopen/devtools';
import { createPolicy } from 'halfopen';
const server = await startDevtoolsServer({ port: 0 });
process.env['HALFOPEN_DEVTOOLS_URL'] = server.url;
process.env['HALFOPEN_DEVTOOLS_TOKEN'] = server.token;
`,
  after: `
const connection = connectDevtools();
await createPolicy({ name: 'seen' }).execute(() => 1);
await connection.flush();
const stored = await fetch(server.url + '/events?format=jsonl', { headers: { authorization: 'Bearer ' + server.token } });
console.log((await stored.text()).includes('"call.succeeded"'));
await connection.close();
await server.close();
delete process.env['HALFOPEN_DEVTOOLS_URL'];
delete process.env['HALFOPEN_DEVTOOLS_TOKEN'];
`,
  prints: 'true\n',
} as const;

/** An HTTP server that answers 503 once, then 200. */
const BUSY_ONCE = `import { createServer } from 'node:http';
let requests = 0;
const server = createServer((_request, response) => {
  response.writeHead(++requests === 1 ? 503 : 200, { 'content-type': 'application/json' }).end('{"city":"Paris"}');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = 'http://127.0.0.1:' + server.address().port;
`;
const CLOSED = `
server.close();
server.closeAllConnections();
`;

/**
 * The dependencies of docs/integrations are installed beside the tests of the integrations, which run those blocks.
 */
export const FRAGMENTS: readonly Fragment[] = [
  {
    page: 'docs/diagnose.md',
    begins: "import { appendFileSync } from 'node:fs';",
    before: `import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
const folder = mkdtempSync(join(tmpdir(), 'halfopen-docs-'));
process.env['EVENTS_LOG'] = join(folder, 'events.jsonl');
`,
    after: `
await policy.execute(() => 'Hello');
const bin = fileURLToPath(new URL('bin/halfopen.js', import.meta.resolve('halfopen/package.json')));
const found = execFileSync(process.execPath, [bin, 'diagnose', log, '--json'], { encoding: 'utf8' });
console.log(JSON.parse(found).findings.map(({ title }: { title: string }) => title).join());
rmSync(folder, { recursive: true });
delete process.env['EVENTS_LOG'];
`,
    prints: "'chat' has no timeout\n",
  },
  {
    page: 'docs/guides/a-tool-that-pays.md',
    begins:
      "import { createPolicy } from 'halfopen';\nimport { createLedger, memoryStore } from 'halfopen/once';\n\n// Replaces",
    prints: "{ id: 're_ch_1' } 2 1\n",
  },
  {
    page: 'docs/guides/a-tool-that-pays.md',
    begins:
      "import { createLedger, memoryStore } from 'halfopen/once';\n\n// Replaces the payment service here.",
    prints: 'true\n',
  },
  {
    page: 'docs/guides/a-tool-that-pays.md',
    begins: "import { createLedger, memoryStore } from 'halfopen/once';\n\nconst refunds",
    prints: "{ id: 're_1' }\n",
  },
  {
    page: 'docs/guides/a-tool-that-pays.md',
    begins: "import { createLedger, memoryStore } from 'halfopen/once';\n\nconst ledger",
    prints: '',
  },
  { page: 'README.md', ...DEVTOOLS },
  {
    page: 'README.md',
    begins: 'const answer = await policy.respond(({ signal }) => search(',
    before: `import { createPolicy } from 'halfopen';
const policy = createPolicy();
const search = async (question, { signal }) => (signal.aborted ? undefined : 'Paris');
`,
    prints: 'Paris\n',
  },
  { page: 'docs/start.md', ...DEVTOOLS },
  { page: 'docs/devtools.md', ...DEVTOOLS },
  {
    page: 'docs/devtools.md',
    begins: "import { startDevtoolsServer } from 'halfopen/devtools';",
    before:
      "import { connectDevtools } from 'halfopen/devtools';\nconst { log } = console;\nconsole.log = (text) => log(text.replace(/\\d+/g, 'n').replace(/=.*/, '=…'));\n",
    after: 'console.log = log;\n',
    prints: 'http://n.n.n.n:n/?token=…\n',
  },
  {
    page: 'docs/devtools.md',
    begins: "import { logs } from '@opentelemetry/api-logs';",
    before: `import { createPolicy } from 'halfopen';
const emitted: unknown[] = [];
const logger = { emit: ({ eventName }) => emitted.push(eventName), enabled: () => true };
logs.setGlobalLoggerProvider({ getLogger: () => logger });
`,
    after: `
await createPolicy({ name: 'exported' }).execute(() => 1);
console.log(emitted.includes('halfopen.call.succeeded'));
logs.disable();
`,
    prints: 'true\n',
  },
  // Outside of a page that is developed they do nothing; tests/e2e/embed.test.ts has them in Chromium.
  { page: 'docs/embedding.md', begins: "import { mountDevtools } from 'halfopen/devtools/embed';" },
  { page: 'docs/embedding.md', begins: "import { defineDevtoolsElement } from 'halfopen/devtools/embed';" },
  {
    page: 'docs/policies/fetch.md',
    begins: 'const answer = await policy.execute(async',
    before: `import { createPolicy, ensureOk } from 'halfopen';
${BUSY_ONCE}const policy = createPolicy({ retry: { baseDelayMs: 1 } });
`,
    after: `${CLOSED}console.log(answer, requests);\n`,
    prints: "{ city: 'Paris' } 2\n",
  },
  {
    page: 'docs/guides/agent.md',
    begins: "import { createServer } from 'node:http';",
    before: `import { once } from 'node:events';
import { startFaultyProvider } from '${new URL('../../examples/faulty-provider/server.ts', import.meta.url)}';
const provider = await startFaultyProvider();
Object.assign(process.env, { OPENAI_API_KEY: 'sk-no-real-key', OPENAI_BASE_URL: provider.openaiUrl, PORT: '0' });
const log: string[] = [];
const { info, warn, error } = console;
const write = (level: string) => (message: string) => log.push(level + ' ' + message);
Object.assign(console, { info: write('info'), warn: write('warn'), error: write('error') });
`,
    after: `
await once(server, 'listening');
const callTool = { kind: 'ok', tool: { name: 'weather', input: { city: 'Bren' } } };
for (const [what, ...faults] of [
  ['no failure'],
  ['a long wait', { kind: 'rate-limited', retryAfterSeconds: 30 }],
  ['a rejected key', { kind: 'unauthorized' }, { kind: 'unauthorized' }],
  ['a long input', { kind: 'context-length' }],
  ['a broken answer', { kind: 'error-in-stream', afterChunks: 2 }],
  ['a failing tool', callTool],
  ['no end', ...Array(8).fill(callTool)],
]) {
  provider.next('openai', ...faults);
  log.length = 0;
  const response = await fetch('http://127.0.0.1:' + server.address().port, { method: 'POST', body: 'How is it?' });
  const text = await response.text();
  console.log(what, response.status, text === 'All is well.' ? text : 'a sentence');
  for (const line of new Set(log)) console.log('  ' + line);
}
const told = provider.received.findLast(({ body }) => body.messages.at(-1).role === 'tool').body.messages.at(-1);
console.log(/^Error: /.test(told.content));
process.off('SIGTERM', shutDown);
await shutDown();
Object.assign(console, { info, warn, error });
await provider.close();
for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'PORT']) delete process.env[name];
`,
    prints: `no failure 200 All is well.
a long wait 200 All is well.
  info gpt-4o: 'gpt-4o-mini' is tried in place of 'gpt-4o', after RATE_LIMITED
a rejected key 500 a sentence
  info gpt-4o: 'gpt-4o-mini' is tried in place of 'gpt-4o', after AUTHENTICATION_ERROR
  error gpt-4o-mini: failed after 1 attempt: AUTHENTICATION_ERROR
a long input 413 a sentence
  error gpt-4o: failed after 1 attempt: CONTEXT_LENGTH_EXCEEDED
a broken answer 200 a sentence
  error gpt-4o: failed after 1 attempt: SERVER_ERROR
a failing tool 200 All is well.
  error weather: failed after 1 attempt: NOT_FOUND
no end 422 a sentence
  error weather: failed after 1 attempt: NOT_FOUND
true
`,
  },
  {
    page: 'docs/guides/server.md',
    begins: "app.post('/answer', async (request, response) => {",
    before: `import { EventEmitter } from 'node:events';
import { createPolicy, toHttpResponse } from 'halfopen';
const policy = createPolicy({ retry: { maxRetryAfterMs: 5000 } });
const askModel = () => Promise.reject(Object.assign(new Error('slow'), { status: 429, headers: { 'retry-after': '20' } }));
let handler, failed;
const app = { post: (_path, given) => (handler = given), use: (given) => (failed = given) };
`,
    after: `
const response = Object.assign(new EventEmitter(), {
  set: (headers) => (console.log(headers), response),
  status: (status) => (console.log(status), response),
  send: (body) => console.log(JSON.parse(body).code),
});
await handler({ body: 'hi' }, response).catch((error) => failed(error, {}, response, () => {}));
`,
    prints: "503\n{ 'content-type': 'application/problem+json', 'retry-after': '20' }\nRATE_LIMITED\n",
  },
  { page: 'docs/policies/retry.md', begins: "import { createPolicy } from 'halfopen';\n\ncreatePolicy(" },
  {
    page: 'docs/platforms/browsers.md',
    begins: "import { createPolicy } from 'halfopen/js';",
    after: "console.log(await createPolicy().execute(() => 'Paris'));\n",
    prints: 'Paris\n',
  },
  {
    page: 'docs/platforms/react-native.md',
    begins: "import { createPolicy } from 'halfopen/js';",
    after: "console.log(await createPolicy({ clock: new VirtualClock() }).execute(() => 'Paris'));\n",
    prints: 'Paris\n',
  },
  {
    page: 'docs/platforms/node.md',
    begins: "const { createPolicy } = require('halfopen');",
    after: 'console.log(typeof createPolicy);\n',
    prints: 'function\n',
    isCommonJs: true,
  },
  {
    page: 'docs/platforms/electron.md',
    begins: '// main.js',
    before: `let answer;
const ipcMain = { handle: (_channel, handler) => { answer = handler; } };
const askModel = async (question) => question + ': Paris';
`,
    after:
      "answer({}, 'capital?').then(({ result }) => { if (result !== 'capital?: Paris') throw new Error(result); });\n",
    isCommonJs: true,
  },
  {
    page: 'docs/platforms/next.md',
    begins: '// app/api/answer/route.js',
    before: "const askModel = async (question) => ({ answer: question.city === 'Paris' });\n",
    after: `
const request = new Request('http://app.test/api/answer', { method: 'POST', body: '{"city":"Paris"}' });
console.log(await (await POST(request)).json());
`,
    prints: '{ answer: true }\n',
  },
  {
    page: 'docs/platforms/tests.md',
    begins: '// text-encoding.js',
    before: 'delete globalThis.TextEncoder;\n',
    after: "console.log(new TextEncoder().encode('a').length);\n",
    prints: '1\n',
    isCommonJs: true,
  },
  {
    page: 'docs/platforms/workers.md',
    begins: '// main.js',
    before: `const Worker = class {
  constructor(url, options) {
    console.log(url.href.split('/').at(-1), options);
  }
};
`,
    prints: "worker.js { type: 'module' }\n",
  },
  {
    page: 'docs/platforms/workers.md',
    begins: '// worker.js',
    before: `const posted = new Promise((resolve) => { globalThis.postMessage = resolve; });
globalThis.onmessage = null;
const askModel = async (question) => question + ': Paris';
`,
    after: `
await globalThis.onmessage({ data: 'capital?' });
console.log((await posted).result);
delete globalThis.onmessage;
delete globalThis.postMessage;
`,
    prints: 'capital?: Paris\n',
  },
  {
    page: 'docs/platforms/workers.md',
    begins: "import { createPolicy } from 'halfopen';",
    before: `${BUSY_ONCE}const listeners = [];
globalThis.addEventListener = (_type, listener) => listeners.push(listener);
`,
    after: `
let answer;
const event = (path) => ({ request: new Request(url + path), respondWith: (given) => { answer = given; } });
listeners[0](event('/page'));
console.log(answer);
listeners[0](event('/api/city'));
console.log((await answer).status, requests);
delete globalThis.addEventListener;
${CLOSED}`,
    prints: 'undefined\n200 2\n',
  },
  {
    page: 'docs/integrations/databases.md',
    begins: "import { Redis } from 'ioredis';",
    // Stands for Redis: it closes the connection at the first GET, as a server does that is restarted.
    before: `import { createServer } from 'node:net';
import { createPolicy } from 'halfopen';
let gets = 0;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => {
    for (const command of String(data).split('*').slice(1)) {
      if (!/get/i.test(command)) socket.write(/info/i.test(command) ? '$17\\r\\nredis_version:7.0\\r\\n' : '+OK\\r\\n');
      else if (++gets === 1) socket.destroy();
      else socket.write('$5\\r\\nhello\\r\\n');
    }
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
process.env['REDIS_URL'] = 'redis://127.0.0.1:' + server.address().port;
const policy = createPolicy({ retry: { baseDelayMs: 20, maxRetries: 8 } });
`,
    after: `
console.log(await get('greeting'), gets > 1);
redis.disconnect();
server.close();
delete process.env['REDIS_URL'];
`,
    prints: 'hello true\n',
  },
  {
    page: 'docs/integrations/http.md',
    begins: 'const chunks = policy.stream(',
    before: `import got from 'got';
import { createPolicy } from 'halfopen';
${BUSY_ONCE}const policy = createPolicy({ retry: { baseDelayMs: 1 } });
const http = got.extend({ retry: { limit: 0 } });
`,
    after: `
for await (const chunk of chunks) console.log(String(chunk), requests);
${CLOSED}`,
    prints: '{"city":"Paris"} 2\n',
  },
  {
    page: 'docs/integrations/langchain.md',
    begins: 'const answer = await policy.execute(',
    before: `import { ChatOpenAI } from '@langchain/openai';
import { createPolicy } from 'halfopen';
import { createServer } from 'node:http';
let requests = 0;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; }).on('end', () => {
    if (++requests % 2 === 1) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after-ms': '5' }).end('{"error":{"message":"busy"}}');
      return;
    }
    const isStream = JSON.parse(body).stream === true;
    const message = { role: 'assistant', content: 'Paris' };
    const choice = { index: 0, [isStream ? 'delta' : 'message']: message, finish_reason: 'stop' };
    const text = JSON.stringify({ id: '1', choices: [choice] });
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? 'data: ' + text + '\\n\\ndata: [DONE]\\n\\n' : text);
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
process.env['OPENAI_API_KEY'] = 'sk-test';
process.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:' + server.address().port;
const policy = createPolicy({ retry: { baseDelayMs: 1 } });
const model = new ChatOpenAI({ model: 'gpt-5', maxRetries: 0 });
`,
    after: `
console.log(answer.content, requests);
let text = '';
for await (const chunk of stream) text += chunk.content;
console.log(text, requests);
delete process.env['OPENAI_API_KEY'];
delete process.env['OPENAI_BASE_URL'];
${CLOSED}`,
    prints: 'Paris 2\nParis 4\n',
  },
  {
    page: 'docs/integrations/mcp.md',
    begins: 'import { applyMiddlewares, StreamableHTTPClientTransport }',
    before: `import { Client } from '@modelcontextprotocol/client';
import { createPolicy } from 'halfopen';
${BUSY_ONCE.replace("const url = 'http://127.0.0.1:' + server.address().port;", "const url = new URL('http://127.0.0.1:' + server.address().port);")}const policy = createPolicy({ retry: { baseDelayMs: 1 } });
`,
    after: `
await transport.start();
await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' }).catch(() => {});
console.log(requests);
await transport.close();
${CLOSED}`,
    prints: '2\n',
  },
  {
    page: 'docs/integrations/mcp.md',
    begins: "import { Client } from '@modelcontextprotocol/client';",
    // The command `server`, which answers that it is there.
    before: `import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPolicy } from 'halfopen';
const folder = mkdtempSync(join(tmpdir(), 'halfopen-mcp-'));
writeFileSync(join(folder, 'server.mjs'), \`
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const about = { capabilities: {}, serverInfo: { name: 'rivers', version: '1.0.0' } };
  const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, ...about } : {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}\`);
writeFileSync(join(folder, 'server'), '#!/bin/sh\\nexec "' + process.execPath + '" "' + join(folder, 'server.mjs') + '"\\n', { mode: 0o755 });
const path = process.env['PATH'];
process.env['PATH'] = folder + ':' + path;
const policy = createPolicy({ retry: false });
`,
    after: `
console.log(client.getServerVersion()?.name);
await connection.close();
process.env['PATH'] = path;
rmSync(folder, { recursive: true });
`,
    prints: 'rivers\n',
  },
];

/** The blocks that other tests run, or that have nothing to run: by page, how they begin, and where. */
export const ELSEWHERE: Readonly<Record<string, readonly [begins: string, where: string][]>> = {
  'README.md': [["import OpenAI from 'openai';", 'site/test/examples.test.ts']],
  'docs/contributing/npm.md': [["import OpenAI from 'openai';", 'site/test/examples.test.ts']],
  'docs/recipes/shorten.md': [
    ["import type { RepairOptions } from 'halfopen';", 'tests/integrations/repair.test.ts'],
  ],
  'docs/start.md': [
    ["import OpenAI from 'openai';", 'site/test/examples.test.ts'],
    ["import Anthropic from '@anthropic-ai/sdk';", 'site/test/examples.test.ts'],
    ["import { openai } from '@ai-sdk/openai';", 'site/test/examples.test.ts'],
    ["import { createPolicy, ensureOk } from 'halfopen';", 'site/test/examples.test.ts'],
  ],
  'docs/responses.md': [['import ', 'tests/streams/docs.test.ts']],
  'docs/platforms/tests.md': [['vi.useFakeTimers();', 'tests/vitest/docs.vitest.ts']],
  'docs/integrations/cloudflare-agents.md': [
    ["import { retryAdvice } from 'halfopen';", 'tests/integrations/cloudflare-agents.test.ts'],
    ["import { Agent } from 'agents';", 'tests/integrations/cloudflare-agents.test.ts'],
  ],
  'docs/integrations/effect.md': [
    ["import { Cause, Duration, Effect, Schedule } from 'effect';", 'tests/integrations/effect.test.ts'],
  ],
  'docs/integrations/langchain.md': [
    ["import { AgentError, retryAdvice } from 'halfopen';", 'tests/integrations/langchain.test.ts'],
  ],
  'docs/integrations/mastra.md': [
    ["import { setTimeout } from 'node:timers/promises';", 'tests/integrations/mastra.test.ts'],
    ["import type { Processor } from '@mastra/core/processors';", 'tests/integrations/mastra.test.ts'],
    ['const run = createRun(', 'tests/integrations/mastra.test.ts'],
  ],
  'docs/integrations/openai-agents.md': [
    ["import type { RetryPolicy } from '@openai/agents';", 'tests/integrations/openai-agents.test.ts'],
  ],
  'docs/integrations/queues.md': [
    ["import { UnrecoverableError } from 'bullmq';", 'tests/integrations/bullmq.test.ts'],
  ],
  'docs/integrations/workflow.md': [
    ['import { createRun, type RunSnapshot', 'tests/integrations/workflow/host.test.ts'],
    ["import { FatalError, RetryableError } from '@workflow/errors';", 'tests/integrations/workflow.test.ts'],
    ['async function summarise(', 'tests/integrations/workflow/host.test.ts'],
  ],
  // Declarations of types, which the tests of types check.
  'docs/integrations/vitest-jest.md': [
    ["import 'vitest';", 'tests/vitest/matchers.vitest.ts'],
    ["import 'expect';", 'tests/integrations/docs.test.ts'],
  ],
};
