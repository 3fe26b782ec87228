// One list of answers, every guard of a model, whole and streamed, under the real SDKs: the same answer has the same verdict.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { OpenAIChatCompletionsModel, setTracingDisabled, withTrace } from '@openai/agents';
import { generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool, wrapLanguageModel } from 'ai';
import { AgentError, type AnswerOptions, classify } from 'halfopen';
import { failoverModel, guardCall, guardMiddleware } from 'halfopen/ai-sdk';
import { answerFetch, guard } from 'halfopen/guard';
import { guardAgent } from 'halfopen/langchain';
import { guardModel } from 'halfopen/openai-agents';
import { createAgent } from 'langchain';
import OpenAI from 'openai';
import { quick } from './provider.js';

setTracingDisabled(true);

/** An answer of chat completions: the message, and why it ended. */
interface Answer {
  message: Record<string, unknown>;
  finish: string | null;
}

const call = (args: string) => ({
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'search', arguments: args } }],
});

/** How a verdict is written here: the code, whether it is retried, and the remedy. */
const EMPTY = 'INVALID_RESPONSE retried ask-again:empty';
const ANSWERS: Record<string, Answer & { verdict: string; strict?: string }> = {
  text: { message: { content: 'Paris' }, finish: 'stop', verdict: 'answer' },
  'a tool call': { message: call('{"for":"tea"}'), finish: 'tool_calls', verdict: 'answer' },
  nothing: { message: { content: '' }, finish: 'stop', verdict: EMPTY },
  'white space': { message: { content: ' \n' }, finish: 'stop', verdict: EMPTY },
  'nothing, filtered': {
    message: { content: '' },
    finish: 'content_filter',
    verdict: 'CONTENT_FILTERED other-model:filtered',
  },
  'nothing, cut off': {
    message: { content: '' },
    finish: 'length',
    verdict: 'INVALID_RESPONSE raise-output-limit',
  },
  'a refusal': {
    message: { content: null, refusal: 'I cannot help with that.' },
    finish: 'stop',
    verdict: 'answer',
    strict: 'CONTENT_FILTERED other-model:refused',
  },
  'text, filtered': {
    message: { content: 'The' },
    finish: 'content_filter',
    verdict: 'answer',
    strict: 'CONTENT_FILTERED other-model:filtered',
  },
  'text, cut off': {
    message: { content: 'The' },
    finish: 'length',
    verdict: 'answer',
    strict: 'INVALID_RESPONSE raise-output-limit',
  },
  'a broken tool call': {
    message: call('{"for":"te'),
    finish: 'tool_calls',
    verdict: 'INVALID_RESPONSE retried ask-again:invalid-arguments',
  },
  'a tool call that is cut off': {
    message: call('{"for":"te'),
    finish: 'length',
    verdict: 'INVALID_RESPONSE retried raise-output-limit',
  },
  'no reason for the end': { message: { content: 'Par' }, finish: null, verdict: 'INVALID_RESPONSE retried' },
};

const STRICT: AnswerOptions = { refused: 'fail', filtered: 'fail', truncated: 'fail' };
const LENIENT: AnswerOptions = { empty: 'accept', brokenToolCall: 'accept' };

const PARIS: Answer = { message: { content: 'Paris' }, finish: 'stop' };

/** A `fetch` that stands for the provider: every request gets this answer, whole or as a stream. */
function sending({ message, finish }: Answer): { send: typeof fetch; sent: () => number } {
  let sent = 0;
  const send: typeof fetch = async (_input, init) => {
    const { stream, messages } = JSON.parse(String(init?.body)) as {
      stream?: boolean;
      messages: { role: string }[];
    };
    // An agent has run the tool, and goes on.
    const isAfterTool = messages.at(-1)?.role === 'tool';
    if (isAfterTool && message.tool_calls !== undefined) return sending(PARIS).send(_input, init);
    sent++;
    const base = { id: 'x', created: 1, model: 'gpt-5-mini' };
    if (stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
      return Response.json({ ...base, object: 'chat.completion', choices });
    }
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const calls = (message.tool_calls as object[] | undefined)?.map((one, index) => ({ index, ...one }));
    const body = [
      chunk({ role: 'assistant', content: '' }, null),
      chunk({ ...message, ...(calls && { tool_calls: calls }) }, null),
      chunk({}, finish),
      'data: [DONE]\n\n',
    ];
    return new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
  };
  return { send, sent: () => sent };
}

type Run = (send: typeof fetch, answers: AnswerOptions) => Promise<unknown>;

const messages = [{ role: 'user' as const, content: 'Where?' }];
const policy = () => quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
const off = { repair: false } as const;
const search = tool({ inputSchema: jsonSchema<object>({ type: 'object' }) });
const sdk = (send: typeof fetch) => createOpenAI({ apiKey: 'sk-test', fetch: send }).chat('gpt-5-mini');
const asked = { prompt: 'Where?', tools: { search } as unknown as ToolSet, maxRetries: 0 };
const client = (send: typeof fetch) => new OpenAI({ apiKey: 'sk-test', fetch: send, maxRetries: 0 });
const request = { model: 'gpt-5-mini', messages };
const read = async (stream: AsyncIterable<unknown>) => {
  for await (const _ of stream);
};
/** A stream of the AI SDK, whose failure is in its promises and parts. */
const readText = async (result: { fullStream: AsyncIterable<{ type: string; error?: unknown }> }) => {
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
};

const GUARDS: Record<string, { whole?: Run; streamed?: Run }> = {
  guard: {
    whole: (send, answers) =>
      guard(client(send), policy(), { answers, ...off }).chat.completions.create(request),
    streamed: async (send, answers) =>
      read(
        await guard(client(send), policy(), { answers, ...off }).chat.completions.create({
          ...request,
          stream: true,
        }),
      ),
  },
  answerFetch: {
    whole: (send, answers) =>
      client(answerFetch(policy(), { answers, ...off }, send)).chat.completions.create(request),
    streamed: async (send, answers) =>
      read(
        await client(answerFetch(policy(), { answers, ...off }, send)).chat.completions.create({
          ...request,
          stream: true,
        }),
      ),
  },
  guardMiddleware: {
    whole: (send, answers) =>
      generateText({
        model: wrapLanguageModel({
          model: sdk(send),
          middleware: guardMiddleware(policy(), { answers, ...off }),
        }),
        ...asked,
      }),
    streamed: (send, answers) =>
      readText(
        streamText({
          model: wrapLanguageModel({
            model: sdk(send),
            middleware: guardMiddleware(policy(), { answers, ...off }),
          }),
          ...asked,
          onError: () => {},
        }),
      ),
  },
  failoverModel: {
    whole: (send, answers) =>
      generateText({
        model: failoverModel([{ model: sdk(send), policy: policy() as never }], { answers, ...off }),
        ...asked,
      }),
    streamed: (send, answers) =>
      readText(
        streamText({
          model: failoverModel([{ model: sdk(send), policy: policy() as never }], { answers, ...off }),
          ...asked,
          onError: () => {},
        }),
      ),
  },
  guardCall: {
    whole: (send, answers) =>
      guardCall(policy(), ({ signal }) => generateText({ model: sdk(send), ...asked, abortSignal: signal }), {
        answers,
      }),
    streamed: (send, answers) =>
      readText(
        guardCall(
          policy(),
          ({ signal }) => streamText({ model: sdk(send), ...asked, abortSignal: signal, onError: () => {} }),
          { answers },
        ),
      ),
  },
  guardModel: {
    whole: (send, answers) => withTrace('test', () => agentsModel(send, answers).getResponse(agentsRequest)),
    streamed: (send, answers) =>
      withTrace('test', () => read(agentsModel(send, answers).getStreamedResponse(agentsRequest))),
  },
  guardAgent: {
    whole: (send, answers) =>
      createAgent({
        model: new ChatOpenAI({
          apiKey: 'sk-test',
          model: 'gpt-5-mini',
          maxRetries: 0,
          configuration: { fetch: send },
        }) as never,
        tools: [],
        middleware: [guardAgent({ model: policy() as never, answers })],
      }).invoke({ messages }),
  },
};
const agentsModel = (send: typeof fetch, answers: AnswerOptions) =>
  guardModel(new OpenAIChatCompletionsModel(client(send) as never, 'gpt-5-mini'), policy(), { answers });
const agentsRequest = {
  input: 'Where?',
  modelSettings: {},
  tools: [],
  outputType: 'text',
  handoffs: [],
  tracing: false,
} as never;

/** The verdict, and how many requests went out for it. */
async function verdictOf(run: Run, answer: Answer, answers: AnswerOptions): Promise<string> {
  const { send, sent } = sending(answer);
  const thrown = await run(send, answers).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown === undefined) return sent() === 1 ? 'answer' : `answer after ${sent()}`;
  const { code, retryable, remedy } = AgentError.from(thrown);
  assert.equal(classify(thrown).code, code);
  const because = remedy !== undefined && 'because' in remedy ? `:${remedy.because}` : '';
  return `${code}${retryable ? ' retried' : ''}${remedy === undefined ? '' : ` ${remedy.kind}${because}`}`;
}

/** Differences of the SDKs, not of the guards. */
const EXCEPT: Record<string, readonly string[]> = {
  // LangChain leaves out that there is no reason, and a refusal's words.
  guardAgent: ['no reason for the end', 'a refusal'],
  // The Agents SDK throws for it before a guard sees it.
  guardModel: ['nothing, cut off'],
};

for (const [guarded, runs] of Object.entries(GUARDS)) {
  describe(guarded, () => {
    for (const [how, run] of Object.entries(runs)) {
      for (const [name, answer] of Object.entries(ANSWERS)) {
        if (EXCEPT[guarded]?.includes(name)) continue;
        test(`${how}, ${name}`, async () => {
          const { verdict, strict = verdict } = answer;
          assert.equal(await verdictOf(run, answer, {}), verdict);
          assert.equal(await verdictOf(run, answer, STRICT), strict, 'strict');
          const lenient = name === 'no reason for the end' ? verdict : 'answer';
          assert.equal(await verdictOf(run, answer, LENIENT), lenient, 'lenient');
        });
      }
    }
  });
}

test('an empty answer is retried, whole and streamed; nothing of it reaches the application', async () => {
  for (const stream of [false, true]) {
    const { send, sent } = sending({ message: { content: '' }, finish: 'stop' });
    const good = sending({ message: { content: 'Paris' }, finish: 'stop' });
    const flaky: typeof fetch = (input, init) => (sent() === 0 ? send : good.send)(input, init);
    const model = wrapLanguageModel({ model: sdk(flaky), middleware: guardMiddleware(policy(), off) });
    const text = stream
      ? await streamText({ model, ...asked }).text
      : (await generateText({ model, ...asked })).text;
    assert.deepEqual([text, sent(), good.sent()], ['Paris', 1, 1]);
  }
});

test("after a tool's result an empty answer is asked for once more, and then it stands", async () => {
  const { send, sent } = sending({ message: { content: '' }, finish: 'stop' });
  const after = [
    ...messages,
    { role: 'assistant' as const, content: null, tool_calls: call('{}').tool_calls },
    { role: 'tool' as const, tool_call_id: 'call_1', content: 'done' },
  ];
  const answer = await guard(client(send), policy(), off).chat.completions.create({
    ...request,
    messages: after,
  } as never);
  assert.deepEqual([(answer as { choices: unknown[] }).choices.length, sent()], [1, 2]);
});

for (const stream of [false, true]) {
  test(`a call whose tools have run is not made again for an empty end, ${stream ? 'streamed' : 'whole'}`, async () => {
    const asking = sending({ message: call('{}'), finish: 'tool_calls' });
    const empty = sending({ message: { content: '' }, finish: 'stop' });
    let sent = 0;
    const model = sdk((input, init) => (sent++ === 0 ? asking.send : empty.send)(input, init));
    let runs = 0;
    const tools = {
      search: tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => `run ${++runs}` }),
    };
    const settings = { model, prompt: 'Where?', tools, stopWhen: stepCountIs(3), maxRetries: 0 };
    const text = stream
      ? guardCall(policy(), ({ signal }) => streamText({ ...settings, abortSignal: signal, onError() {} }))
          .text
      : guardCall(policy(), ({ signal }) => generateText({ ...settings, abortSignal: signal })).then(
          (result) => result.text,
        );
    assert.deepEqual([await text, runs, sent], ['', 1, 2]);
  });
}

test('a body with an error under status 200 is a failure, also where everything is accepted', async () => {
  let sent = 0;
  const send: typeof fetch = async () => {
    sent++;
    return Response.json({ error: { message: 'Overloaded', type: 'server_error', code: 'server_error' } });
  };
  const accepting: AnswerOptions = { ...LENIENT, refused: 'accept', filtered: 'accept', truncated: 'accept' };
  const guarded = guard(client(send), policy(), { answers: accepting, ...off });
  const error = AgentError.from(await guarded.chat.completions.create(request).catch((thrown) => thrown));
  assert.deepEqual([error.code, sent], ['SERVER_ERROR', 2]);
});

test('wrong options are TypeErrors that name them', () => {
  const { send } = sending({ message: { content: 'x' }, finish: 'stop' });
  const wrong = { answers: { empty: 'retry' } } as never;
  for (const make of [
    () => guard(client(send), policy(), wrong),
    () => answerFetch(policy(), wrong),
    () => guardMiddleware(policy(), wrong),
    () => guardCall(policy(), () => undefined, wrong),
    () => guardAgent(wrong),
  ])
    assert.throws(make, { name: 'TypeError', message: /answers\.empty/ });
});
