// An agent with two real SDKs under two policies, on a day when both providers have trouble.
//
//   node --import tsx examples/agent.ts
//
// The agent calls OpenAI first. When that policy gives up, its fallback calls Claude, under a policy of its own. The
// providers are examples/faulty-provider, on this machine, and fail as `troubles.ts` says. Every printed line comes
// from the events that the dashboard shows too: run `npx halfopen devtools --open` beside it.

import Anthropic from '@anthropic-ai/sdk';
import { AgentError, createPolicy, STREAM_RESET } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import { createRun, type Run } from 'halfopen/run';
import OpenAI from 'openai';
import { startFaultyProvider } from './faulty-provider/server.js';
import { narrate, say } from './narrate.js';
import { TROUBLES } from './troubles.js';

const provider = await startFaultyProvider(TROUBLES);
const devtools = connectDevtools();

// The SDKs' own retries are off: two layers that retry multiply.
const openai = new OpenAI({
  baseURL: provider.openaiUrl,
  apiKey: process.env.OPENAI_API_KEY ?? 'sk-no-real-key',
  maxRetries: 0,
});
const anthropic = new Anthropic({
  baseURL: provider.anthropicUrl,
  apiKey: process.env.ANTHROPIC_API_KEY ?? 'sk-ant-no-real-key',
  maxRetries: 0,
});

// Short times, so that the whole day takes some ten seconds; an agent would keep the defaults.
const retry = { maxRetries: 2, baseDelayMs: 200, maxDelayMs: 2_000 };
const timeout = { attemptMs: 2_000 };
const openaiPolicy = createPolicy({
  name: 'openai',
  provider: 'openai',
  model: 'gpt-5',
  retry,
  timeout,
  breaker: { failureThreshold: 5, resetTimeoutMs: 3_000, halfOpenMaxCalls: 1 },
});
const claudePolicy = createPolicy({
  name: 'claude',
  provider: 'anthropic',
  model: 'claude-opus-4-6',
  retry,
  timeout,
});
narrate(openaiPolicy);
narrate(claudePolicy);

/** One question to Claude. */
function askClaude(task: string, prompt: string): Promise<string> {
  return claudePolicy.execute(
    async (context) => {
      const { data, response } = await anthropic.messages
        .create(
          { model: 'claude-opus-4-6', max_tokens: 500, messages: [{ role: 'user', content: prompt }] },
          { signal: context.signal },
        )
        .withResponse();
      context.observe({
        headers: response.headers,
        usage: { inputTokens: data.usage.input_tokens, outputTokens: data.usage.output_tokens },
      });
      return data.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
    { task },
  );
}

/** One question to OpenAI; where that fails for good, to Claude. */
function ask(task: string, prompt: string): Promise<string> {
  return openaiPolicy.execute(
    async (context) => {
      const { data, response } = await openai.chat.completions
        .create({ model: 'gpt-5', messages: [{ role: 'user', content: prompt }] }, { signal: context.signal })
        .withResponse();
      context.observe({
        headers: response.headers,
        usage: {
          inputTokens: data.usage?.prompt_tokens ?? 0,
          outputTokens: data.usage?.completion_tokens ?? 0,
        },
      });
      return data.choices[0]?.message.content ?? '';
    },
    { task, fallback: () => askClaude(task, prompt) },
  );
}

say('1. A plan. OpenAI says 429 and asks for one second.');
await ask('plan', 'Plan a report on rivers.');

say('2. A search, by the Responses API. OpenAI says 429 and asks for 350 milliseconds.');
await openaiPolicy.execute(
  async ({ signal }) =>
    (await openai.responses.create({ model: 'gpt-5', input: 'Find ten rivers.' }, { signal })).output_text,
  { task: 'search' },
);

say('3. Reading. Claude is overloaded twice (529): backoff, with jitter.');
await askClaude('read', 'Read these pages.');

say('4. Notes. The connection to Claude is reset, then Claude says nothing at all.');
await askClaude('notes', 'Take notes.');

say('5. Figures. OpenAI does not know the key (401): nothing to retry, so Claude is asked.');
await ask('figures', 'Check the figures.');

say('6. A book. It is longer than the model takes: the agent is told, and cuts it.');
try {
  await openaiPolicy.execute(
    ({ signal }) =>
      openai.chat.completions.create(
        { model: 'gpt-5', messages: [{ role: 'user', content: 'A whole book.' }] },
        { signal },
      ),
    { task: 'book' },
  );
} catch (error) {
  if (!AgentError.is(error) || error.severity !== 'replanning') throw error;
  say(`   A person would read: ${error.userMessage()}`);
}
await ask('book, cut', 'A chapter of it.');

say(
  '7. Five chapters, while OpenAI is down (500): each is retried, then answered by Claude. The fifth opens the breaker.',
);
for (let chapter = 1; chapter <= 5; chapter += 1)
  await ask(`chapter ${chapter}`, `Write chapter ${chapter}.`);

say('8. Two more. The breaker is open: OpenAI is not even asked.');
await Promise.all([6, 7].map((chapter) => ask(`chapter ${chapter}`, `Write chapter ${chapter}.`)));

const pause = openaiPolicy.breaker?.retryAfterMs ?? 0;
say(
  `9. ${Math.ceil(pause)} ms later the breaker lets one probe through; the chapter beside it goes to Claude.`,
);
await new Promise((resolve) => setTimeout(resolve, pause));
await Promise.all([8, 9].map((chapter) => ask(`chapter ${chapter}`, `Write chapter ${chapter}.`)));

say('10. The report, streamed. The first stream breaks after some words and is started again.');
let report = '';
const stream = openaiPolicy.stream(
  ({ signal }) =>
    openai.chat.completions.create(
      { model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'Write the report.' }] },
      { signal },
    ),
  { task: 'report', onBreak: 'restart', timeout: { attemptMs: 10_000 } },
);
for await (const chunk of stream) {
  if (chunk === STREAM_RESET) report = '';
  else report += chunk.choices[0]?.delta.content ?? '';
}
say(`   The report has ${report.length} characters: "${report}"`);

/**
 * A task that takes many tool calls. `next` stands for the model: it returns the arguments of its next call, or nothing once it
 * has an answer.
 */
async function work(
  run: Run,
  tool: string,
  execute: (args: { of: string }) => string,
  next: (step: number) => string | undefined,
): Promise<void> {
  const call = run.tool(tool, execute);
  for (let step = 1; ; step += 1) {
    const advice = run.step();
    if (advice.do !== 'go') say(`   ${run.id.slice(0, 4)}    step ${step}: ${advice.do}`);
    // The last answer, without tools.
    if (advice.do === 'stop' || advice.do === 'conclude') break;
    const of = next(step);
    if (of === undefined) break;
    const { output, metadata } = await call({ of });
    say(
      `   ${run.id.slice(0, 4)}    step ${step}: ${tool} "${of}": ${metadata.refused === true ? 'refused' : output}`,
    );
  }
  const end = run.finish();
  const how =
    end.kind === 'completed' && end.concluded !== undefined ? 'completed by a last answer' : end.kind;
  say(
    `   ${run.id.slice(0, 4)}    ${how} after ${run.spent.steps} steps and ${run.spent.toolCalls} tool calls`,
  );
}

say(
  '11. A source. The agent is lost: it searches for the same words, whatever comes back. It gets a hint, is refused, and concludes.',
);
await work(
  createRun({ name: 'research', task: 'the source of the longest river', limits: { steps: 20 } }),
  'search',
  () => 'a page about another river',
  () => 'longest river source',
);

say(
  '12. A print. The agent only looks lost: it asks for the same job again and again, but the job moves on.',
);
let printed = 0;
await work(
  createRun({ name: 'print', task: 'print the report', limits: { steps: 20 } }),
  'job_status',
  () => {
    printed += 20;
    return `${printed} of 100 pages`;
  },
  () => (printed < 100 ? 'job 7' : undefined),
);

say(`Done. ${provider.received.length} requests reached the providers.`);
await devtools.close();
await provider.close();
