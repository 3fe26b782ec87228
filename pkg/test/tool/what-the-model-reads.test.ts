// A tool's words reach the model that called it, also through a policy; rules, statuses and stacks do not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, createPolicies, createPolicy, formatErrorMessage, toolResult } from 'halfopen';
import { rejection } from '../policy/given.js';

const WORDS = 'no city is named Bren; did you mean Bern?';
/** A tool's error: without a status, a code or a class of a library. */
class CityError extends Error {
  readonly status = 404;
}
const throws: Record<string, () => unknown> = {
  'an Error': () => new Error(WORDS),
  'an Error with a status': () => Object.assign(new Error(WORDS), { status: 404 }),
  'an Error with a code': () => Object.assign(new Error(WORDS), { code: 'CITY_UNKNOWN' }),
  'a class of its own': () => new CityError(WORDS),
  'an AgentError': () => new AgentError('NOT_FOUND', WORDS),
  'a text': () => WORDS,
};
const policies = createPolicies({ retry: { maxRetries: 0 } });

for (const [name, thrown] of Object.entries(throws)) {
  const search = (): Promise<string> => Promise.reject(thrown());

  describe(`a tool that throws ${name}`, () => {
    test('toolResult gives the model its words', async () => {
      assert.equal((await toolResult(search)()).output, `Error: ${WORDS}`);
    });

    for (const messages of [undefined, 'provider', 'private'] as const) {
      test(`toolResult around a policy does too, with messages: ${messages}`, async () => {
        const policy = createPolicy({ retry: false, messages });
        const { output, metadata } = await toolResult(policy.wrap(search))();
        assert.deepEqual([output, metadata.error], [`Error: ${WORDS}`, WORDS]);
      });

      test(`a policy around a tool rejects with them, with messages: ${messages}`, async () => {
        const error = await rejection(createPolicy({ retry: false, messages }).wrap(search)());
        assert.equal(error.message, WORDS);
      });
    }

    test('two policies around each other change nothing', async () => {
      const inner = policies.get('inner').wrap(search);
      const outer = policies.get('outer').wrap(inner);
      assert.equal((await toolResult(outer)()).output, `Error: ${WORDS}`);
      assert.equal((await rejection(outer())).message, WORDS);
    });
  });
}

test('retries that are used up say what the last attempt said', async () => {
  let attempt = 0;
  const policy = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 } });
  const busy = () => Promise.reject(Object.assign(new Error(`busy ${++attempt}`), { status: 503 }));
  assert.equal((await toolResult(policy.wrap(busy))()).output, 'Error: busy 2');
});

test('of what a server answered the model reads the words', async () => {
  const policy = createPolicy({ retry: false });
  const body = JSON.stringify({ error: { code: 'city_unknown', message: WORDS } });
  const search = policy.wrap(async () => new Response(body, { status: 404, statusText: 'Not Found' }));
  assert.equal((await toolResult(search as never)()).output, `Error: ${WORDS}`);
  const { message } = await rejection(search());
  assert.equal(message, `HTTP 404 · city_unknown: ${WORDS}`);
});

test('where the policy gave up, the model reads why', async () => {
  const slow = createPolicy({ retry: false, timeout: { attemptMs: 5 } });
  const { output } = await toolResult(slow.wrap(() => new Promise<string>(() => {})))();
  assert.equal(output, 'Error: Attempt timed out after 5 ms');
});

test('long words are cut to 500 characters, secrets are not in them', async () => {
  const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');
  const policy = createPolicy({ retry: false });
  const fail = policy.wrap(() =>
    Promise.reject(Object.assign(new Error(`${key} ${'word '.repeat(300)}`), { status: 422 })),
  );
  for (const text of [(await toolResult(fail as never)()).output, (await rejection(fail())).message]) {
    assert.ok(text.length <= 'Error: '.length + 501, String(text.length));
    assert.ok(text.includes('[redacted]') && !text.includes(key), text);
  }
});

test('no text has the id of a rule', async () => {
  const thrown = [
    Object.assign(new Error('x'), { status: 404 }),
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('syntax error at or near "SELEC"'), { code: '42601', severity: 'ERROR' }),
    new Error('socket hang up'),
    { status: 429 },
    undefined,
  ];
  for (const one of thrown) {
    const error = AgentError.from(one);
    const texts = [
      error.message,
      String(error.metadata.technicalDetails),
      formatErrorMessage(one, { technicalDetails: true }),
      (await toolResult(() => Promise.reject(one))()).output,
      AgentError.from(one, { messages: 'private' }).message,
    ];
    for (const text of texts)
      assert.doesNotMatch(text, /\brule\b|\b(?:http|listed|net|said|text)\.[a-z0-9]/, text);
  }
});
