// The real SDKs, each asked once for an answer and once for a stream, against a server that answers as its provider does.
// Prints what the events say of them: JSON, a name and [usage, whether limits were seen]. Nothing calls `observe`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { ChatOpenAI } from '@langchain/openai';
import { Mistral } from '@mistralai/mistralai';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { generateText, streamText } from 'ai';
import { CohereClientV2 } from 'cohere-ai';
import { createPolicy } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import OpenAI from 'openai';

/** Every answer has these counts, in the words of its provider. */
const [INPUT, OUTPUT] = [12, 3];
/** The part of Gemini's output that is thought, which it counts separately. */
const THOUGHTS = 2;

const openaiCounts = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
const responsesCounts = { input_tokens: INPUT, output_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
const bedrockCounts = { inputTokens: INPUT, outputTokens: OUTPUT, totalTokens: INPUT + OUTPUT };
// https://docs.cohere.com/reference/chat: billed units are fewer than tokens, as they are without the preamble.
const cohereCounts = {
  billed_units: { input_tokens: INPUT, output_tokens: OUTPUT },
  tokens: { input_tokens: 71, output_tokens: 5 },
};
const thought = { candidatesTokenCount: OUTPUT - THOUGHTS, thoughtsTokenCount: THOUGHTS };
const googleCounts = { promptTokenCount: INPUT, ...thought, totalTokenCount: INPUT + OUTPUT };

const completion = (rest) => ({ id: 'a1', created: 1, model: 'm', ...rest });
const chunk = (rest) => ({ data: completion({ object: 'chat.completion.chunk', ...rest }) });
const response = (rest) => ({ id: 'resp_1', object: 'response', created_at: 1, model: 'm', ...rest });
const message = (rest) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', ...rest });
const named = (event, rest) => ({ event, data: { type: event, ...rest } });
const part = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] };

/** The response of each path: whole, and the events of its stream. */
const PATHS = {
  '/v1/chat/completions': {
    whole: completion({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: openaiCounts,
    }),
    streamed: [
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] }),
      chunk({ choices: [], usage: openaiCounts }),
      { data: '[DONE]' },
    ],
  },
  '/v1/responses': {
    whole: response({ status: 'completed', output: [], usage: responsesCounts }),
    streamed: [
      named('response.created', { response: response({ status: 'in_progress', output: [], usage: null }) }),
      named('response.completed', {
        response: response({ status: 'completed', output: [], usage: responsesCounts }),
      }),
    ],
  },
  '/v1/messages': {
    whole: message({
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: INPUT, output_tokens: OUTPUT },
    }),
    streamed: [
      named('message_start', {
        message: message({ content: [], usage: { input_tokens: INPUT, output_tokens: 1 } }),
      }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
      named('content_block_stop', { index: 0 }),
      named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: OUTPUT } }),
      named('message_stop', {}),
    ],
  },
  '/v1beta/models/m:generateContent': { whole: { ...part, usageMetadata: googleCounts } },
  '/v1beta/models/m:streamGenerateContent': {
    streamed: [
      { data: { ...part, usageMetadata: { promptTokenCount: INPUT, totalTokenCount: INPUT } } },
      { data: { ...part, usageMetadata: googleCounts } },
    ],
  },
  '/v2/chat': {
    whole: {
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      usage: cohereCounts,
    },
    streamed: [
      named('message-start', { id: 'c1', delta: { message: { role: 'assistant' } } }),
      named('content-delta', { index: 0, delta: { message: { content: { text: 'Hi' } } } }),
      named('message-end', { delta: { finish_reason: 'COMPLETE', usage: cohereCounts } }),
    ],
  },
  '/model/m/converse': {
    whole: {
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
      usage: bedrockCounts,
      metrics: { latencyMs: 5 },
    },
  },
  '/model/m/converse-stream': {
    framed: [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: bedrockCounts, metrics: { latencyMs: 5 } }],
    ],
  },
};

const LIMITS = {
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': '59',
  'x-ratelimit-reset-requests': '1s',
};
const codec = new EventStreamCodec(toUtf8, fromUtf8);
const header = (value) => ({ type: 'string', value });
/** A frame of Amazon's event stream. */
const frame = ([name, body]) =>
  codec.encode({
    headers: {
      ':message-type': header('event'),
      ':event-type': header(name),
      ':content-type': header('application/json'),
    },
    body: fromUtf8(JSON.stringify(body)),
  });
const sse = ({ event, data }) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const server = createServer(async (request, reply) => {
  let body = '';
  for await (const text of request) body += text;
  const path = PATHS[new URL(request.url, 'http://x').pathname];
  const { whole, streamed, framed } = path ?? {};
  const head = (type) => reply.writeHead(path === undefined ? 404 : 200, { ...LIMITS, 'content-type': type });
  if (framed !== undefined) {
    head('application/vnd.amazon.eventstream').end(Buffer.concat(framed.map(frame)));
  } else if (streamed !== undefined && (whole === undefined || JSON.parse(body).stream === true)) {
    head('text/event-stream').end(streamed.map(sse).join(''));
  } else head('application/json').end(JSON.stringify(whole ?? { error: request.url }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;

const apiKey = 'sk-canary';
const messages = [{ role: 'user', content: 'hi' }];
const asked = { model: 'm', messages };
const counted = { stream: true, stream_options: { include_usage: true } };
const openai = new OpenAI({ apiKey, baseURL: `${base}/v1` });
const anthropic = new Anthropic({ apiKey, baseURL: base });
const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } });
const mistral = new Mistral({ apiKey, serverURL: base });
const cohere = new CohereClientV2({ token: apiKey, baseUrl: base, environment: base });
const bedrock = new BedrockRuntimeClient({
  region: 'us-east-1',
  endpoint: base,
  credentials: { accessKeyId: 'AKIACANARY', secretAccessKey: apiKey },
  // By default it speaks HTTP/2.
  requestHandler: new NodeHttpHandler(),
});
const langchain = new ChatOpenAI({ model: 'm', apiKey, configuration: { baseURL: `${base}/v1` } });
const aiSdk = createOpenAI({ apiKey, baseURL: `${base}/v1` }).chat('m');
const converse = { modelId: 'm', messages: [{ role: 'user', content: [{ text: 'hi' }] }] };
const claude = { ...asked, max_tokens: 9 };
const gemini = { model: 'm', contents: 'hi' };

const WHOLE = {
  'openai, chat': () => openai.chat.completions.create(asked),
  'openai, chat, withResponse()': () => openai.chat.completions.create(asked).withResponse(),
  'openai, responses': () => openai.responses.create({ model: 'm', input: 'hi' }),
  anthropic: () => anthropic.messages.create(claude),
  'anthropic, withResponse()': () => anthropic.messages.create(claude).withResponse(),
  google: () => google.models.generateContent(gemini),
  mistral: () => mistral.chat.complete(asked),
  cohere: () => cohere.chat(asked),
  bedrock: () => bedrock.send(new ConverseCommand(converse)),
  langchain: () => langchain.invoke('hi'),
  'ai sdk': () => generateText({ model: aiSdk, prompt: 'hi' }),
};

const STREAMED = {
  'openai, chat': () => openai.chat.completions.create({ ...asked, ...counted }),
  'openai, responses': () => openai.responses.create({ model: 'm', input: 'hi', stream: true }),
  anthropic: () => anthropic.messages.create({ ...claude, stream: true }),
  google: () => google.models.generateContentStream(gemini),
  mistral: () => mistral.chat.stream(asked),
  cohere: () => cohere.chatStream(asked),
  bedrock: async () => (await bedrock.send(new ConverseStreamCommand(converse))).stream,
  langchain: () => langchain.stream('hi'),
  'ai sdk': () => streamText({ model: aiSdk, prompt: 'hi' }).fullStream,
};

/** The usage that the attempt's event has, and whether limits were observed. */
async function seen(run) {
  const policy = createPolicy({ retry: false });
  const { events } = recordEvents(policy);
  await run(policy);
  const of = (type) => events.filter((event) => event.type === type);
  // Only some state the model, and how much of the output was thought.
  const { inputTokens, outputTokens } = of('attempt.succeeded')[0]?.usage ?? {};
  return [{ inputTokens, outputTokens }, of('limits.observed').length > 0];
}

const found = {};
for (const [name, ask] of Object.entries(WHOLE)) found[name] = await seen((policy) => policy.execute(ask));
for (const [name, ask] of Object.entries(STREAMED)) {
  found[`${name}, streamed`] = await seen(async (policy) => {
    for await (const _ of policy.stream(ask));
  });
}
console.log(JSON.stringify(found));
// Clients keep sockets open.
process.exit(0);
