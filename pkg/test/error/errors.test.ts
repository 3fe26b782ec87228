// AgentError, the response helpers and the code tables, with every table and example of the documents they come from.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import vm from 'node:vm';
import {
  AGENT_ERROR_CODES,
  AgentError,
  type AgentErrorCode,
  type AgentErrorResponse,
  createPolicy,
  EmptyResponseError,
  ensureOk,
  errorResponse,
  errorTypeOf,
  isAgentError,
  isAgentSuccess,
  isRetryableCode,
  MODEL_ERROR_CODES,
  mapModelErrorCodeToAgentErrorCode,
  mapModelErrorToAgentError,
  mapToolErrorCodeToAgentErrorCode,
  mapToolErrorToAgentError,
  type ProviderErrorMetadata,
  type SpanContext,
  severityOf,
  successResponse,
  TOOL_ERROR_CODES,
} from 'halfopen';
import { rejection } from '../policy/given.js';

/** Invented, and put together here so that no scanner takes this file for a leak. */
const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');

describe('error codes: the table of the error architecture', () => {
  const table: readonly (readonly [AgentErrorCode, 'Model' | 'Tool' | 'Model/Tool' | 'Agent' | 'Any'])[] = [
    ['PROVIDER_NOT_CONFIGURED', 'Model'],
    ['PROVIDER_NOT_SUPPORTED', 'Model'],
    ['AUTHENTICATION_ERROR', 'Model'],
    ['RATE_LIMITED', 'Model/Tool'],
    ['MODEL_NOT_FOUND', 'Model'],
    ['CONTEXT_LENGTH_EXCEEDED', 'Model'],
    ['NETWORK_ERROR', 'Model'],
    ['TIMEOUT', 'Model/Tool'],
    ['INVALID_RESPONSE', 'Model'],
    ['VALIDATION_ERROR', 'Tool'],
    ['IO_ERROR', 'Tool'],
    ['CONFIG_ERROR', 'Tool'],
    ['PERMISSION_DENIED', 'Tool'],
    ['NOT_FOUND', 'Tool'],
    ['LLM_ASSIST_REQUIRED', 'Tool'],
    ['SERVER_ERROR', 'Model/Tool'],
    ['CONFLICT', 'Tool'],
    ['ALREADY_EXISTS', 'Tool'],
    ['MAX_ITERATIONS_EXCEEDED', 'Agent'],
    ['TOOL_EXECUTION_ERROR', 'Agent'],
    ['INITIALIZATION_ERROR', 'Agent'],
    ['UNKNOWN', 'Any'],
  ];
  for (const [code, source] of table) {
    test(`${code} comes from: ${source}`, () => {
      assert.ok(AGENT_ERROR_CODES.includes(code));
      const model = (MODEL_ERROR_CODES as readonly string[]).includes(code);
      const tool = (TOOL_ERROR_CODES as readonly string[]).includes(code);
      if (source === 'Agent') assert.deepEqual([model, tool], [false, false]);
      if (source.includes('Model') || source === 'Any') assert.ok(model);
      if (source.includes('Tool') || source === 'Any') assert.ok(tool);
    });
  }

  test('RATE_LIMITED, NETWORK_ERROR and TIMEOUT are retryable, and the three codes that refine UNKNOWN into a passing failure', () => {
    assert.deepEqual(AGENT_ERROR_CODES.filter(isRetryableCode), [
      'RATE_LIMITED',
      'NETWORK_ERROR',
      'TIMEOUT',
      'SERVER_ERROR',
      'PROVIDER_OVERLOADED',
      'CONFLICT',
    ]);
  });

  test("a model's base set comes first, in its own order", () => {
    assert.deepEqual(MODEL_ERROR_CODES.slice(0, 10), [
      'PROVIDER_NOT_CONFIGURED',
      'PROVIDER_NOT_SUPPORTED',
      'AUTHENTICATION_ERROR',
      'RATE_LIMITED',
      'MODEL_NOT_FOUND',
      'CONTEXT_LENGTH_EXCEEDED',
      'NETWORK_ERROR',
      'TIMEOUT',
      'INVALID_RESPONSE',
      'UNKNOWN',
    ]);
    assert.equal(MODEL_ERROR_CODES.length, 18);
  });

  test("the tools' codes stand in the order of their own type", () => {
    assert.deepEqual(TOOL_ERROR_CODES, [
      'VALIDATION_ERROR',
      'IO_ERROR',
      'CONFIG_ERROR',
      'PERMISSION_DENIED',
      'RATE_LIMITED',
      'NOT_FOUND',
      'LLM_ASSIST_REQUIRED',
      'TIMEOUT',
      'UNKNOWN',
      'NETWORK_ERROR',
      'CANCELLED',
      'SERVER_ERROR',
      'CONFLICT',
      'ALREADY_EXISTS',
    ]);
  });

  test('the lists cannot be changed', () => {
    assert.throws(() => (AGENT_ERROR_CODES as AgentErrorCode[]).push('TIMEOUT'), TypeError);
  });

  test('an invalid code is a TypeError that names it, not undefined', () => {
    for (const ask of [isRetryableCode, severityOf, errorTypeOf] as ((code: never) => unknown)[]) {
      for (const wrong of ['constructor', '__proto__', 'rate_limited', '', undefined, 3]) {
        assert.throws(() => ask(wrong as never), {
          name: 'TypeError',
          message: /expected an AgentErrorCode/,
        });
      }
    }
  });
});

describe('the Python hierarchy that the codes replace', () => {
  // ProviderAPIError, ProviderAuthError, ProviderRateLimitError, ProviderModelNotFoundError, ProviderTimeoutError, AgentConfigError
  const successors: Record<string, AgentErrorCode[]> = {
    ProviderAPIError: ['SERVER_ERROR', 'PROVIDER_OVERLOADED'],
    ProviderAuthError: ['AUTHENTICATION_ERROR', 'PERMISSION_DENIED'],
    ProviderRateLimitError: ['RATE_LIMITED'],
    ProviderModelNotFoundError: ['MODEL_NOT_FOUND'],
    ProviderTimeoutError: ['TIMEOUT'],
    AgentConfigError: ['CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED'],
  };
  for (const [name, codes] of Object.entries(successors)) {
    test(`${name} is covered by ${codes.join(' and ')}`, () => {
      for (const code of codes) assert.ok(AGENT_ERROR_CODES.includes(code));
    });
  }

  test('each carries provider, status code, model, original error and message', () => {
    const thrown = new Error('429');
    const error = new AgentError('RATE_LIMITED', 'Too many requests', {
      provider: { provider: 'openai', statusCode: 429, model: 'gpt-4o', originalError: thrown },
    });
    const { provider, statusCode, model, originalError } = error.provider;
    assert.deepEqual(
      [provider, statusCode, model, error.message],
      ['openai', 429, 'gpt-4o', 'Too many requests'],
    );
    assert.equal(originalError, thrown);
  });
});

describe('errorResponse', () => {
  test('creates error response with code and message', () => {
    const response = errorResponse('NETWORK_ERROR', 'API call failed');
    assert.deepStrictEqual(response, { success: false, error: 'NETWORK_ERROR', message: 'API call failed' });
    assert.ok(!('metadata' in response), 'absent, not undefined');
  });

  test('includes optional metadata when provided', () => {
    const metadata = { provider: 'openai', model: 'gpt-4o', statusCode: 429, retryAfter: 60 };
    const response = errorResponse('RATE_LIMITED', 'Too many requests', metadata);
    assert.equal(response.metadata?.retryAfter, 60);
    assert.deepStrictEqual(response.metadata, metadata);
  });

  for (const code of AGENT_ERROR_CODES) {
    test(`accepts error code: ${code}`, () => assert.equal(errorResponse(code, 'Test').error, code));
  }

  test('an empty message stays empty', () => assert.equal(errorResponse('UNKNOWN', '').message, ''));

  test('the original error is there, but not in what is printed or serialised', () => {
    const originalError = new Error(`key ${key}`);
    const response = errorResponse('UNKNOWN', 'x', { provider: 'openai', originalError });
    assert.equal(response.metadata?.originalError, originalError);
    assert.ok(!JSON.stringify(response).includes('originalError'));
    assert.ok(!inspect(response, { depth: 9 }).includes(key));
  });

  test('refuses an invalid code', () => {
    assert.throws(() => errorResponse('nope' as never, 'x'), {
      name: 'TypeError',
      message: /expected an AgentErrorCode, got "nope"/,
    });
  });
});

describe('type guards', () => {
  test('isAgentSuccess returns true for success responses', () => {
    const response = successResponse('result', 'OK');
    assert.deepStrictEqual(response, { success: true, result: 'result', message: 'OK' });
    assert.equal(isAgentSuccess(response), true);
    assert.equal(isAgentError(response), false);
  });

  test('isAgentError returns true for error responses', () => {
    const response = errorResponse('UNKNOWN', 'Error');
    assert.equal(isAgentError(response), true);
    assert.equal(isAgentSuccess(response), false);
  });

  test('isAgentError returns true for an AgentError, and false for anything else', () => {
    const error: unknown = new AgentError('TIMEOUT', 'x');
    assert.equal(isAgentError(error), true);
    if (isAgentError(error)) assert.equal(error.message, 'x');
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error('not to be read');
        },
      },
    );
    for (const no of [null, undefined, 'x', {}, new Error('x'), { success: 'no' }, throwing]) {
      assert.equal(isAgentError(no), false);
    }
  });
});

// The integration test of the specification: an agent with an invalid configuration, and a provider that says so.
test('emits onError callback when provider fails', async () => {
  const provider = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"invalid_api_key","message":"Incorrect API key provided"}}');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const told: [SpanContext, AgentErrorResponse][] = [];
  const agent = createPolicy({ onError: (context, error) => told.push([context, error]) });
  const run = (query: string) =>
    agent.respond(async ({ signal }) => {
      const url = `http://127.0.0.1:${port}/v1/responses`;
      return (await ensureOk(await fetch(url, { method: 'POST', body: query, signal }))).text();
    });

  const answer = await run('test query');

  agent.dispose();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
  assert.equal(told.length, 1);
  const [context, error] = told[0] as [SpanContext, AgentErrorResponse];
  assert.equal(typeof context.traceId, 'string');
  assert.equal(error.success, false);
  assert.equal(typeof error.error, 'string');
  assert.deepEqual([error.error, error.metadata?.statusCode], ['AUTHENTICATION_ERROR', 401]);
  assert.equal(answer.message, error.message);
});

describe('mappings between the layers', () => {
  for (const code of MODEL_ERROR_CODES) {
    test(`a model's ${code} is the agent's ${code}`, () => {
      assert.equal(mapModelErrorCodeToAgentErrorCode(code), code);
      assert.deepStrictEqual(mapModelErrorToAgentError({ success: false, error: code, message: 'm' }), {
        success: false,
        error: code,
        message: 'm',
      });
    });
  }
  for (const code of TOOL_ERROR_CODES) {
    const expected = code === 'UNKNOWN' ? 'TOOL_EXECUTION_ERROR' : code;
    test(`a tool's ${code} is the agent's ${expected}`, () => {
      assert.equal(mapToolErrorCodeToAgentErrorCode(code), expected);
      assert.deepStrictEqual(mapToolErrorToAgentError({ error: code, message: 'm' }, { provider: 'x' }), {
        success: false,
        error: expected,
        message: 'm',
        metadata: { provider: 'x' },
      });
    });
  }

  test("a code of another layer is the caller's mistake", () => {
    assert.throws(() => mapModelErrorCodeToAgentErrorCode('IO_ERROR' as never), TypeError);
    assert.throws(() => mapToolErrorCodeToAgentErrorCode('MODEL_NOT_FOUND' as never), TypeError);
  });

  test('chain of wrapped errors (model → agent): metadata and hint are kept', () => {
    const metadata: ProviderErrorMetadata = {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      statusCode: 429,
      retryAfter: 7,
    };
    const mapped = mapModelErrorToAgentError(
      { success: false, error: 'RATE_LIMITED', message: 'slow down', retryAfterMs: 7000 },
      metadata,
    );
    assert.deepStrictEqual(mapped, {
      success: false,
      error: 'RATE_LIMITED',
      message: 'slow down',
      metadata,
      retryAfterMs: 7000,
    });
  });
});

describe('AgentError', () => {
  for (const code of AGENT_ERROR_CODES) {
    test(`${code}: severity and retryable follow from the code`, () => {
      const error = new AgentError(code, 'x');
      assert.deepEqual([error.severity, error.retryable], [severityOf(code), isRetryableCode(code)]);
      assert.deepEqual([error.attempts, error.errors.length], [0, 0]);
      assert.equal(error.name, 'AgentError');
      assert.ok(error instanceof Error);
      assert.ok(!('retryAfterMs' in error));
    });
  }

  test("the application's verdict outranks the code", () => {
    const error = new AgentError('INVALID_RESPONSE', 'cut off', {
      retryable: true,
      severity: 'retriable',
      retryAfterMs: 0,
    });
    assert.deepEqual([error.retryable, error.severity, error.retryAfterMs], [true, 'retriable', 0]);
  });

  test("the provider's hint in seconds is the error's in milliseconds", () => {
    assert.equal(new AgentError('RATE_LIMITED', 'x', { provider: { retryAfter: 1.5 } }).retryAfterMs, 1500);
  });

  test('a wrong argument is a TypeError that names it, what was expected and what came', () => {
    const wrong: [() => unknown, RegExp][] = [
      [() => new AgentError('NOPE' as never, 'x'), /code: expected an AgentErrorCode, got 'NOPE'/],
      [() => new AgentError('TIMEOUT', 3 as never), /message: expected a string, got 3/],
      [
        () => new AgentError('TIMEOUT', 'x', { retryAfterMs: -1 }),
        /retryAfterMs: expected a finite number .*, got -1/,
      ],
      [() => new AgentError('TIMEOUT', 'x', { retryAfterMs: Number.NaN }), /retryAfterMs.*got NaN/],
      [
        () => new AgentError('TIMEOUT', 'x', { severity: 'bad' as never }),
        /severity: expected an ErrorSeverity, got 'bad'/,
      ],
      [
        () => new AgentError('TIMEOUT', 'x', { retryable: 1 as never }),
        /retryable: expected a boolean, got 1/,
      ],
      [
        () => new AgentError('TIMEOUT', 'x', { provider: 'openai' as never }),
        /provider: expected an object such as \{ provider: 'openai' \}, got 'openai'/,
      ],
    ];
    for (const [make, message] of wrong) assert.throws(make, { name: 'TypeError', message });
  });

  test('the cause is kept, and undefined is a cause too', () => {
    assert.equal(new AgentError('TIMEOUT', 'x', { cause: 1 }).cause, 1);
    assert.ok('cause' in new AgentError('TIMEOUT', 'x', { cause: undefined }));
    assert.ok(!('cause' in new AgentError('TIMEOUT', 'x')));
  });

  test('is: across realms and copies of the package, and never throws', () => {
    const brand = Symbol.for('halfopen.AgentError');
    const elsewhere = vm.runInNewContext(
      `class AgentError extends Error {}; AgentError.prototype[Symbol.for('halfopen.AgentError')] = true; new AgentError('x')`,
    );
    assert.ok(!(elsewhere instanceof AgentError));
    assert.ok(AgentError.is(elsewhere));
    assert.ok(AgentError.is(new AgentError('TIMEOUT', 'x')));
    class Special extends AgentError {}
    assert.ok(AgentError.is(new Special('TIMEOUT', 'x')));
    const hostile = new Proxy({}, { get: () => assert.fail('trap') });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const no of [
      null,
      undefined,
      'x',
      0,
      new Error('x'),
      { code: 'TIMEOUT' },
      { [brand]: 1 },
      hostile,
      proxy,
      () => {},
    ]) {
      assert.equal(AgentError.is(no), false);
    }
  });

  test('from: an AgentError comes back as it is', () => {
    const error = new AgentError('TIMEOUT', 'x');
    assert.equal(AgentError.from(error), error);
  });

  test('from: anything else is wrapped once, with the thrown value as cause and original error', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const cyclic: { cause?: unknown } = new Error('cycle');
    cyclic.cause = cyclic;
    for (const thrown of [
      new Error('boom'),
      'boom',
      null,
      undefined,
      0,
      {},
      proxy,
      cyclic,
      Symbol('s'),
      10n,
    ]) {
      const error = AgentError.from(thrown);
      assert.ok(AgentError.is(error));
      assert.ok(error.cause === thrown && error.provider.originalError === thrown);
      assert.deepEqual(Object.keys(error.provider).includes('originalError'), false);
      assert.equal(AgentError.from(error), error);
      assert.doesNotThrow(() => JSON.stringify(error));
    }
  });

  test('from: a given audience or locale addresses an error that was read for another reader', async () => {
    const failing = () =>
      Promise.reject(Object.assign(new Error('Incorrect API key'), { status: 401, headers: {} }));
    const error = await rejection(createPolicy({ name: 'model', provider: 'openai' }).execute(failing));
    assert.match(error.userMessage(), /^OpenAI did not accept the API key/);
    for (const reader of [
      { audience: 'visitor' },
      { locale: 'de' },
      { audience: 'visitor', locale: 'fr-CA' },
    ] as const) {
      const addressed = AgentError.from(error, reader);
      assert.equal(addressed.userMessage(), error.userMessage(reader));
      assert.equal(addressed.toResponse().message, error.userMessage(reader));
      assert.notEqual(addressed.userMessage(), error.userMessage());
      assert.deepEqual(
        [
          addressed.code,
          addressed.cause,
          addressed.attempts,
          addressed.errors,
          addressed.provider,
          addressed.stack,
        ],
        [error.code, error.cause, error.attempts, error.errors, error.provider, error.stack],
      );
      assert.equal(AgentError.from(addressed, reader), addressed, 'it has that reader');
    }
    const visitor = AgentError.from(error, { audience: 'visitor' });
    assert.equal(
      AgentError.from(visitor, { locale: 'es' }).userMessage(),
      error.userMessage({ audience: 'visitor', locale: 'es' }),
      'what is not given stays',
    );
    assert.equal(AgentError.from(visitor, { audience: 'owner' }).userMessage(), error.userMessage());
    assert.match(error.userMessage(), /^OpenAI did not accept the API key/, 'the error itself stays');
  });

  test('from: with the reader that it has, it is the same object; a copy is of the same class', () => {
    const error = new EmptyResponseError('no text');
    assert.equal(AgentError.from(error, { audience: 'owner', locale: 'en' }), error);
    assert.equal(AgentError.from(error, { provider: 'openai', layer: 'tool' }), error);
    const copy = AgentError.from(Object.freeze(error), { audience: 'visitor' });
    assert.ok(copy instanceof EmptyResponseError && copy !== error);
    assert.equal(copy.reason, 'no text');
  });

  test('from: its stack has the frames of the thrown value only', () => {
    const before = Error.stackTraceLimit;
    const frames = (stack: unknown): string[] => String(stack).split('\n').slice(1);
    const thrown = new Error('boom');
    assert.deepEqual(frames(AgentError.from(thrown).stack), frames(thrown.stack));
    assert.equal(AgentError.from('boom').stack, 'AgentError: boom');
    assert.equal(Error.stackTraceLimit, before);
  });
});

describe('AgentError.aggregate', () => {
  test('the code of the most severe, the longest hint, all of them in errors', () => {
    const slow = new AgentError('RATE_LIMITED', 'slow', { retryAfterMs: 7000 });
    const auth = new AgentError('AUTHENTICATION_ERROR', 'bad key', { provider: { provider: 'openai' } });
    const slower = new AgentError('RATE_LIMITED', 'slower', { retryAfterMs: 9000 });
    const all = AgentError.aggregate([slow, auth, slower]);
    assert.deepEqual([all.code, all.severity, all.retryable], ['AUTHENTICATION_ERROR', 'critical', false]);
    assert.equal(all.retryAfterMs, 9000);
    assert.deepEqual(all.errors, [slow, auth, slower]);
    assert.equal(all.provider.provider, 'openai');
    assert.match(all.message, /slow.*bad key.*slower/);
  });

  test('fatal outranks critical, critical outranks replanning, replanning outranks retriable', () => {
    const order: AgentErrorCode[] = [
      'TIMEOUT',
      'CONTEXT_LENGTH_EXCEEDED',
      'NOT_FOUND',
      'INITIALIZATION_ERROR',
    ];
    for (let n = 1; n <= order.length; n++) {
      const errors = order.slice(0, n).map((code) => new AgentError(code, 'x'));
      assert.equal(AgentError.aggregate(errors).code, order[n - 1]);
      assert.equal(AgentError.aggregate(errors.reverse()).code, order[n - 1]);
    }
  });

  test('of several equally severe, the first', () => {
    const all = AgentError.aggregate(
      [new AgentError('NOT_FOUND', 'a'), new AgentError('IO_ERROR', 'b')],
      'two tools',
    );
    assert.deepEqual([all.code, all.message], ['NOT_FOUND', 'two tools']);
  });

  test('UNKNOWN for none', () => {
    const none = AgentError.aggregate([]);
    assert.deepEqual([none.code, none.errors.length, none.retryAfterMs], ['UNKNOWN', 0, undefined]);
  });

  test('the thrown value is classified first', () => {
    const all = AgentError.aggregate([new Error('x'), null]);
    assert.deepEqual(
      all.errors.map((error) => AgentError.is(error)),
      [true, true],
    );
  });
});

describe('toResponse and toJSON', () => {
  const error = new AgentError('RATE_LIMITED', `429 for ${key}`, {
    cause: new Error(key),
    provider: {
      provider: 'openai',
      model: 'gpt-4o',
      statusCode: 429,
      retryAfter: 7,
      requestId: 'a'.repeat(16) + '0'.repeat(16),
      originalError: { key },
    },
    metadata: {
      technicalDetails: `bearer ${key}`,
      suggestions: [`write to jane.doe@example.com`],
      apiKey: 'hunter2',
      nested: { authorization: 'x', list: [key, () => key, undefined, 1n, Number.NaN] },
    },
  });

  test('the response has the message for people, and what a caller needs to decide', () => {
    const response: AgentErrorResponse = error.toResponse();
    assert.equal(
      response.message,
      'Too many requests were sent to OpenAI in a short time. Please try again in about 7 seconds.',
    );
    assert.deepEqual(
      [response.success, response.error, response.retryable, response.retryAfterMs],
      [false, 'RATE_LIMITED', true, 7000],
    );
    assert.equal(response.metadata?.statusCode, 429);
    assert.ok(isAgentError(response));
    assert.ok(!JSON.stringify(response).includes(key));
  });

  test('nothing known, nothing said', () => {
    assert.deepEqual(Object.keys(new AgentError('CANCELLED', 'x').toResponse()), [
      'success',
      'error',
      'message',
      'retryable',
    ]);
  });

  test('the JSON has no secret, no stack, no cause, no original error', () => {
    const text = JSON.stringify(error);
    for (const secret of [key, 'hunter2', 'jane.doe', 'stack', 'originalError', 'cause'])
      assert.ok(!text.includes(secret), secret);
    const json = JSON.parse(text);
    assert.deepEqual(json, {
      name: 'AgentError',
      code: 'RATE_LIMITED',
      message: '429 for [redacted]',
      severity: 'retriable',
      retryable: true,
      provider: {
        provider: 'openai',
        model: 'gpt-4o',
        statusCode: 429,
        retryAfter: 7,
        requestId: 'aaaaaaaaaaaaaaaa0000000000000000',
      },
      metadata: {
        technicalDetails: 'bearer [redacted]',
        suggestions: ['write to [redacted]'],
        apiKey: '[redacted]',
        nested: { authorization: '[redacted]', list: ['[redacted]', null, null, '1', 'NaN'] },
      },
      retryAfterMs: 7000,
      attempts: 0,
    });
  });

  test('the errors within go one level deep, whatever they hold', () => {
    const inner = AgentError.aggregate([new AgentError('TIMEOUT', 'deep')], 'inner');
    const outer = AgentError.aggregate([inner, inner], 'outer').toJSON() as {
      errors: Record<string, unknown>[];
    };
    assert.deepEqual(
      outer.errors.map((entry) => [entry.message, 'errors' in entry]),
      [
        ['inner', false],
        ['inner', false],
      ],
    );
  });

  test('metadata that cannot be read, or never ends, harms nothing', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const metadata = {
      cycle,
      get bad(): string {
        throw new Error('trap');
      },
      long: 'x'.repeat(100_000),
    };
    const made = new AgentError('UNKNOWN', 'y'.repeat(1_000_000));
    Object.defineProperty(made, 'metadata', {
      value: Object.defineProperties({}, Object.getOwnPropertyDescriptors(metadata)),
    });
    assert.ok(JSON.stringify(made).length < 20_000);
  });
});
