// The message for a user, for any thrown value.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AGENT_ERROR_CODES,
  AgentError,
  createPolicy,
  EmptyResponseError,
  formatErrorMessage,
  getUserFriendlyMessage,
  LOCALES,
  NoCandidatesError,
  ResponseValidationError,
  redact,
  ToolExecutionError,
} from 'halfopen';

/** Invented, and put together here so that no scanner takes this file for a leak. */
const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');

describe('getUserFriendlyMessage', () => {
  test('the good example of the error architecture: who, what, and what to do', () => {
    const message = getUserFriendlyMessage('AUTHENTICATION_ERROR', { provider: 'openai', statusCode: 401 });
    assert.match(message, /OpenAI/);
    assert.match(message, /Check the key in the settings/);
  });

  test('never the bad example: no codes, no numbers, no addresses', () => {
    const thrown = Object.assign(new Error('ECONNREFUSED: connection refused at 127.0.0.1:443'), {
      code: 'ECONNREFUSED',
    });
    for (const locale of LOCALES) {
      const message = formatErrorMessage(thrown, { locale });
      assert.ok(!/ECONN|127\.0|443|refused/.test(message), message);
    }
  });

  for (const code of AGENT_ERROR_CODES) {
    test(`${code}: with and without metadata, in every language`, () => {
      const said = new Set<string>();
      for (const locale of LOCALES) {
        for (const metadata of [
          undefined,
          {},
          { provider: 'openai', model: 'gpt-4o', statusCode: 429, retryAfter: 432, requestId: 'req_1' },
        ]) {
          const message = getUserFriendlyMessage(code, metadata, { locale });
          assert.ok(
            message.length > 10 &&
              !message.includes(code) &&
              !message.includes('429') &&
              !message.includes('req_1'),
            message,
          );
          said.add(message);
        }
        assert.equal(
          getUserFriendlyMessage(code, {}, { locale }),
          getUserFriendlyMessage(code, undefined, { locale }),
        );
      }
      assert.ok(said.size >= LOCALES.length);
    });
  }

  test('several lines with causes and steps for INVALID_RESPONSE', () => {
    const lines = getUserFriendlyMessage('INVALID_RESPONSE').split('\n');
    assert.ok(lines.filter((line) => line.startsWith('• ')).length >= 5);
  });

  test('fractions of a second, nonsense and eternity', () => {
    const said = (retryAfter: unknown) =>
      getUserFriendlyMessage('RATE_LIMITED', { retryAfter: retryAfter as number });
    assert.match(said(0.2), /in about 1 second\./);
    for (const none of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '7', null, undefined])
      assert.match(said(none), /in a moment\./);
  });

  test('an invalid code is a TypeError, an unknown locale is English', () => {
    assert.throws(() => getUserFriendlyMessage('nope' as never), TypeError);
    assert.equal(
      getUserFriendlyMessage('CANCELLED', {}, { locale: 'tlh' }),
      getUserFriendlyMessage('CANCELLED'),
    );
    assert.equal(
      getUserFriendlyMessage('CANCELLED', {}, { locale: 7 as never }),
      getUserFriendlyMessage('CANCELLED'),
    );
  });

  test('secrets in metadata are left out', () => {
    const message = getUserFriendlyMessage('MODEL_NOT_FOUND', { provider: key, model: key });
    assert.ok(!message.includes(key), message);
  });
});

describe('formatErrorMessage', () => {
  test('takes anything and never throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const thrown of [
      null,
      undefined,
      '',
      'x',
      0,
      Number.NaN,
      1n,
      Symbol('s'),
      {},
      [],
      () => {},
      proxy,
      new Error('x'),
      new AggregateError([]),
    ]) {
      for (const options of [undefined, {}, { locale: 'de' }, { technicalDetails: true }]) {
        assert.ok(formatErrorMessage(thrown, options).length > 10);
      }
    }
  });

  test('an empty response is explained in several lines, with its reason', () => {
    for (const error of [
      new EmptyResponseError('no candidates in response'),
      new NoCandidatesError('no candidates in response'),
    ]) {
      assert.equal(
        formatErrorMessage(error),
        [
          'The AI service sent back an empty answer. This can happen if:',
          '• the request was unclear or asked for too much at once',
          '• the safety rules of the service held the answer back',
          '• the service was busy or had a brief internal problem',
          '• a limit on requests or usage was reached',
          '',
          'What you can do:',
          '• Say in other words what you would like',
          '• Split a big task into smaller steps',
          '• Try again in a moment',
          '',
          'Technical details: no candidates in response',
        ].join('\n'),
      );
    }
    for (const locale of LOCALES)
      assert.match(formatErrorMessage(new EmptyResponseError('why'), { locale }), /why$/);
  });

  test('an invalid one with what was expected and what came', () => {
    const message = formatErrorMessage(new ResponseValidationError('candidates attribute', 'string'));
    assert.match(message, /^The service sent an answer that could not be understood\./);
    assert.match(message, /\nExpected: candidates attribute\nReceived: string$/);
  });

  test('a tool is named', () => {
    assert.match(
      formatErrorMessage(new ToolExecutionError('web_search', 'boom')),
      /^The tool “web_search” could not finish/,
    );
  });

  test('technicalDetails appends what an engineer needs, redacted', () => {
    const error = new AgentError('IO_ERROR', 'x', {
      metadata: { technicalDetails: `disk full\n for ${key} of jane@example.com` },
    });
    assert.ok(!formatErrorMessage(error).includes('disk'));
    assert.match(
      formatErrorMessage(error, { technicalDetails: true, locale: 'fr' }),
      /\n\nDétails techniques\u00a0: disk full for \[redacted\] of \[redacted\]$/,
    );
  });

  test('technicalDetails of a generic failure have its class and its text, redacted', () => {
    class AttributeError extends Error {}
    const detailsOf = (thrown: unknown) =>
      formatErrorMessage(thrown, { technicalDetails: true }).split('Technical details: ')[1] ?? '';
    assert.equal(detailsOf(new AttributeError('Missing attribute')), 'AttributeError: Missing attribute');
    assert.match(detailsOf(new TypeError(`no ${key}`)), /^TypeError: no \[redacted\]( |$)/);
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    assert.match(detailsOf(refused), /^Error: connect ECONNREFUSED\b/);
    assert.match(detailsOf('boom'), /^boom\b/);
    const hostile = new Error('boom');
    Object.defineProperty(hostile, 'name', {
      get() {
        throw new Error('no');
      },
    });
    assert.match(detailsOf(hostile), /^boom\b/);
  });

  test("the provider's words are not shown", () => {
    const thrown = Object.assign(new Error(`429 You said "CANARYPROMPT" with ${key}`), { status: 429 });
    for (const technicalDetails of [false, true]) {
      const message = formatErrorMessage(thrown, { technicalDetails });
      assert.ok(!message.includes('CANARYPROMPT') && !message.includes(key), message);
    }
  });
});

describe('userMessage', () => {
  test('is in the language that the error was classified for, unless another is requested', () => {
    const error = AgentError.from(Object.assign(new Error('x'), { status: 503 }), {
      locale: 'de-AT',
      provider: 'mistral',
    });
    assert.match(error.userMessage(), /^Mistral AI hat gerade technische Probleme/);
    assert.match(error.userMessage('en'), /^Mistral AI is having technical problems/);
  });

  test("an application's own words outrank the catalogue, in every language, and are redacted too", async () => {
    const policy = createPolicy({ retry: false, classify: () => ({ userMessage: `Ask Jane (${key})` }) });
    const error = await policy
      .execute(() => Promise.reject(new Error('x')))
      .then(
        () => undefined,
        (e: AgentError) => e,
      );
    assert.equal(error?.userMessage(), 'Ask Jane ([redacted])');
    assert.equal(error?.userMessage('de'), 'Ask Jane ([redacted])');
    policy.dispose();
  });

  test("an empty response's message for people has no technical details", () => {
    assert.match(new EmptyResponseError('no text in response').userMessage(), /Try again in a moment$/);
  });
});

describe('redact', () => {
  test('is a function of text only', () => {
    assert.equal(redact('plain'), 'plain');
    assert.throws(() => redact(undefined as never), {
      name: 'TypeError',
      message: /expected a string, got undefined/,
    });
  });

  test('megabytes take no time to speak of, lone surrogates no exception', () => {
    assert.ok(redact('x '.repeat(1_000_000)).length === 2_000_000);
    assert.equal(redact(`\ud800 ${key} \udfff`).includes(key), false);
  });
});
