/** The provider of a rehearsal: every wire, the tools as plain HTTP, and MCP, on one port of 127.0.0.1. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorBody, type Fault, type Hint, type ToolFault } from './faults.js';
import { McpServer, type ToolReply } from './mcp.js';
import { nextAnswer, spoiled, TASKS } from './model.js';
import { type Any, listOf, type RuleContext, refusalOf, tokensOf } from './rules/shared.js';
import type { Scenario } from './scenarios.js';
import { type Effect, ToolBox } from './tools.js';
import { anthropic } from './wires/anthropic.js';
import { gemini } from './wires/gemini.js';
import { openaiChat } from './wires/openai-chat.js';
import { openaiResponses } from './wires/openai-responses.js';
import {
  type Answer,
  type ErrorBody,
  type Head,
  parsed,
  tokensOut,
  type Wire,
  type WireEvent,
} from './wires/wire.js';

const WIRES: readonly Wire[] = [openaiChat, openaiResponses, anthropic, gemini];

/** A request that came, and what was answered. */
export interface RecordedRequest {
  /** Milliseconds since the rehearsal began. */
  readonly at: number;
  /** `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `tool`, `mcp` or, for an unknown path, `none`. */
  readonly wire: Wire['name'] | 'tool' | 'mcp' | 'none';
  /** The path of the URL. */
  readonly path: string;
  /** The model, or the tool. */
  readonly name: string;
  /** Whether the answer was to be a stream. */
  readonly isStreamed: boolean;
  /** What was sent, parsed. */
  readonly body: unknown;
  /** Tokens in and out, at four bytes each. */
  tokens: number;
  /** The rule that it broke. */
  rule?: string;
  /** The fault that it met. */
  fault?: string;
  /** The status that it got; 0 if the connection ended before one. */
  status: number;
  /** Text of the answer, or words of the error. */
  answer: string;
  /** Milliseconds until it was answered. */
  ms: number;
}

export interface ServerOptions {
  scenario: Scenario;
  seed: number;
  port: number;
  /** Waits of the provider are divided by it. */
  speed: number;
}

/** A request that a provider would not read: 256 MB of it. */
const MOST_BYTES = 256 * 1024 * 1024;

export async function startServer(options: ServerOptions) {
  const { scenario, seed, speed } = options;
  const began = performance.now();
  const now = () => Math.round(performance.now() - began);
  const wait = (seconds: number) => sleep((seconds * 1000) / speed, undefined, { ref: false });
  const requests: RecordedRequest[] = [];
  const toolBox = new ToolBox(now);
  const mcp = new McpServer();
  const faults = [...(scenario.faults ?? [])];
  const toolFaults = new Map(Object.entries(scenario.tools ?? {}).map(([name, list]) => [name, [...list]]));
  /** By the id of a stored response: its input and output. */
  const stored = new Map<string, Any[]>();
  let count = 0;
  let sound = 0;
  let firstProvider: string | undefined;
  let firstModel: string | undefined;

  const newId = () => {
    count += 1;
    return createHmac('sha256', `${seed}`).update(`id ${count}`).digest('hex').slice(0, 16);
  };
  /** Signatures are the provider's own: another one's, or a changed content, does not hold. */
  const PREFIXES: Record<Wire['name'], string> = {
    anthropic: 'Er',
    gemini: 'Cs',
    'openai-responses': 'gAAAA',
    'openai-chat': '',
  };
  const sign = (wire: Wire, content: string) =>
    PREFIXES[wire.name] +
    createHmac('sha256', `rehearse ${seed} ${wire.name}`).update(content).digest('base64');

  function nextFault(wire: Wire, model: string): Fault | undefined {
    const index = sound++;
    if (scenario.retires && model === firstModel) return { kind: 'error', error: 'retired' };
    if (scenario.outageFrom !== undefined)
      return wire.provider === firstProvider && index >= scenario.outageFrom
        ? { kind: 'error', error: 'unavailable' }
        : undefined;
    const fault = faults.shift();
    return fault === 'well' ? undefined : (fault ?? scenario.forever);
  }

  async function model(wire: Wire, path: string, request: IncomingMessage, response: ServerResponse) {
    const sent = parsed(await textOf(request));
    const body: Any = sent ?? {};
    const inPath = wire.path.exec(path)?.[1];
    const name = String(inPath ?? body.model ?? '');
    const isStreamed = body.stream === true || /:streamGenerateContent$/.test(path);
    const record: RecordedRequest = {
      at: now(),
      wire: wire.name,
      path,
      name,
      isStreamed,
      body,
      tokens: tokensOf(body),
      status: 0,
      answer: '',
      ms: 0,
    };
    requests.push(record);
    const id = newId();
    const headers: Record<string, string> = {
      [wire.provider === 'openai' ? 'x-request-id' : 'request-id']: `req_${id}`,
    };
    const send = (status: number, content: unknown, more: Record<string, string> = {}) => {
      record.status = status;
      record.ms = now() - record.at;
      respond(response, status, content, { ...headers, ...more });
    };
    const fail = (error: ErrorBody, more: Record<string, string> = {}) => {
      record.answer = error.words;
      send(error.status, wire.error(error, id), more);
    };

    const key = keyOf(request);
    const requested = inPath === undefined ? expanded(body, stored) : { ...body, model: name };
    const refusal = refusedAtDoor(wire, request, sent !== undefined, key) ?? ruleBroken(wire, requested);
    if (refusal !== undefined) {
      record.rule = refusal.rule;
      return fail(refusal);
    }

    firstProvider ??= wire.provider;
    firstModel ??= name;
    const conversation = wire.read(requested);
    const task = TASKS[scenario.task];
    let answer: Answer = nextAnswer(conversation, task, scenario.habit, () => `call_${newId()}`);
    const fault = nextFault(wire, name);
    if (fault !== undefined) record.fault = fault.kind === 'error' ? fault.error : fault.kind;
    if (fault?.kind === 'answer') {
      record.fault = fault.is;
      answer = spoiled(answer, fault.is);
    }
    const head: Head = {
      id,
      model: name,
      request: requested,
      tokensIn: record.tokens,
      sign: (content) => sign(wire, content),
    };
    switch (fault?.kind) {
      case 'error': {
        const { hint, headers: more } = hintOf(fault.hint, (fault.waitS ?? 0) / speed);
        return fail(errorBody(fault.error, wire.provider, { model: name, key, hint }), more);
      }
      case 'page':
        record.answer = 'a page';
        return send(
          fault.status,
          `<html><head><title>${fault.status}</title></head><body><center><h1>Bad Gateway</h1></center></body></html>`,
        );
      case 'reset':
        request.socket.resetAndDestroy();
        return;
      case 'silence':
        await wait(fault.s);
        record.ms = now() - record.at;
        response.destroy();
        return;
      case 'no-body':
        record.status = 200;
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end();
        return;
      default:
    }
    record.tokens += tokensOut(answer);
    record.answer = answer.text || answer.calls.map((call) => `${call.name}(${call.args})`).join(', ');
    const whole: Any = wire.whole(answer, head);
    if (wire.name === 'openai-responses') stored.set(whole.id, [...inputOf(requested), ...whole.output]);
    const ending = fault === undefined || fault.kind === 'answer' ? undefined : fault;
    if (!isStreamed) {
      if (ending?.kind === 'error-in-stream')
        return fail(errorBody('server-error', wire.provider, { model: name, key, hint: '' }));
      const bytes = Buffer.from(JSON.stringify(whole));
      if (ending === undefined && !scenario.isByBytes) return send(200, whole);
      record.status = 200;
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': bytes.length,
        ...headers,
      });
      await writeSlowly(response, bytes.subarray(0, Math.floor(bytes.length * (ending?.at ?? 1))));
      return finish(ending);
    }
    record.status = 200;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    // Gemini streams JSON in an array unless the client asks for server-sent events; every SDK asks.
    const bytes = Buffer.from(wire.events(answer, head).map(eventText).join(''));
    const upTo = ending === undefined ? bytes.length : Math.floor(bytes.length * ending.at);
    // An error comes between two events.
    const cut = bytes.subarray(
      0,
      ending?.kind === 'error-in-stream' ? bytes.lastIndexOf('\n\n', upTo) + 2 : upTo,
    );
    await writeSlowly(response, ending?.kind === 'error-in-stream' && cut.length < 2 ? Buffer.alloc(0) : cut);
    if (ending?.kind === 'error-in-stream')
      response.write(
        eventText(wire.errorEvent(errorBody('unavailable', wire.provider, { model: name, key, hint: '' }))),
      );
    return finish(ending);

    async function finish(by: typeof ending) {
      if (by?.kind === 'stall') await wait(by.s);
      record.ms = now() - record.at;
      if (by === undefined || by.kind === 'error-in-stream') response.end();
      else response.destroy();
    }
  }

  async function writeSlowly(response: ServerResponse, bytes: Buffer) {
    if (!scenario.isByBytes) {
      if (bytes.length === 0) response.flushHeaders();
      else await new Promise<void>((resolve) => response.write(bytes, () => resolve()));
      return;
    }
    for (let index = 0; index < bytes.length && !response.destroyed; index += 1) {
      response.write(bytes.subarray(index, index + 1));
      if (index % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function ruleBroken(wire: Wire, requested: Any) {
    const context: RuleContext = {
      isOwn: (signature, content) => signature === sign(wire, content),
      isKnown: (id) => stored.has(id),
      ...(scenario.contextTokens !== undefined && { contextTokens: scenario.contextTokens }),
    };
    const found = refusalOf(wire.rules, requested, context);
    if (found === undefined) return undefined;
    const { name, status = 400, code, param } = found.rule;
    return { rule: name, status, words: found.words, code, param };
  }

  /** Carries a call of a tool out, or fails as the scenario says. Undefined: the connection is to end. */
  async function callTool(name: string, args: Any, key: string | undefined, record: RecordedRequest) {
    const fault: ToolFault | undefined = toolFaults.get(name)?.shift() ?? scenario.toolsForever?.[name];
    if (fault !== undefined) record.fault = fault;
    const words = toolBox.fault(name, args);
    if (words !== undefined) return { status: 422, body: { error: words } as object | string };
    if (fault === 'reset') return undefined;
    if (fault === 'down') return { status: 500, body: { error: 'internal error' } };
    if (fault === 'page') return { status: 502, body: '<html><body>Bad Gateway</body></html>' };
    if (fault === 'limited')
      return { status: 429, body: { error: 'too many requests' }, retryAfterS: Math.ceil(10 / speed) };
    if (fault === 'declined') return { status: 422, body: { error: 'declined: the card is closed' } };
    if (fault === 'nothing') return { status: 200, body: { hits: [] } };
    const body: Any = toolBox.run(name, args, key);
    if (fault === 'lost') return undefined;
    if (fault === 'late') {
      await wait(15);
      return undefined;
    }
    if (fault === 'crash') return { status: 500, body: { error: 'internal error' } };
    const long = name === 'search' ? (scenario.resultBytes ?? 0) : 0;
    return { status: 200, body: long > 0 ? { ...body, page: 'lorem ipsum '.repeat(long / 12) } : body };
  }

  const recorded = (wire: 'tool' | 'mcp' | 'none', path: string, name: string, body: unknown) => {
    const record: RecordedRequest = {
      at: now(),
      wire,
      path,
      name,
      isStreamed: false,
      body,
      tokens: 0,
      status: 0,
      answer: '',
      ms: 0,
    };
    requests.push(record);
    return record;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://rehearse').pathname;
    const wire = WIRES.find((one) => one.path.test(path));
    if (request.method === 'POST' && wire !== undefined) return model(wire, path, request, response);
    const tool = /^\/tools\/(\w+)$/.exec(path)?.[1];
    const body: Any = parsed(await textOf(request)) ?? {};
    if (request.method === 'POST' && tool !== undefined) {
      const record = recorded('tool', path, tool, body);
      const result = await callTool(tool, body, request.headers['idempotency-key']?.toString(), record);
      record.ms = now() - record.at;
      if (result === undefined) return void request.socket.resetAndDestroy();
      record.status = result.status;
      record.answer = JSON.stringify(result.body).slice(0, 200);
      const headers = result.retryAfterS === undefined ? {} : { 'retry-after': String(result.retryAfterS) };
      return respond(response, result.status, result.body, headers);
    }
    if (path === '/mcp') {
      const record = recorded('mcp', path, body.params?.name ?? body.method ?? request.method, body);
      const reply = await mcp.reply(
        request.method ?? '',
        request.headers,
        body,
        async (name, args, key): Promise<ToolReply | undefined> => {
          const result = await callTool(name, args, key, record);
          return result === undefined
            ? undefined
            : { isError: result.status !== 200, text: JSON.stringify(result.body) };
        },
      );
      record.ms = now() - record.at;
      if (reply === undefined) return void request.socket.resetAndDestroy();
      record.status = reply.status;
      return respond(response, reply.status, reply.body, reply.headers);
    }
    recorded('none', path, '', body).status = 404;
    const words = `Invalid URL (${request.method} ${path})`;
    const error = { message: words, type: 'invalid_request_error', param: null, code: null };
    respond(response, 404, { error });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // Node's 5 s would end connections between two requests of a slow agent, which is no fault of the scenario.
  server.keepAliveTimeout = 120_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requests as readonly RecordedRequest[],
    effects: toolBox.effects as readonly Effect[],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Sends a whole answer: JSON, or a page if it is text. */
function respond(
  response: ServerResponse,
  status: number,
  content: unknown,
  headers: Record<string, string> = {},
): void {
  if (content === undefined) return void response.writeHead(status, headers).end();
  const isPage = typeof content === 'string';
  const text = isPage ? content : JSON.stringify(content);
  // With its length, an answer is one write; without, it is chunked.
  response.writeHead(status, {
    'content-type': isPage ? 'text/html' : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('the request is larger than any provider reads');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const keyOf = ({ headers }: IncomingMessage) =>
  String(
    headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '',
  );

/** What a provider refuses before it reads the request: keys, content types, bodies that are no JSON, versions. */
function refusedAtDoor(
  wire: Wire,
  { headers, url }: IncomingMessage,
  isSound: boolean,
  key: string,
): (ErrorBody & { rule: string }) | undefined {
  if (key === '' && !/[?&]key=/.test(url ?? '')) {
    return wire.provider === 'google'
      ? {
          rule: 'key-given',
          status: 403,
          words:
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        }
      : {
          rule: 'key-given',
          status: 401,
          words:
            wire.provider === 'anthropic'
              ? 'x-api-key header is required'
              : "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
        };
  }
  if (wire.provider === 'anthropic' && headers['anthropic-version'] === undefined)
    return { rule: 'version-given', status: 400, words: 'anthropic-version: header is required' };
  const isJson = /json/.test(headers['content-type'] ?? '');
  if (!isJson)
    return {
      rule: 'content-type',
      status: wire.provider === 'openai' ? 415 : 400,
      words: `Unsupported content type: '${headers['content-type'] ?? ''}'. This API method only accepts 'application/json' requests.`,
    };
  if (isSound) return undefined;
  const openai =
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
  return {
    rule: 'body-is-json',
    status: 400,
    words: wire.provider === 'openai' ? openai : 'The request body is not valid JSON',
  };
}

const inputOf = ({ input }: Any): Any[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);

/** A request of Responses with the items of the response that it continues, and without references to items. */
function expanded(body: Any, stored: ReadonlyMap<string, Any[]>): Any {
  if (body.input === undefined) return body;
  const before = stored.get(body.previous_response_id) ?? [];
  const known = new Map([...stored.values()].flat().map((item) => [item.id, item]));
  const input = inputOf(body).map((item) =>
    item.type === 'item_reference' ? (known.get(item.id) ?? item) : item,
  );
  return before.length === 0 && typeof body.input === 'string'
    ? body
    : { ...body, input: [...before, ...input] };
}

function eventText({ event, data }: WireEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** How a 429 says how long to wait: in words, or in headers. */
function hintOf(hint: Hint | undefined, seconds: number): { hint: string; headers: Record<string, string> } {
  switch (hint) {
    case 'seconds':
      return { hint: '', headers: { 'retry-after': String(Math.ceil(seconds)) } };
    case 'milliseconds':
      return { hint: '', headers: { 'retry-after-ms': String(Math.round(seconds * 1000)) } };
    case 'date':
      return { hint: '', headers: { 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() } };
    case 'words':
      return { hint: ` Please try again in ${seconds}s.`, headers: {} };
    case 'reset-headers': {
      const headers = {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': `${seconds}s`,
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + seconds * 1000).toISOString(),
      };
      return { hint: '', headers };
    }
    default:
      return { hint: '', headers: {} };
  }
}
