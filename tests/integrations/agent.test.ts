// An agent of two models and a tool on the AI SDK, and everything that a provider does wrong to it: what the user reads, which
// requests went out, what the model reads of its tool, and which lines the log has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { AgentError, costLimit, createPolicies, toolResult } from 'halfopen';
import { failoverModel } from 'halfopen/ai-sdk';
import { logEvents } from 'halfopen/log';
import { type Fault, times } from '../../examples/faulty-provider/faults.js';
import { ownTime } from '../../scripts/patience.mjs';
import { given, provider, received } from './provider.js';

interface Row {
  /** The faults of the requests, one after the other. */
  faults?: Fault[];
  /** The tool. */
  weather?: (input: { city: string }) => Promise<string>;
  onBreak?: 'fail' | 'resume';
  /** The cap of this policy, or of both, is spent before the turn. */
  capped?: readonly string[];
  /** Milliseconds after which the user leaves. */
  leavesAfterMs?: number;
  /** The user's text: the answer, and the sentence behind it. */
  reads: RegExp;
  /** The models that were called. */
  asked: string[];
  /** The level of each line of the log, and what it says. */
  logs?: RegExp[];
  /** The tool's text for the model. */
  tool?: RegExp;
  /** Longer than this is too long, in milliseconds. */
  withinMs?: number;
}

const begins: Fault = { kind: 'error-in-stream', afterChunks: 4 };
const calls: Fault = { kind: 'ok', tool: { name: 'weather', input: { city: 'Bren' } } };
const thrown = (message: string, status?: number) => () =>
  Promise.reject(Object.assign(new Error(message), status === undefined ? {} : { status }));

const ROWS: Record<string, Row> = {
  'a short wait that the provider asks for': {
    faults: [{ kind: 'rate-limited', retryAfterMs: 300 }],
    ...{ reads: /^All is well\.$/, asked: ['big', 'big'], logs: [/^warn big: succeeded after 2 attempts/] },
  },
  'a long wait that the provider asks for': {
    faults: [{ kind: 'rate-limited', retryAfterSeconds: 30 }],
    ...{ reads: /^All is well\.$/, asked: ['big', 'small'], withinMs: 2_000 },
    logs: [/^info big: 'small' is tried in place of 'big', after RATE_LIMITED/],
  },
  'an error in the middle': {
    faults: [begins],
    reads: /^The first words .*is having technical problems.* Please try again in a moment\.$/,
    ...{ asked: ['big'], logs: [/^error big: failed after 1 attempt: SERVER_ERROR/] },
  },
  'an error in the middle, resumed': {
    faults: [begins, begins],
    onBreak: 'resume',
    ...{ reads: /^The first words .*All is well\.$/, asked: ['big', 'big', 'small'], withinMs: 4_000 },
    logs: [/^info big: 'small' is tried in place of 'big', after SERVER_ERROR/],
  },
  'silence before the headers': {
    faults: [{ kind: 'stall', forMs: 20_000 }],
    ...{ reads: /^All is well\.$/, asked: ['big', 'small'], withinMs: 4_000 },
    logs: [/^info big: 'small' is tried in place of 'big', after TIMEOUT/],
  },
  'a connection that is cut in the middle': {
    faults: [{ kind: 'broken-stream', afterChunks: 4 }],
    reads: /^The first words .*The answer broke off before it was complete\./,
    ...{ asked: ['big'], logs: [/^error big: failed after 1 attempt: NETWORK_ERROR/] },
  },
  "a tool that throws an error of the application's": {
    ...{ faults: [calls], weather: thrown('boom'), tool: /^Error: boom$/ },
    ...{ reads: /^All is well\.$/, asked: ['big', 'big'], logs: [/^error weather: .*UNKNOWN/] },
  },
  'a tool that finds nothing': {
    ...{ faults: [calls], weather: thrown('no city is named Bren; did you mean Bern?', 404) },
    tool: /^Error: no city is named Bren; did you mean Bern\?$/,
    ...{ reads: /^All is well\.$/, asked: ['big', 'big'], logs: [/^error weather: .*NOT_FOUND/] },
  },
  'a tool whose service is away': {
    ...{ faults: [calls], weather: thrown('the station in Bern is being serviced', 503) },
    tool: /^Error: the station in Bern is being serviced$/,
    ...{
      reads: /^All is well\.$/,
      asked: ['big', 'big'],
      logs: [/^error weather: failed after 2 attempts: SERVER_ERROR/],
    },
  },
  'a tool that hangs': {
    ...{
      faults: [calls],
      weather: () => new Promise(() => {}),
      tool: /^Error: Attempt timed out after 1500 ms$/,
    },
    ...{ reads: /^All is well\.$/, asked: ['big', 'big'], logs: [/^error weather: .*TIMEOUT/] },
  },
  'the same call of a tool without end': {
    ...{ faults: times(3, calls), reads: /^no answer within 3 steps$/, asked: ['big', 'big', 'big'] },
  },
  'an empty answer': {
    faults: [{ kind: 'ok', text: '' }],
    ...{ reads: /^All is well\.$/, asked: ['big', 'big'], logs: [/^warn big: succeeded after 2 attempts/] },
  },
  'a model that answers nothing at all': {
    faults: times(3, { kind: 'ok', text: ' ' }),
    ...{ reads: /^All is well\.$/, asked: ['big', 'big', 'big', 'small'] },
    logs: [/^info big: 'small' is tried in place of 'big', after INVALID_RESPONSE/],
  },
  'a prompt that is too long': {
    faults: [{ kind: 'context-length' }],
    reads: /^This conversation is too long for the model “big”\./,
    asked: ['big'],
    logs: [/^error big: .*CONTEXT_LENGTH_EXCEEDED/],
  },
  'a key that both refuse': {
    faults: times(2, { kind: 'unauthorized' }),
    reads: /^The assistant cannot answer right now\. Trying again does not help until the people who run it/,
    asked: ['big', 'small'],
    logs: [/^info big: 'small' is tried/, /^error small: .*AUTHENTICATION_ERROR/],
  },
  'a cap that the first model has spent': {
    ...{ capped: ['big'], reads: /^All is well\.$/, asked: ['small'] },
    logs: [/^info big: 'small' is tried in place of 'big', after CAPACITY_EXCEEDED/],
  },
  'a cap that both have spent': {
    ...{ capped: ['big', 'small'], asked: [] },
    reads: /^The assistant has reached its usage limit for now\. Please try again in about 1 hour\.$/,
    logs: [/^info big: 'small' is tried/, /^warn small: refused by the cost limit/],
  },
  'a user who leaves': {
    ...{ faults: [{ kind: 'stall', forMs: 20_000 }], leavesAfterMs: 200, reads: /^$/, asked: ['big'] },
  },
};

/** Returns the user's text of one turn. */
async function turn(options: Parameters<typeof streamText>[0]): Promise<string> {
  let text = '';
  try {
    const result = streamText({ ...options, maxRetries: 0, onError: () => {} });
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'abort') return text;
    }
    return (await result.finishReason) === 'tool-calls' ? 'no answer within 3 steps' : text;
  } catch (error) {
    return text + AgentError.from(error, { audience: 'visitor' }).userMessage();
  }
}

for (const [name, row] of Object.entries(ROWS)) {
  test(name, async () => {
    given(...(row.faults ?? []));
    const policies = createPolicies({
      audience: 'visitor',
      timeout: { attemptMs: 1_500 },
      retry: { baseDelayMs: 50, maxRetries: 1 },
    });
    const [big, small] = [policies.get('big'), policies.get('small')];
    const openai = createOpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl });
    const model = failoverModel(
      [
        { model: openai.chat('big'), policy: big },
        { model: openai.chat('small'), policy: small },
      ],
      { firstChunkTimeoutMs: 1_000, stallTimeoutMs: 1_500, onBreak: row.onBreak ?? 'fail' },
    );
    for (const capped of row.capped ?? []) {
      const policy = policies.get(capped);
      costLimit(policy, { max: 1, windowMs: 3_600_000, costOf: () => 2 });
      await policy.execute(({ observe }) => observe({ usage: { inputTokens: 1 } }));
    }
    const run = toolResult(policies.get('weather').wrap(row.weather ?? (async () => '14 °C')));
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
      execute: async (input) => (await run(input)).output,
    });
    const lines: string[] = [];
    const stop = logEvents((level, message) => lines.push(`${level} ${message}`));
    const user = new AbortController();
    if (row.leavesAfterMs !== undefined) setTimeout(() => user.abort(), row.leavesAfterMs);
    const ended = ownTime();
    const read = await turn({
      ...{ model, tools: { weather }, prompt: 'How warm is it in Bern?' },
      ...{ stopWhen: stepCountIs(3), abortSignal: user.signal },
    });
    const took = ended();
    stop();
    assert.match(read, row.reads);
    const sent = received().map(
      ({ body }) => body as { model: string; messages: { role: string; content: string }[] },
    );
    assert.deepEqual(
      sent.map((body) => body.model),
      row.asked,
    );
    if (row.tool !== undefined)
      assert.match(
        sent
          .at(-1)
          ?.messages.filter(({ role }) => role === 'tool')
          .at(-1)?.content ?? '',
        row.tool,
      );
    assert.equal(lines.length, row.logs?.length ?? 0, lines.join('\n'));
    for (const [place, line] of (row.logs ?? []).entries()) assert.match(lines[place] ?? '', line);
    assert.ok(took < (row.withinMs ?? 20_000), `${took} ms`);
    for (const policy of policies.all) policy.dispose();
  });
}
