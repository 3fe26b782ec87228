// The reader of a message: the owner of an agent, or a visitor of one that somebody else runs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AGENT_ERROR_CODES,
  AgentError,
  classify,
  costLimit,
  createPolicies,
  createPolicy,
  ErrorNode,
  formatErrorMessage,
  getUserFriendlyMessage,
  type HalfopenEvent,
  LOCALES,
  type PolicyOptions,
  toModelResponse,
} from 'halfopen';
import { rejection } from '../policy/given.js';

const CHECK_THE_KEY =
  'OpenAI did not accept the API key. Check the key in the settings: it may be mistyped, expired or switched off.';
const CANNOT_ANSWER =
  'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.';
const wrongKey = () => Object.assign(new Error('401 no'), { status: 401, provider: 'openai' });
const refuse = () => Promise.reject(wrongKey());
const about: PolicyOptions = { retry: false, provider: 'openai' };

describe('a wrong key', () => {
  test('is the owner’s to look at, by default', () => {
    const error = AgentError.from(wrongKey());
    assert.equal(error.userMessage(), CHECK_THE_KEY);
    assert.equal(error.userMessage({ audience: 'owner' }), CHECK_THE_KEY);
    assert.equal(formatErrorMessage(wrongKey()), CHECK_THE_KEY);
  });

  test('is not a visitor’s, wherever the message is made', async () => {
    const policy = createPolicy({ ...about, audience: 'visitor' });
    const named = createPolicies({ ...about, audience: 'visitor' }).get('x');
    const thrown = await rejection(policy.execute(refuse));
    const said = {
      'userMessage of an error': AgentError.from(wrongKey()).userMessage({ audience: 'visitor' }),
      'AgentError.from': AgentError.from(wrongKey(), { audience: 'visitor' }).userMessage(),
      classify: classify(wrongKey(), { audience: 'visitor' }).userMessage,
      'classify of an AgentError': classify(AgentError.from(wrongKey()), { audience: 'visitor' }).userMessage,
      formatErrorMessage: formatErrorMessage(wrongKey(), { audience: 'visitor' }),
      toModelResponse: toModelResponse(wrongKey(), { audience: 'visitor' }).message,
      getUserFriendlyMessage: getUserFriendlyMessage('AUTHENTICATION_ERROR', {}, { audience: 'visitor' }),
      'what a policy throws': thrown.userMessage(),
      'what it throws, in its response': thrown.toResponse().message,
      respond: (await policy.respond(refuse)).message,
      createPolicies: (await named.respond(refuse)).message,
      'the last of its attempts': thrown.errors[0]?.userMessage(),
    };
    for (const [where, message] of Object.entries(said)) assert.equal(message, CANNOT_ANSWER, where);
  });

  test('is what the caller of userMessage says, over what the policy says', async () => {
    const thrown = await rejection(createPolicy({ ...about, audience: 'visitor' }).execute(refuse));
    assert.equal(thrown.userMessage({ audience: 'owner' }), CHECK_THE_KEY);
    assert.match(thrown.userMessage('de'), /^Der Assistent kann derzeit nicht antworten\./);
    assert.match(thrown.userMessage({ locale: 'fr' }), /^L’assistant ne peut pas répondre/);
  });
});

test('errors that the application or the policy made speak to the policy’s audience too', async () => {
  const events: HalfopenEvent[] = [];
  const responses: string[] = [];
  const policy = createPolicy({
    ...about,
    audience: 'visitor',
    breaker: { failureThreshold: 1 },
    onEvent: (event) => void events.push(event),
    onError: (_, { message }) => void responses.push(message),
  });
  const own = new AgentError('CONFIG_ERROR', 'DATABASE_URL is not set');
  const response = await policy.respond(() => Promise.reject(own));
  assert.equal(response.message, CANNOT_ANSWER);
  assert.deepEqual(responses, [CANNOT_ANSWER]);
  const failed = events.find((event) => event.type === 'call.failed');
  assert.equal(failed?.type === 'call.failed' && failed.userMessage, CANNOT_ANSWER);
  assert.equal(own.userMessage(), getUserFriendlyMessage('CONFIG_ERROR'), 'the error itself stays as it was');
  policy.dispose();
  const after = await policy.respond(() => 1);
  assert.equal(
    after.message,
    'The request was cancelled, because the assistant was shut down. Please try again in a moment.',
  );
});

test('a policy takes no other audience', () => {
  assert.throws(() => createPolicy({ audience: 'user' as never }), /audience.*'owner', 'visitor'/);
});

test('a message of the application’s own is everybody’s', async () => {
  const policy = createPolicy({
    ...about,
    audience: 'visitor',
    classify: () => ({ userMessage: 'Closed.' }),
  });
  assert.equal((await policy.respond(refuse)).message, 'Closed.');
});

describe('each kind of capacity', () => {
  const refusals: Record<string, (options: PolicyOptions) => Promise<AgentError>> = {
    bulkhead: (options) => {
      const policy = createPolicy({ ...options, bulkhead: { maxConcurrent: 1 } });
      void policy.execute(() => new Promise(() => {})).catch(() => {});
      return rejection(policy.execute(() => 1)).finally(() => policy.dispose());
    },
    'rate-limit': async (options) => {
      const policy = createPolicy({ ...options, rateLimit: { limit: 1, windowMs: 3_600_000 } });
      await policy.execute(() => 1);
      return rejection(policy.execute(() => 1));
    },
    cost: async (options) => {
      const policy = createPolicy(options);
      costLimit(policy, { max: 1, windowMs: 3_600_000, costOf: () => 2 });
      await policy.execute((context) => context.observe({ usage: { inputTokens: 1, outputTokens: 1 } }));
      return rejection(policy.execute(() => 1));
    },
  };
  const says: Record<string, { owner: RegExp; visitor: RegExp }> = {
    bulkhead: { owner: /^Too many requests are already under way\./, visitor: /^Too many requests/ },
    'rate-limit': {
      owner:
        /^The number of requests that may be sent in this period is used up\. Please try again in about 1 hour\.$/,
      visitor:
        /^The assistant is receiving more requests than it can answer\. Please try again in about 1 hour\.$/,
    },
    cost: {
      owner:
        /^The spending limit for the assistant’s requests is reached, so no more are sent for now\. Please try again in about 1 hour\.$/,
      visitor: /^The assistant has reached its usage limit for now\. Please try again in about 1 hour\.$/,
    },
  };
  for (const [by, refused] of Object.entries(refusals)) {
    test(`${by}: has a sentence of its own, and its event says who refused`, async () => {
      const events: HalfopenEvent[] = [];
      const options: PolicyOptions = { retry: false, onEvent: (event) => void events.push(event) };
      const error = await refused(options);
      assert.equal(error.code, 'CAPACITY_EXCEEDED');
      assert.match(error.userMessage(), says[by]?.owner as RegExp);
      assert.match(error.userMessage({ audience: 'visitor' }), says[by]?.visitor as RegExp);
      const rejected = events.find((event) => event.type === 'call.rejected');
      assert.equal(rejected?.type === 'call.rejected' && rejected.by, by);
    });
  }
});

describe('nobody is told what is not his', () => {
  const failures: Record<string, unknown> = {
    'a database': Object.assign(new Error('Connection terminated unexpectedly'), {}),
    'a refused connection': Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), {
      code: 'ECONNREFUSED',
    }),
  };
  for (const [name, thrown] of Object.entries(failures)) {
    test(`${name}: the network is not "your internet connection"`, () => {
      for (const locale of LOCALES)
        assert.doesNotMatch(formatErrorMessage(thrown, { locale }), /internet|インターネット/i);
    });
  }

  test('users who entered nothing are not asked to check their input', () => {
    const conversation = Object.assign(new Error('400'), {
      status: 400,
      headers: { 'x-request-id': 'req_0123' },
      error: {
        type: 'invalid_request_error',
        message: 'messages: tool_use ids were found without tool_result',
      },
    });
    for (const audience of ['owner', 'visitor'] as const)
      for (const provider of [undefined, 'anthropic'])
        assert.doesNotMatch(
          AgentError.from(conversation, { provider }).userMessage({ audience }),
          /what you entered/i,
        );
  });

  test('an unknown error is no list of guesses', () => {
    for (const locale of LOCALES)
      for (const audience of ['owner', 'visitor'] as const)
        assert.doesNotMatch(getUserFriendlyMessage('UNKNOWN', {}, { locale, audience }), /\n|•/);
  });

  test('no message for a visitor has several lines', () => {
    for (const code of AGENT_ERROR_CODES)
      assert.doesNotMatch(getUserFriendlyMessage(code, {}, { audience: 'visitor' }), /\n/, code);
  });
});

test('the error step of a hosted agent has no details', async () => {
  const debug: unknown[] = [];
  const node = new ErrorNode({ audience: 'visitor', onDebug: (message) => void debug.push(message) });
  const { messages, context } = await node.execute({
    errorInfo: { error: wrongKey(), capabilityName: 'search' },
  });
  assert.equal(messages[0].content, CANNOT_ANSWER);
  assert.match(String(context.classification.metadata.technicalDetails), /HTTP 401/);
  let prompt = '';
  const explaining = new ErrorNode({
    audience: 'visitor',
    complete: async (given) => {
      prompt = given;
      return 'It is closed.';
    },
  });
  const explained = await explaining.execute({ errorInfo: { error: wrongKey() } });
  assert.equal(explained.messages[0].content, `${CANNOT_ANSWER}\n\n**Analysis:** It is closed.`);
  assert.match(prompt, /Never tell them to check a key/);
  assert.ok(prompt.includes(CANNOT_ANSWER));
});
