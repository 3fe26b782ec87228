// A server's answer to its own client after a failure: the status of each code, and the problem's fields.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  AGENT_ERROR_CODES,
  AgentError,
  type AgentErrorCode,
  createPolicy,
  httpStatusOf,
  toHttpResponse,
} from 'halfopen';
import { rejection } from '../policy/given.js';

const limited = (seconds: string) =>
  Object.assign(new Error('slow down, org-1234'), { status: 429, headers: { 'retry-after': seconds } });

describe('httpStatusOf', () => {
  const table: Record<number, AgentErrorCode[]> = {
    503: ['RATE_LIMITED', 'PROVIDER_OVERLOADED', 'CIRCUIT_OPEN', 'CAPACITY_EXCEEDED'],
    504: ['TIMEOUT'],
    502: ['NETWORK_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE'],
    413: ['CONTEXT_LENGTH_EXCEEDED'],
    422: ['CONTENT_FILTERED', 'MAX_ITERATIONS_EXCEEDED'],
    409: ['CONFLICT', 'ALREADY_EXISTS'],
    499: ['CANCELLED'],
  };

  test('every code has its status, and what is not in the table is 500', () => {
    for (const code of AGENT_ERROR_CODES) {
      const row = Object.entries(table).find(([, codes]) => codes.includes(code));
      assert.equal(httpStatusOf(code), Number(row?.[0] ?? 500), code);
    }
  });

  test('the page for servers has the same table', () => {
    const page = readFileSync(new URL('../../../docs/guides/server.md', import.meta.url), 'utf8');
    for (const [status, codes] of Object.entries(table))
      assert.match(page, new RegExp(`^\\| ${codes.join(', ')} \\| ${status}\\b`, 'm'));
  });

  test('something that is no code is a TypeError', () => {
    for (const code of ['TIME_OUT', undefined, 429, '__proto__'])
      assert.throws(() => httpStatusOf(code as AgentErrorCode), {
        name: 'TypeError',
        message: /'code' must be an AgentErrorCode, got/,
      });
  });
});

describe('toHttpResponse', () => {
  test('a problem with the status, the wait, the code and the sentence for a visitor, and nothing else', async () => {
    const policy = createPolicy({ retry: false, provider: 'openai' });
    const response = toHttpResponse(await rejection(policy.execute(() => Promise.reject(limited('19.2')))));
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('retry-after'), '20', 'whole seconds, rounded up');
    assert.deepEqual(await response.json(), {
      title: 'Service Unavailable',
      status: 503,
      detail: 'Too many requests were sent to OpenAI in a short time. Please try again in about 20 seconds.',
      code: 'RATE_LIMITED',
      retryAfterMs: 19_200,
    });
  });

  test('without a known wait there is no Retry-After; no wait at all is one of 0 seconds', async () => {
    const unknown = toHttpResponse(new AgentError('TIMEOUT', 'x'));
    assert.equal(unknown.headers.has('retry-after'), false);
    assert.equal('retryAfterMs' in (await unknown.json()), false);
    const none = toHttpResponse(new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 0 }));
    assert.equal(none.headers.get('retry-after'), '0');
  });

  test('the reader is a visitor, whoever the policy addresses, unless the options say otherwise', async () => {
    const wrongKey = Object.assign(new Error('Incorrect API key'), { status: 401 });
    const policy = createPolicy({ retry: false, provider: 'openai', audience: 'owner' });
    const error = await rejection(policy.execute(() => Promise.reject(wrongKey)));
    const detailOf = async (response: Response) => (await response.json()).detail;
    assert.match(await detailOf(toHttpResponse(error)), /^The assistant cannot answer right now\./);
    assert.match(await detailOf(toHttpResponse(error, { locale: 'de-AT' })), /^Der Assistent kann/);
    assert.match(
      await detailOf(toHttpResponse(error, { audience: 'owner' })),
      /Check the key in the settings/,
    );
    assert.equal(await detailOf(toHttpResponse(wrongKey)), await detailOf(toHttpResponse(error)));
  });

  test('the status may be given, or be decided by the error; its phrase is the title', async () => {
    const missing = new AgentError('NOT_FOUND', 'no such customer');
    const own = toHttpResponse(missing, {
      status: ({ code }) => (code === 'NOT_FOUND' ? 404 : httpStatusOf(code)),
    });
    assert.deepEqual([own.status, (await own.json()).title], [404, 'Not Found']);
    for (const [status, title] of [
      [429, 'Too Many Requests'],
      [418, 'Bad Request'],
      [529, 'Internal Server Error'],
    ] as const) {
      const given = toHttpResponse(missing, { status });
      assert.deepEqual([given.status, (await given.json()).title], [status, title]);
    }
  });

  test('anything that was thrown has a problem', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const thrown of [undefined, null, 'boom', new Error('boom'), {}, proxy]) {
      const response = toHttpResponse(thrown);
      assert.equal(response.status, 500);
      const { title, code, detail } = await response.json();
      assert.deepEqual([title, code], ['Internal Server Error', 'UNKNOWN']);
      assert.doesNotMatch(detail, /boom/);
    }
  });

  test("a framework's redirect passes through as it was thrown", () => {
    const redirect = Object.assign(new Error('NEXT_REDIRECT'), {
      digest: 'NEXT_REDIRECT;replace;/login;307;',
    });
    assert.throws(
      () => toHttpResponse(redirect),
      (thrown) => thrown === redirect,
    );
  });

  test('a wrong option is a TypeError that says what was expected', () => {
    const error = new AgentError('TIMEOUT', 'x');
    const wrong: [object, RegExp][] = [
      [{ status: 200 }, /option 'status'.*a status from 400 to 599/],
      [{ status: 503.5 }, /option 'status'/],
      [{ status: () => 99 }, /'status\(\)'.*a status from 400 to 599/],
      [{ audience: 'user' }, /'owner', 'visitor'/],
      [{ statuscode: 503 }, /did you mean 'status'/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => toHttpResponse(error, options), { name: 'TypeError', message });
  });
});
