// The cost of looking at an answer that is one: a call of OpenAI's client that succeeds, bare, guarded, guarded without the look, and
// beside p-retry with the same look by hand. The provider is a function, so that the rest is the client's own work.
// Processor time of a call in nanoseconds. Run: node --expose-gc --import tsx pkg/bench/answers.bench.ts
import { createPolicy } from 'halfopen';
import { guard } from 'halfopen/guard';
import OpenAI from 'openai';
import pRetry from 'p-retry';
import { keepRows, type Row, rounds } from './rows.js';

/** A guarded call beside a bare one, at most. */
const BOUND = 3;
const ROUNDS = rounds(9);
const CALLS = 300;

const body = JSON.stringify({
  id: 'chatcmpl-8x',
  object: 'chat.completion',
  created: 1764000000,
  model: 'gpt-5-mini',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'a few words of an answer '.repeat(40), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 240, total_tokens: 249 },
});
const headers = { 'content-type': 'application/json' };
const send = async () => new Response(body, { headers });
const request = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: 'Hi' }] };

const client = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: 'sk-bench', maxRetries: 0, fetch });
const bare = client(send);
const guarded = guard(client(send), createPolicy());
const policy = createPolicy();

/** Asks the questions that `answers` asks by default, for this one format. */
function look({ choices }: OpenAI.ChatCompletion): void {
  for (const { message, finish_reason } of choices) {
    if (!finish_reason) throw new Error('no finish reason');
    const calls = message.tool_calls ?? [];
    if (!message.content?.trim() && !message.refusal && calls.length === 0) throw new Error('empty');
    for (const call of calls) if (call.type === 'function') JSON.parse(call.function.arguments);
  }
}

const CASES: Record<string, { how: string; call: () => Promise<OpenAI.ChatCompletion> }> = {
  halfopen: {
    how: '`guard(client, policy)`: the body is read whole under the policy, and judged',
    call: () => guarded.chat.completions.create(request),
  },
  'halfopen, `execute`': {
    how: 'the same retries, no look at the answer',
    call: () => policy.execute(() => bare.chat.completions.create(request)),
  },
  'p-retry': {
    how: 'retries, and the same look by hand for this one format',
    call: () =>
      pRetry(async () => {
        const answer = await bare.chat.completions.create(request);
        look(answer);
        return answer;
      }),
  },
  bare: { how: 'neither retries nor a look', call: () => bare.chat.completions.create(request) },
};

const values = new Map<string, number[]>(Object.keys(CASES).map((who) => [who, []]));
for (let round = -2; round < ROUNDS; round++) {
  for (const [who, { call }] of Object.entries(CASES)) {
    (globalThis as { gc?: () => void }).gc?.();
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS; i++) {
      const { choices } = await call();
      if (choices.length !== 1) throw new Error(`${who} got another answer`);
    }
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) values.get(who)?.push(((user + system) * 1000) / CALLS);
  }
}
keepRows(
  'answers',
  Object.entries(CASES).map(
    ([who, { how }]): Row => ({
      what: "a call of OpenAI's client that succeeds",
      who,
      how,
      unit: 'ns',
      values: values.get(who) ?? [],
    }),
  ),
);

const median = (who: string) => {
  const all = [...(values.get(who) ?? [])].sort((a, b) => a - b);
  return all[Math.floor(all.length / 2)] ?? Number.NaN;
};
for (const who of Object.keys(CASES))
  console.log(
    `${who.padEnd(26)} ${(median(who) / 1000).toFixed(1).padStart(7)} µs  ×${(median(who) / median('bare')).toFixed(2)}`,
  );
if (median('halfopen') > BOUND * median('bare')) {
  console.log(`MISSED a guarded call costs more than ${BOUND} times a bare one`);
  process.exitCode = 1;
}
