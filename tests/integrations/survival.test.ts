// Agents on the real SDKs of OpenAI, Anthropic, Google and Vercel, against the provider of `halfopen/rehearse`: five things that end
// a conversation for good without a guard, and that a guard survives without a line of the agent's own. With `repair: false` and
// `answers: { empty: 'accept' }` all of it is off.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText } from 'ai';
import { AgentError, type AnswerOptions, onEvent, type RepairOptions } from 'halfopen';
import { guardCall } from 'halfopen/ai-sdk';
import { guard } from 'halfopen/guard';
import { type Rehearsal, startRehearsal } from 'halfopen/rehearse';
import OpenAI from 'openai';
import { quick } from './provider.js';

/** The application's own: it goes on from the last message. docs/recipes/shorten.md has one that keeps more. */
const shorten = (request: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(request).map(([key, value]) =>
      /^(?:input|messages|contents)$/.test(key) ? [key, (value as unknown[]).slice(-1)] : [key, value],
    ),
  );

interface Guards {
  repair: RepairOptions | boolean;
  answers?: AnswerOptions;
}
/** Sends the request, and returns the text of the answer. */
type Ask = (request: object) => Promise<string | null | undefined>;
/** The situations; each sends a request of its own. */
type Situation = 'aborted' | 'foreign' | 'long' | 'parameter' | 'plain';
interface Agent {
  /** Requests in the format of the SDK. */
  requests: Readonly<Record<Situation, object>>;
  /** The SDK itself refuses a tool call without a result, before it sends anything. */
  refusesBroken?: boolean;
  connected(env: Record<string, string | undefined>, guards: Guards): Ask;
}

const question = 'How is the weather in Bern and in Basel?';
const user = { role: 'user', content: question };
const goOn = { role: 'user', content: 'Go on.' };
/** Far beyond the limit of the scenario `context-too-long`. */
const LONG = 'Bern: 14 °C. '.repeat(12_000);
const policy = () => quick({ retry: false });

const responsesCall = (call_id: string) => ({
  ...{ type: 'function_call', call_id, name: 'weather', arguments: '{}' },
});
const responsesOutput = (call_id: string, output: string) => ({
  ...{ type: 'function_call_output', call_id, output },
});
const used = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: {} });
const resultOf = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });
const googleCall = (thoughtSignature = 'skip_thought_signature_validator') => ({
  ...{ functionCall: { name: 'weather', args: {} }, thoughtSignature },
});
const googleResult = (output: string) => ({
  functionResponse: { name: 'weather', response: { output } },
});
const asUser = (...parts: object[]) => ({ role: 'user', parts });
const asModel = (...parts: object[]) => ({ role: 'model', parts });
const sdkCall = (toolCallId: string) => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'weather', input: {} },
});
const sdkResult = (toolCallId: string, value: string) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'weather', output: { type: 'text', value } }],
});

const AGENTS: Record<string, Agent> = {
  OpenAI: {
    connected: (env, guards) => {
      const client = guard(
        new OpenAI({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL }),
        policy(),
        guards,
      );
      return async (request) =>
        (await client.responses.create({ model: 'gpt-5', ...request } as never)).output_text;
    },
    requests: {
      aborted: {
        input: [
          user,
          responsesCall('call_1'),
          responsesCall('call_2'),
          responsesOutput('call_1', '14 °C'),
          goOn,
        ],
      },
      foreign: {
        input: [
          user,
          { type: 'reasoning', id: 'rs_1', encrypted_content: 'another-provider', summary: [] },
          { role: 'assistant', content: 'It is warm.' },
          goOn,
        ],
      },
      long: {
        input: [user, responsesCall('call_1'), responsesOutput('call_1', LONG), goOn],
      },
      parameter: { input: [user], temperature: 0.2 },
      plain: { input: [user] },
    },
  },
  Anthropic: {
    connected: (env, guards) => {
      const client = guard(
        new Anthropic({ apiKey: env.ANTHROPIC_API_KEY, baseURL: env.ANTHROPIC_BASE_URL }),
        policy(),
        guards,
      );
      return async (request) => {
        const asked = { model: 'claude-3-5-haiku-latest', max_tokens: 999, ...request };
        const { content } = await client.messages.create({ ...asked, stream: false } as never);
        return (content as Anthropic.ContentBlock[])
          .map((block) => (block.type === 'text' ? block.text : ''))
          .join('');
      };
    },
    requests: {
      aborted: {
        messages: [
          user,
          { role: 'assistant', content: [used('toolu_1'), used('toolu_2')] },
          { role: 'user', content: [resultOf('toolu_1', '14 °C'), { type: 'text', text: 'Go on.' }] },
        ],
      },
      foreign: {
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Let me see.', signature: 'another-provider' },
              { type: 'text', text: 'It is warm.' },
            ],
          },
          goOn,
        ],
      },
      long: {
        messages: [
          user,
          { role: 'assistant', content: [used('toolu_1')] },
          { role: 'user', content: [resultOf('toolu_1', LONG)] },
          { role: 'assistant', content: '14 °C' },
          goOn,
        ],
      },
      parameter: { messages: [user], max_tokens: 64_000 },
      plain: { messages: [user] },
    },
  },
  Google: {
    connected: (env, guards) => {
      const httpOptions = { baseUrl: env.GOOGLE_GEMINI_BASE_URL ?? '' };
      const client = guard(
        new GoogleGenAI({ apiKey: env.GEMINI_API_KEY ?? '', httpOptions }),
        policy(),
        guards,
      );
      return async (request) =>
        (await client.models.generateContent({ model: 'gemini-3-pro', ...request } as never)).text ?? '';
    },
    requests: {
      aborted: {
        contents: [
          asUser({ text: question }),
          asModel(googleCall(), googleCall()),
          asUser(googleResult('14 °C')),
        ],
      },
      foreign: {
        contents: [
          asUser({ text: question }),
          asModel(googleCall('another-provider')),
          asUser(googleResult('14 °C')),
        ],
      },
      long: {
        contents: [
          asUser({ text: question }),
          asModel(googleCall()),
          asUser(googleResult(LONG)),
          asModel({ text: '14 °C' }),
          asUser({ text: 'Go on.' }),
        ],
      },
      parameter: { contents: [asUser({ text: question })], config: { maxOutputTokens: 100_000 } },
      plain: { contents: [asUser({ text: question })] },
    },
  },
  'AI SDK': {
    connected: (env, guards) => {
      const anthropic = createAnthropic({
        apiKey: env.ANTHROPIC_API_KEY ?? '',
        baseURL: `${env.ANTHROPIC_BASE_URL}/v1`,
      });
      return async ({ name = 'claude-opus-4-6', ...request }: { name?: string }) => {
        const options = { model: anthropic(name), maxRetries: 0, maxOutputTokens: 999, ...request };
        const { text } = await guardCall(
          policy(),
          ({ signal, repaired }) => generateText(repaired({ ...options, abortSignal: signal }) as never),
          guards,
        );
        return text;
      };
    },
    requests: {
      aborted: {
        messages: [
          user,
          { role: 'assistant', content: [sdkCall('call_1'), sdkCall('call_2')] },
          sdkResult('call_1', '14 °C'),
          goOn,
        ],
      },
      foreign: {
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              {
                ...{ type: 'reasoning', text: 'Let me see.' },
                providerOptions: { anthropic: { signature: 'another-provider' } },
              },
              { type: 'text', text: 'It is warm.' },
            ],
          },
          goOn,
        ],
      },
      long: {
        messages: [
          user,
          { role: 'assistant', content: [sdkCall('call_1')] },
          sdkResult('call_1', LONG),
          { role: 'assistant', content: '14 °C' },
          goOn,
        ],
      },
      // The AI SDK keeps the limits of the models that it knows; this one it does not.
      parameter: { name: 'claude-3-5-house', prompt: question, maxOutputTokens: 64_000 },
      plain: { prompt: question },
    },
    refusesBroken: true,
  },
};

/** Each situation: the provider's scenario, what is sent, and the remedies that mend it. */
const SITUATIONS: Record<string, [scenario: string, Situation, remedy: string]> = {
  'an abort in the middle of two parallel tool calls': ['question', 'aborted', 'pair-tool-calls'],
  'a failover with signatures of another provider': ['question', 'foreign', 'fix-reasoning'],
  'an overflow': ['context-too-long', 'long', 'shorten'],
  'a parameter that the model rejects': ['question', 'parameter', 'set-parameter'],
  'an empty answer': ['empty', 'plain', 'ask-again'],
};

async function inRehearsal<T>(scenario: string, run: (rehearsal: Rehearsal) => Promise<T>): Promise<T> {
  const rehearsal = await startRehearsal({ scenario });
  try {
    return await run(rehearsal);
  } finally {
    await rehearsal.close();
  }
}

async function repairsIn<T>(run: () => Promise<T>): Promise<{ text: T; repaired: string[] }> {
  const repaired: string[] = [];
  const stop = onEvent((event) => event.type === 'attempt.repaired' && repaired.push(event.remedy));
  try {
    return { text: await run(), repaired };
  } finally {
    stop();
  }
}

for (const [situation, [scenario, kind, remedy]] of Object.entries(SITUATIONS)) {
  describe(situation, () => {
    for (const [name, agent] of Object.entries(AGENTS)) {
      const request = agent.requests[kind];
      const isSent = kind !== 'aborted' || agent.refusesBroken !== true;

      test(`${name} answers, after one repair`, () =>
        inRehearsal(scenario, async ({ env, requests }) => {
          const before = structuredClone(request);
          const { text, repaired } = await repairsIn(() =>
            agent.connected(env, { repair: { shorten } })(request),
          );
          assert.match(String(text), /\w/);
          assert.deepEqual(repaired, [remedy]);
          assert.deepEqual(
            requests.map(({ status }) => status),
            [...(isSent ? [kind === 'plain' ? 200 : 400] : []), 200],
          );
          assert.deepEqual(request, before);
        }));

      test(`${name}: off`, () =>
        inRehearsal(scenario, async ({ env, requests }) => {
          const off: Guards = { repair: false, answers: { empty: 'accept' } };
          const { text, repaired } = await repairsIn(() =>
            agent
              .connected(
                env,
                off,
              )(request)
              .catch((error) => AgentError.from(error).code),
          );
          if (kind === 'plain') assert.equal(text ?? '', '');
          else assert.match(String(text), /^(?:VALIDATION_ERROR|CONTEXT_LENGTH_EXCEEDED)$/);
          assert.deepEqual([requests.length, repaired], [isSent ? 1 : 0, []]);
        }));
    }
  });
}
