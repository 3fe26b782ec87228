// The cost of reading a response: ResponseHandler, which knows six formats and their faults, beside OpenAI's own reader
// of its one format, and beside plain JavaScript that gathers text and tools of that format and checks nothing else.
// Nanoseconds for each. Run: node --expose-gc --import tsx pkg/bench/response.bench.ts
import { ResponseHandler } from 'halfopen';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { keepRows, type Row, rounds } from './rows.js';

/** Each text chunk at most this, in nanoseconds; a whole response's validation at most ten times it. */
const BUDGET = 2_000;
const VALIDATION_BUDGET = 20_000;
const ROUNDS = rounds(7);
const CHUNKS = 50_000;

const WORDS = 'a few words of an answer';
const FORMATS = {
  'openai-chat': {
    id: 'chatcmpl-8x',
    object: 'chat.completion.chunk',
    created: 1764000000,
    model: 'gpt-5-mini',
    choices: [{ index: 0, delta: { content: WORDS }, logprobs: null, finish_reason: null }],
    usage: null,
  },
  'openai-responses': {
    type: 'response.output_text.delta',
    sequence_number: 7,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: WORDS,
    logprobs: [],
  },
  anthropic: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORDS } },
  google: {
    candidates: [{ content: { parts: [{ text: WORDS }], role: 'model' }, index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
    modelVersion: 'gemini-2.5-flash',
  },
  'ai-sdk': { type: 'text-delta', id: '0', text: WORDS },
  ollama: {
    model: 'llama3.2',
    created_at: '2026-01-02T03:04:05Z',
    message: { role: 'assistant', content: WORDS },
    done: false,
  },
} as const;

const WHOLE = {
  id: 'chatcmpl-8x',
  object: 'chat.completion',
  created: 1764000000,
  model: 'gpt-5-mini',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: WORDS, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 },
};

/** Plain JavaScript for OpenAI's chat completions: what one writes by hand. */
class Plain {
  text = '';
  toolActivity = false;
  lastToolName: string | undefined;
  chunkCount = 0;

  processChunk(chunk: unknown) {
    if (!chunk) return null;
    this.chunkCount++;
    const choice = (chunk as (typeof FORMATS)['openai-chat']).choices[0];
    const delta = choice.delta as { content?: string; tool_calls?: { function?: { name?: string } }[] };
    const text = delta.content ?? '';
    this.text += text;
    for (const call of delta.tool_calls ?? []) {
      this.toolActivity = true;
      this.lastToolName = call.function?.name ?? this.lastToolName;
    }
    return { text, hasToolCall: false, finishReason: choice.finish_reason ?? undefined, metadata: {} };
  }

  validateResponse(response: unknown) {
    if (!response) throw new Error('no response');
    const { choices } = response as typeof WHOLE;
    if (!Array.isArray(choices)) throw new Error('no choices');
    if (choices.length === 0) throw new Error('no candidates');
    if (!choices[0]?.message) throw new Error('no message');
  }
}

/** CPU time of one call in nanoseconds, the best of several rounds: other processes' time does not count. */
function cost(act: () => void, times = CHUNKS): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    (globalThis as { gc?: () => void }).gc?.();
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) act();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, ((user + system) * 1000) / times);
  }
  return best;
}

const rows: [string, number, number?][] = [];
for (const [name, chunk] of Object.entries(FORMATS)) {
  const handler = new ResponseHandler();
  rows.push([`text chunk, ${name}`, cost(() => handler.processChunk(chunk)), BUDGET]);
}
const told = new ResponseHandler({ statusCallback: () => {} });
rows.push([
  'text chunk with its status, openai-chat',
  cost(() => told.processChunk(FORMATS['openai-chat'])),
  BUDGET,
]);
const plain = new Plain();
rows.push(['text chunk, plain JavaScript', cost(() => plain.processChunk(FORMATS['openai-chat']))]);
const validator = new ResponseHandler();
rows.push([
  'validate a whole response',
  cost(() => validator.validateResponse(WHOLE), 20_000),
  VALIDATION_BUDGET,
]);
rows.push(['validate, plain JavaScript', cost(() => plain.validateResponse(WHOLE), 20_000)]);
rows.push(['a handler, made', cost(() => void new ResponseHandler(), 20_000)]);

// ── a response of a thousand lines of JSON, as a stream has them: beside what OpenAI's client reads it with
const LINES = 1000;
const chat = FORMATS['openai-chat'];
const line = (delta: object, finish_reason: string | null = null): string =>
  JSON.stringify({ ...chat, choices: [{ ...chat.choices[0], delta, finish_reason }] });
const chatLines = [
  line({ role: 'assistant', content: '' }),
  ...Array<string>(LINES).fill(line({ content: WORDS })),
  line({}, 'stop'),
];
const text = WORDS.repeat(LINES);
const encoder = new TextEncoder();
const READERS: Record<string, { how: string; read: () => Promise<string | null | undefined> }> = {
  halfopen: {
    how: '`ResponseHandler`: six formats, and what may be wrong with a response',
    read: async () => {
      const reader = new ResponseHandler();
      for (const line of chatLines) reader.processChunk(JSON.parse(line));
      return reader.getFinalResponse();
    },
  },
  openai: {
    how: '`ChatCompletionStream`, its own format; it also joins the chunks to a response',
    read: async () => {
      const lines = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const line of chatLines) controller.enqueue(encoder.encode(`${line}\n`));
          controller.close();
        },
      });
      const completion = await ChatCompletionStream.fromReadableStream(lines).finalChatCompletion();
      return completion.choices[0]?.message.content;
    },
  },
  'by hand': {
    how: 'the text and the tools of that format; nothing is checked',
    read: async () => {
      const reader = new Plain();
      for (const line of chatLines) reader.processChunk(JSON.parse(line));
      return reader.text;
    },
  },
};
const read = new Map<string, number[]>(Object.keys(READERS).map((who) => [who, []]));
for (let round = -2; round < ROUNDS; round++) {
  for (const [who, reader] of Object.entries(READERS)) {
    const before = process.cpuUsage();
    for (let i = 0; i < 20; i++) {
      if ((await reader.read()) !== text) throw new Error(`${who} read another text`);
    }
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) read.get(who)?.push(((user + system) * 1000) / 20 / LINES);
  }
}
const kept: Row[] = Object.entries(READERS).map(([who, { how }]) => ({
  what: "a chunk of a model's response, read from its line of JSON",
  who,
  how,
  unit: 'ns',
  values: read.get(who) ?? [],
}));
keepRows('response', kept);
for (const { who, values } of kept) rows.push([`a chunk from its line, ${who}`, Math.min(...values)]);

/** Linear: the last tenth of a hundred thousand chunks costs what the first did. */
const long = new ResponseHandler({ statusCallback: () => {} });
const parts: number[] = [];
for (let part = 0; part < 10; part++) {
  const before = process.cpuUsage();
  for (let i = 0; i < 10_000; i++) long.processChunk(FORMATS['openai-chat']);
  const { user, system } = process.cpuUsage(before);
  parts.push((user + system) / 10);
}
// The first ones are compiled on the way; the quickest part tells what a chunk costs, whichever it was.
rows.push(
  ['100,000 chunks: the first ten thousand', parts[0] ?? 0],
  ['100,000 chunks: the last ten thousand', parts[9] ?? 0, 2 * Math.min(...parts)],
);

for (const [name, ns, budget] of rows) {
  const verdict =
    budget === undefined ? '' : `  budget ${budget.toFixed(0)}  ${ns <= budget ? 'kept' : 'MISSED'}`;
  console.log(`${name.padEnd(42)}${ns.toFixed(0).padStart(8)} ns${verdict}`);
}
if (rows.some(([, ns, budget]) => budget !== undefined && ns > budget)) process.exit(1);
