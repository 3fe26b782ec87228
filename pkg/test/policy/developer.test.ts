// Failures that reach the developer: faults of the program, errors that no rule recognises, mistakes in the options.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AgentError,
  type AgentErrorResponse,
  type Classification,
  createErrorContext,
  createPolicy,
  formatErrorMessage,
  type HalfopenEvent,
  isAgentError,
  LOCALES,
  type PolicyOptions,
  renderReport,
  toolResult,
} from 'halfopen';
import { LineWriter } from '../../src/devtools/line.js';
import { fatal, onVirtualClock, rejection, retryable } from './given.js';

/** Put together here, so that no scanner takes this file for a leak. */
const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');

const undefinedThing = undefined as unknown as { foo: { bar: string } };
const faults: Record<string, { fault: () => unknown; says: string }> = {
  TypeError: {
    fault: function readsUndefined() {
      return undefinedThing.foo;
    },
    says: "Cannot read properties of undefined (reading 'foo')",
  },
  ReferenceError: {
    fault: function callsNobody() {
      // @ts-expect-error: that is the fault.
      return timeoutOfNobody();
    },
    says: 'timeoutOfNobody is not defined',
  },
  RangeError: {
    fault: function allocatesLess() {
      return new Array(-1);
    },
    says: 'Invalid array length',
  },
};

/** The engine's errors for values that its own functions refuse. */
const refusals: Record<string, () => unknown> = {
  'a date': () => new Date(Number.NaN).toISOString(),
  'a number of digits': () => (1).toFixed(1000),
  'a count': () => 'x'.repeat(-1),
  'a length': () => new Uint8Array(-1),
  'a BigInt of NaN': () => BigInt(Number.NaN),
  'a BigInt as JSON': () => JSON.stringify(1n),
  'a key': () => new WeakMap().set(1 as never, 1),
  'an empty list': () => ([] as number[]).reduce((sum, one) => sum + one),
  'a symbol': () => `${Symbol('x') as never}`,
  'a time zone': () => new Intl.DateTimeFormat('en', { timeZone: 'Mars/Olympus' }),
};

describe('a fault of the program', () => {
  for (const [name, fault] of Object.entries(refusals)) {
    test(`${name} that a built-in function refuses: is UNKNOWN and critical`, async () => {
      const error = await rejection(createPolicy().execute(fault));
      assert.deepEqual([error.code, error.severity, error.attempts], ['UNKNOWN', 'critical', 1]);
    });
  }

  for (const [name, { fault, says }] of Object.entries(faults)) {
    test(`${name}: is UNKNOWN and critical, not retried, and the response has it`, async () => {
      const policy = createPolicy({
        retry: { retryOn: ['llm_failed', 'network', 'timeout', 'tool_failed'] },
      });
      const response = await policy.respond(fault);
      assert.ok(isAgentError(response));
      const cause = (response as AgentErrorResponse).cause;
      assert.ok(AgentError.is(cause));
      assert.deepEqual(
        [cause.code, cause.severity, cause.retryable, cause.attempts],
        ['UNKNOWN', 'critical', false, 1],
      );
      assert.equal(cause.message, says);
      assert.equal((cause.cause as Error).constructor.name, name);
      assert.match(String(cause.stack), new RegExp(`at .*${fault.name}.*developer\\.test`));
      assert.ok(!Object.keys(response).includes('cause'), 'the cause is not enumerable');
      assert.ok(!JSON.stringify(response).includes(says), 'the cause is not serialised');
    });

    test(`${name}: attempt.failed has class, message and frame, and so has its line`, async () => {
      const events: HalfopenEvent[] = [];
      const policy = createPolicy({ onEvent: (event) => void events.push(event) });
      await policy.respond(fault);
      const failed = events.find((event) => event.type === 'attempt.failed');
      assert.ok(failed?.type === 'attempt.failed');
      assert.deepEqual([failed.errorClass, failed.message], [name, says]);
      assert.match(
        String(failed.frame),
        new RegExp(`^(?:Object\\.)?${fault.name} \\(.*developer\\.test\\.ts:\\d+:\\d+\\)$`),
      );
      assert.equal(failed.rule, 'program.error');
      const line = JSON.parse(String(new LineWriter().write(failed))) as Record<string, unknown>;
      assert.deepEqual([line.errorClass, line.message, line.frame], [name, says, failed.frame]);
    });
  }

  test('an application that is built into dist/esm of a package of its own keeps its frames', async () => {
    const own = 'charge (/srv/shop/pkg/dist/esm/charge.js:3:5)';
    const fault = new TypeError('x is undefined');
    // The frame that is left out is this package's.
    fault.stack = `TypeError: x is undefined\n    at run (/srv/node_modules/halfopen/dist/esm/chunk-A.js:1:2)\n    at ${own}\n    at main (/srv/shop/main.js:1:1)`;
    const events: HalfopenEvent[] = [];
    const policy = createPolicy({ onEvent: (event) => void events.push(event) });
    await policy.respond(() => Promise.reject(fault));
    const failed = events.find((event) => event.type === 'attempt.failed');
    assert.equal(failed?.type === 'attempt.failed' && failed.frame, own);
  });

  test('no language describes it as a problem of the network', () => {
    const network =
      /network|internet|connect|netz|verbindung|réseau|connexion|\bred\b|conexión|ネットワーク|インターネット|接続|网络|连接/i;
    for (const locale of LOCALES) {
      const message = formatErrorMessage(new TypeError('x is not a function'), { locale });
      assert.doesNotMatch(message, network, locale);
    }
  });

  test('onError has it too, of a call and of a tool', async () => {
    const causes: unknown[] = [];
    const policy = createPolicy({ onError: (_, error) => causes.push(error.cause?.cause) });
    const thrown = new TypeError('x');
    const fail = (): never => {
      throw thrown;
    };
    await policy.respond(fail);
    await toolResult(fail, { onError: (error) => causes.push(error.cause?.cause) })();
    assert.deepEqual(causes, [thrown, thrown]);
  });

  test('its message is redacted, and cut to 200 characters', async () => {
    const events: HalfopenEvent[] = [];
    const policy = createPolicy({ onEvent: (event) => void events.push(event) });
    await policy.respond(() => {
      throw new TypeError(`${key} is not a function ${'very '.repeat(100)}`);
    });
    const failed = events.find((event) => event.type === 'attempt.failed');
    assert.ok(failed?.type === 'attempt.failed');
    assert.match(String(failed.message), /^\[redacted\] is not a function very .*…$/);
    assert.equal(failed.message?.length, 200);
    assert.ok(!JSON.stringify(events).includes(key));
  });

  test('a sentence of a library, thrown as a TypeError, is in the event as well, whatever code it comes to', async () => {
    const events: HalfopenEvent[] = [];
    const policy = createPolicy({ onEvent: (event) => void events.push(event) });
    const response = await policy.respond(() => {
      throw new TypeError(`limit must be a positive number, got ${key}`);
    });
    assert.equal(!response.success && response.error, 'VALIDATION_ERROR');
    const failed = events.find((event) => event.type === 'attempt.failed');
    assert.ok(failed?.type === 'attempt.failed');
    assert.deepEqual(
      [failed.errorClass, failed.message],
      ['TypeError', 'limit must be a positive number, got [redacted]'],
    );
  });

  /** A provider's response, as its SDK throws it. */
  const answered = (): Error =>
    Object.assign(new Error('400 your prompt about elephants'), {
      status: 400,
      headers: { 'x-request-id': 'req_0123' },
      error: { type: 'invalid_request_error', message: 'your prompt about elephants' },
    });
  const failedWith = async (options: PolicyOptions<never>) => {
    const events: HalfopenEvent[] = [];
    const policy = createPolicy({ retry: false, ...options, onEvent: (event) => void events.push(event) });
    await policy.respond(() => Promise.reject(answered()));
    const failed = events.find((event) => event.type === 'attempt.failed');
    assert.ok(failed?.type === 'attempt.failed');
    return { events, failed };
  };

  test("a provider's words are in attempt.failed.message, and in no other field of an event", async () => {
    const { events, failed } = await failedWith({});
    assert.equal(failed.message, 'HTTP 400 · invalid_request_error: your prompt about elephants');
    const { message, ...rest } = failed;
    assert.ok(!JSON.stringify(rest).includes('elephants'), message);
    const others = events.filter((event) => event !== failed);
    assert.ok(!JSON.stringify(others).includes('elephants'));
  });

  test("what a provider said is in no event with messages: 'private', and its codes are", async () => {
    const { events, failed } = await failedWith({ messages: 'private' });
    assert.ok(!JSON.stringify(events).includes('elephants'));
    assert.equal(failed.message, undefined);
    assert.match(failed.technicalDetails, /HTTP 400 · invalid_request_error/);
  });
});

describe('an error that no rule recognises says its class and its message', () => {
  class OutOfCheese extends Error {}
  const cases: Record<string, { thrown: unknown; says: RegExp }> = {
    'a class of its own': {
      thrown: new OutOfCheese(`no cheese for ${key}`),
      says: /OutOfCheese.*no cheese for \[redacted\]/s,
    },
    'a TypeError': { thrown: new TypeError('x is not a function'), says: /TypeError.*x is not a function/s },
    'a plain Error': { thrown: new Error('boom'), says: /boom/ },
    'a text': { thrown: 'boom', says: /boom/ },
    'an object': { thrown: {}, says: /thrown without a message/ },
    undefined: { thrown: undefined, says: /thrown without a message/ },
  };
  for (const [name, { thrown, says }] of Object.entries(cases)) {
    test(name, async () => {
      const error = AgentError.from(thrown);
      const report = renderReport(
        createErrorContext({ errorInfo: { error: thrown, capabilityName: 'search' } }),
      );
      const texts = {
        technicalDetails: String(error.metadata.technicalDetails),
        formatted: formatErrorMessage(thrown, { technicalDetails: true }),
        message: `${error.metadata.technicalDetails} ${error.message}`,
        model: `${error.metadata.technicalDetails} ${(await toolResult(() => Promise.reject(thrown))()).output}`,
      };
      for (const [where, text] of Object.entries({ ...texts, report })) {
        assert.ok(!text.includes('rule unknown') && !text.includes(key), `${where}: ${text}`);
      }
      for (const [where, text] of Object.entries(texts)) assert.match(text, says, where);
    });
  }
});

describe('the message says why', () => {
  const thrown = (): Error =>
    Object.assign(new Error('Request failed with status code 400'), {
      status: 400,
      response: { status: 400, data: { error: { message: `temperature must be at most 2, ${key}` } } },
    });
  /** As OpenAI's SDK throws it. */
  const schema = (): Error =>
    Object.assign(new Error("400 Invalid schema for function 'weather'"), {
      status: 400,
      headers: new Headers({ 'x-request-id': 'req_0123', 'openai-version': '2020-10-01' }),
      requestID: 'req_0123',
      error: {
        message: "Invalid schema for function 'weather'",
        type: 'invalid_request_error',
        code: 'invalid_function_parameters',
        param: 'tools[0].function.parameters',
      },
      code: 'invalid_function_parameters',
      type: 'invalid_request_error',
      param: 'tools[0].function.parameters',
    });

  test('a 400 has status, codes, parameter and words', async () => {
    const error = await rejection(createPolicy().execute(() => Promise.reject(schema())));
    assert.equal(
      error.message,
      "HTTP 400 · invalid_function_parameters · invalid_request_error · tools[0].function.parameters: Invalid schema for function 'weather'",
    );
    assert.ok(!error.userMessage().includes('schema'));
    assert.doesNotMatch(JSON.stringify(error.toJSON().metadata), /Invalid schema/);
  });

  test("with 'private' it has status, codes and parameter", async () => {
    const policy = createPolicy({ messages: 'private' });
    const { message } = await rejection(policy.execute(() => Promise.reject(schema())));
    assert.match(message, /^HTTP 400 · invalid_function_parameters .*tools\[0\]\.function\.parameters/);
    assert.ok(!message.includes('Invalid schema'), message);
  });

  test('includes what the provider said, redacted', async () => {
    const error = await rejection(createPolicy().execute(() => Promise.reject(thrown())));
    assert.equal(error.message, 'HTTP 400: temperature must be at most 2, [redacted]');
    assert.equal(AgentError.from(thrown()).message, error.message);
    assert.ok(!error.userMessage().includes('temperature'), 'the message for users stays what it was');
    const { message } = AgentError.from(thrown(), { messages: 'private' });
    assert.ok(!message.includes('temperature'), message);
  });

  test('a provider’s words are cut to 300 characters', () => {
    const headers = { 'x-request-id': 'req_0123' };
    const long = Object.assign(new Error(`400 ${'word '.repeat(1000)}`), { status: 400, headers });
    const { message } = AgentError.from(long);
    assert.ok(message.length < 330 && message.endsWith('…'), String(message.length));
  });

  test('a database’s SQLSTATE is never lost', async () => {
    for (const [state, words] of [
      ['42601', 'syntax error at or near "SELEC"'],
      ['23505', 'duplicate key value violates unique constraint "users_email_key"'],
      ['53300', 'sorry, too many clients already'],
      ['57014', 'canceling statement due to statement timeout'],
      ['57P01', 'terminating connection due to administrator command'],
    ]) {
      const query = Object.assign(new Error(words), { code: state, severity: 'ERROR' });
      const error = AgentError.from(query);
      assert.equal(error.message, `${state}: ${words}`);
      assert.match(String(error.metadata.technicalDetails), new RegExp(`\\b${state}\\b`));
    }
  });

  test('a policy takes no other word', () => {
    assert.throws(() => createPolicy({ messages: 'public' as never }), /messages.*'private', 'provider'/);
  });
});

describe("the application's classifier", () => {
  const told = async (
    classify: unknown,
    more: PolicyOptions<never> = {},
  ): Promise<{ said: string[]; details: string; error: AgentError }> => {
    const said: string[] = [];
    const details: unknown[] = [];
    const { policy } = onVirtualClock({
      ...more,
      retry: false,
      classify: classify as () => undefined,
      onDebug: (message, detail) => {
        if (!message.startsWith('Attempt')) said.push(message);
        details.push(detail);
      },
    });
    const error = await rejection(policy.execute(() => Promise.reject(fatal())));
    return { said, details: JSON.stringify(details), error };
  };

  test('that throws is reported, and the built-in rules decide', async () => {
    const { said, details, error } = await told(() => {
      throw new Error(`the table is missing ${key}`);
    });
    assert.deepEqual(said, ['classify threw; the built-in rules decide']);
    assert.match(details, /the table is missing \[redacted\]/);
    assert.equal(error.code, 'AUTHENTICATION_ERROR');
  });

  for (const [name, value] of Object.entries({ text: 'RATE_LIMITED', number: 3, null: null, true: true })) {
    test(`that returns ${name} is reported`, async () => {
      const { said, error } = await told(() => value);
      assert.deepEqual(said, ['classify must return an object or undefined; the built-in rules decide']);
      assert.equal(error.code, 'AUTHENTICATION_ERROR');
    });
  }

  for (const [name, value] of Object.entries({
    list: ['TIMEOUT'],
    error: new Error('x'),
    'an object with other names': { kode: 'TIMEOUT' },
  })) {
    test(`that returns ${name} is reported, for it says nothing of a classification`, async () => {
      const { said, error } = await told(() => value);
      assert.deepEqual(said, ['classify returned nothing of a classification; the built-in rules decide']);
      assert.equal(error.code, 'AUTHENTICATION_ERROR');
    });
  }

  test('that returns a classification without anything in it passes', async () => {
    for (const value of [{}, { code: undefined }]) assert.deepEqual((await told(() => value)).said, []);
  });

  test('that returns a promise is reported, also where that rejects', async () => {
    for (const promise of [
      () => Promise.resolve({ code: 'TIMEOUT' }),
      () => Promise.reject(new Error('x')),
    ]) {
      const { said } = await told(promise);
      assert.deepEqual(said, ['classify must not return a promise; the built-in rules decide']);
    }
  });

  test('that says what cannot be is reported; what else it says counts', async () => {
    const { said, error } = await told(() => ({ code: 'NOPE', retryAfterMs: -1, userMessage: 'Sorry.' }));
    assert.deepEqual(said, [
      'classify: code must be an AgentErrorCode; it is ignored',
      'classify: retryAfterMs must be a finite number of milliseconds, 0 or more; it is ignored',
    ]);
    assert.equal(error.userMessage(), 'Sorry.');
  });

  test('that is async is refused where it is given', () => {
    const classify = (async () => ({ code: 'TIMEOUT' })) as never;
    const refused = { name: 'TypeError', message: /'classify' must be a function that is not async/ };
    assert.throws(() => createPolicy({ classify }), refused);
    assert.throws(() => createPolicy().update({ classify }), refused);
  });

  const severities: readonly (readonly [Partial<Classification>, boolean])[] = [
    [{ severity: 'fatal' }, false],
    [{ severity: 'critical' }, false],
    [{ severity: 'replanning' }, false],
    [{ severity: 'reclassification' }, false],
    [{ severity: 'retriable' }, true],
    [{ severity: 'fatal', retryable: true }, true],
    [{ code: 'TIMEOUT', severity: 'critical' }, false],
    [{ code: 'TIMEOUT' }, true],
  ];
  for (const [verdict, retried] of severities) {
    test(`that says ${JSON.stringify(verdict)}: ${retried ? 'retried' : 'not retried'}`, async () => {
      const { clock, policy } = onVirtualClock({ classify: () => verdict, retry: { maxRetries: 1 } });
      const failed = rejection(policy.execute(() => Promise.reject(retryable())));
      await clock.advance(60_000);
      const error = await failed;
      assert.equal(error.attempts, retried ? 2 : 1);
      assert.equal(error.retryable, retried);
    });
  }

  test('a retryOn that names the code still wins over its severity', async () => {
    const { clock, policy } = onVirtualClock({
      classify: () => ({ code: 'TIMEOUT', severity: 'fatal' }),
      retry: { maxRetries: 1, retryOn: ['TIMEOUT'] },
    });
    const failed = rejection(policy.execute(() => Promise.reject(retryable())));
    await clock.advance(60_000);
    assert.equal((await failed).attempts, 2);
  });

  test('also reads errors of fallbacks and of onRetry, with the time of the policy', async () => {
    const contexts: unknown[] = [];
    const classify: PolicyOptions['classify'] = (error, context) => {
      contexts.push([(error as Error).message, context.now, context.provider]);
      return { code: 'QUOTA_EXCEEDED' };
    };
    const { clock, policy } = onVirtualClock({ classify, provider: 'acme', retry: { retryOn: () => true } });
    const first = await rejection(
      policy.execute(() => Promise.reject(new Error('operation')), {
        retry: false,
        fallback: () => Promise.reject(new Error('fallback')),
      }),
    );
    const second = await rejection(
      policy.execute(() => Promise.reject(new Error('operation')), {
        retry: {
          onRetry: () => {
            throw new Error('onRetry');
          },
        },
      }),
    );
    assert.deepEqual([first.code, second.code], ['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
    const now = clock.now();
    assert.deepEqual(contexts, [
      ['operation', now, 'acme'],
      ['fallback', now, 'acme'],
      ['operation', now, 'acme'],
      ['onRetry', now, 'acme'],
    ]);
  });
});

test('a countsAsFailure that throws, or is async, is reported, and the code decides', async () => {
  const said: string[] = [];
  for (const countsAsFailure of [
    () => {
      throw new Error('x');
    },
    async () => false,
  ]) {
    const policy = createPolicy({
      retry: false,
      breaker: { failureThreshold: 1, countsAsFailure: countsAsFailure as never },
      onDebug: (message) => void said.push(message),
    });
    await policy.execute(() => Promise.reject(retryable())).catch(() => {});
    assert.equal(policy.breaker?.state, 'open');
  }
  assert.deepEqual(
    said.filter((message) => message.startsWith('countsAsFailure')),
    [
      'countsAsFailure threw; the code decides',
      'countsAsFailure must not return a promise; the code decides',
    ],
  );
});

test('buffers and long texts in metadata are named by their size, not listed', () => {
  const bytes = Buffer.alloc(20 * 1024 * 1024);
  const metadata = {
    bytes,
    view: new Float64Array(4),
    raw: new ArrayBuffer(8),
    text: Object('word '.repeat(20_000)),
  };
  const json = new AgentError('UNKNOWN', 'x', { metadata }).toJSON().metadata as Record<string, string>;
  assert.deepEqual([json.bytes, json.view, json.raw], ['[20971520 bytes]', '[32 bytes]', '[8 bytes]']);
  // 4096 characters at most, cut before a word, and the sign of the cut.
  assert.equal(json.text?.length, 4096);
});
