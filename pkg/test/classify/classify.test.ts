// For any thrown value, classify does not throw, reads a bounded number of properties and bytes, and shows no secret.
import assert from 'node:assert/strict';
import test from 'node:test';
import vm from 'node:vm';
import { AgentError, classify, explainClassification, mapErrorToCode, parseRetryAfter } from 'halfopen';

/** Properties that one classification may read: the allow-list, for each object that it looks into. */
const MOST_READS = 6000;

/** A proxy that counts what is read of it, and answers every read with `answer`. */
function counted(answer: () => unknown) {
  let reads = 0;
  const proxy: object = new Proxy(
    {},
    {
      get: () => {
        reads++;
        return answer();
      },
      has: () => {
        reads++;
        return true;
      },
      ownKeys: () => {
        throw new Error('nobody may list the keys');
      },
    },
  );
  return { proxy, reads: () => reads };
}

const trap = () => {
  throw new Error('trap');
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const hostile: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  'a string': () => 'x',
  'an empty object': () => ({}),
  'an object without prototype': () => Object.create(null),
  'a symbol': () => Symbol('x'),
  'a bigint': () => 10n,
  'a function': () => () => 1,
  'a number': () => Number.NaN,
  'a revoked proxy': revoked,
  'a proxy that throws on every access': () =>
    new Proxy(
      {},
      { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    ),
  'an error whose getters throw': () => {
    const error = new Error('x');
    for (const name of ['status', 'code', 'headers', 'cause', 'message', 'name', 'constructor']) {
      Object.defineProperty(error, name, { get: trap });
    }
    return error;
  },
  'headers that throw': () => ({ message: 'x', headers: new Proxy({}, { get: trap, has: trap }) }),
  'a revoked cause': () => new Error('x', { cause: revoked() }),
  'a cause that is itself': () => {
    const error = new Error('x');
    error.cause = error;
    return error;
  },
  'lone surrogates': () => new Error('bad \ud800 text \udfff'),
  'a message that is an object': () => Object.assign(new Error('x'), { message: { text: 'weird' } }),
  'an array that lies about its length': () =>
    Object.assign(new Error('x'), { errors: new Array(4_000_000_000) }),
  'a detached buffer': () => {
    const body = new Uint8Array(8);
    structuredClone(body, { transfer: [body.buffer] });
    return { message: 'x', body };
  },
};

for (const [name, make] of Object.entries(hostile)) {
  test(`${name} is UNKNOWN, and nothing is thrown`, () => {
    const found = classify(make());
    assert.equal(found.code, 'UNKNOWN');
    assert.equal(found.rule, 'unknown');
    assert.equal(found.retryable, false);
    assert.ok(found.userMessage.length > 0);
    JSON.stringify(found);
  });
}

test('a proxy that gives more of itself for ever is read a bounded number of times', () => {
  let reads = 0;
  const endless = (): object =>
    new Proxy(
      {},
      {
        get: () => {
          reads++;
          return endless();
        },
      },
    );
  classify(endless());
  assert.ok(reads > 0 && reads < MOST_READS, `${reads} reads`);
});

test('a proxy that answers everything with a long text is read a bounded number of times', () => {
  const long = 'rate limit '.repeat(400_000);
  const { proxy, reads } = counted(() => long);
  classify(proxy);
  assert.ok(reads() < MOST_READS, `${reads()} reads`);
});

test('headers without end are read a bounded number of times', () => {
  let reads = 0;
  const headers = {
    *[Symbol.iterator]() {
      for (;;) {
        reads++;
        yield ['x-request-id', 'req_12345'];
      }
    },
  };
  assert.equal(classify({ status: 429, headers }).code, 'RATE_LIMITED');
  assert.ok(reads < 200, `${reads} headers`);
});

test('a cyclic chain of causes ends, and is read', () => {
  const inner = Object.assign(new Error('inner'), { code: 'ECONNRESET' });
  const outer = new Error('outer', { cause: inner });
  inner.cause = outer;
  assert.equal(classify(outer).code, 'NETWORK_ERROR');
});

test('a chain of 10,000 causes is read to the eighth', () => {
  let reads = 0;
  let error: Error = new Error('deepest');
  for (let depth = 0; depth < 10_000; depth++) {
    const inner = error;
    error = new Error('wrap');
    Object.defineProperty(error, 'cause', {
      get() {
        reads++;
        return inner;
      },
    });
  }
  classify(error);
  assert.equal(reads, 9);
});

test('of a message of 10 MB 4 KiB count, and they decide', () => {
  const message = `Rate limit exceeded. ${'x'.repeat(10_000_000)}`;
  assert.equal(classify(new Error(message)).code, 'RATE_LIMITED');
  assert.equal(classify(new Error('x'.repeat(10_000_000) + message)).code, 'UNKNOWN');
});

test('an error of another realm is what it says', () => {
  const error = vm.runInNewContext(
    "Object.assign(new Error('limit'), { status: 429, name: 'RateLimitError' })",
  );
  assert.equal(classify(error).code, 'RATE_LIMITED');
});

test('a Response, as it is thrown', () => {
  const response = new Response('no', {
    status: 503,
    headers: { 'retry-after': '3', 'x-request-id': 'req_77' },
  });
  const found = classify(response);
  assert.equal(found.code, 'SERVER_ERROR');
  assert.equal(found.retryAfterMs, 3000);
  assert.equal(found.provider.requestId, 'req_77');
  assert.equal(response.bodyUsed, false);
});

test('an AgentError is what it says itself', () => {
  const own = new AgentError('QUOTA_EXCEEDED', 'x', { retryAfterMs: 5, provider: { provider: 'acme' } });
  const found = classify(own, { provider: 'other', model: 'm1' });
  assert.equal(found.code, 'QUOTA_EXCEEDED');
  assert.equal(found.rule, 'agent-error');
  assert.equal(found.retryAfterMs, 5);
  assert.deepEqual({ ...found.provider }, { provider: 'acme', model: 'm1' });
  const copy = Object.assign(new Error('x'), { [Symbol.for('halfopen.AgentError')]: true, code: 'TIMEOUT' });
  assert.equal(classify(copy).code, 'TIMEOUT');
  const forged = Object.assign(new Error('x'), {
    [Symbol.for('halfopen.AgentError')]: true,
    code: 'NO_SUCH_CODE',
  });
  assert.equal(classify(forged).code, 'UNKNOWN');
});

test('the thrown value is kept, but neither listed nor serialised', () => {
  const error = Object.assign(new Error('x'), { status: 500, secret: 's3cret' });
  const { provider } = classify(error);
  assert.equal(provider.originalError, error);
  assert.deepEqual(Object.keys(provider), ['statusCode']);
  assert.ok(!JSON.stringify(provider).includes('s3cret'));
});

test('the model layer has the codes of models only', () => {
  assert.equal(mapErrorToCode(Object.assign(new Error('x'), { status: 429 })), 'RATE_LIMITED');
  assert.equal(mapErrorToCode(Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })), 'UNKNOWN');
  // The table of the source document.
  for (const [message, code] of [
    ['Invalid API key', 'AUTHENTICATION_ERROR'],
    ['Unauthorized', 'AUTHENTICATION_ERROR'],
    ['Rate limit exceeded', 'RATE_LIMITED'],
    ['Error 429', 'RATE_LIMITED'],
    ['HTTP 429', 'RATE_LIMITED'],
    ['Request timeout', 'TIMEOUT'],
    ['timeout', 'TIMEOUT'],
    ['Network error', 'NETWORK_ERROR'],
    ['connect ECONNREFUSED 127.0.0.1:443', 'NETWORK_ERROR'],
    ['something else', 'UNKNOWN'],
  ]) {
    assert.equal(mapErrorToCode(new Error(message)), code, message);
  }
});

test('messages are in the requested language', () => {
  const error = Object.assign(new Error('x'), { status: 429, headers: { 'retry-after': '432' } });
  assert.match(classify(error, { provider: 'openai' }).userMessage, /OpenAI.*7 minutes/);
  assert.equal(classify(error, { locale: 'tlh' }).userMessage, classify(error, { locale: 'en' }).userMessage);
});

test('a wait counts from the response’s date, and is never negative', () => {
  const date = 'Sun, 22 Nov 2026 00:00:00 GMT';
  assert.equal(parseRetryAfter({ 'retry-after': 'Sun, 22 Nov 2026 00:00:09 GMT', date }), 9000);
  assert.equal(parseRetryAfter({ 'retry-after': 'Sun, 22 Nov 2020 00:00:09 GMT', date }), 0);
  for (const nothing of [null, undefined, 7, 'retry-after: 7', [], {}, new Headers(), revoked()]) {
    assert.equal(parseRetryAfter(nothing), undefined);
  }
  assert.equal(parseRetryAfter({ 'retry-after': ['5', '9'] }), 5000);
  assert.equal(parseRetryAfter({ 'retry-after': 5 }), 5000);
});

test('an explanation lists the rules that were tried, and the signals that fulfilled the deciding one', () => {
  const error = Object.assign(new Error('429 You exceeded your current quota'), {
    status: 429,
    code: 'insufficient_quota',
  });
  const { classification, tried, signals, afterwards } = explainClassification(error);
  assert.deepEqual(classification, classify(error));
  assert.deepEqual(signals, { status: 429, codes: ['insufficient_quota'] });
  const decided = tried.at(-1);
  assert.deepEqual(decided, {
    rule: 'http.429.insufficient_quota',
    code: 'QUOTA_EXCEEDED',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    decided: true,
    close: true,
    checks: [
      { wanted: 'status 429', held: true },
      { wanted: 'code insufficient_quota', held: true },
    ],
  });
  assert.ok(
    tried.length > 10 &&
      tried.slice(0, -1).every((rule) => !rule.decided && rule.checks.at(-1)?.held === false),
  );
  assert.deepEqual(afterwards, []);
});

test("an explanation says what came after the rule: the layer, and the provider's own word", () => {
  const error = { status: 401, headers: { 'x-should-retry': 'false' } };
  const { classification, tried, afterwards } = explainClassification(error, { layer: 'tool' });
  assert.equal(tried.at(-1)?.code, 'AUTHENTICATION_ERROR');
  assert.equal(classification.code, 'PERMISSION_DENIED');
  assert.deepEqual(afterwards, [
    'The response says x-should-retry: false.',
    "AUTHENTICATION_ERROR is PERMISSION_DENIED in the layer 'tool'.",
  ]);
});

test('of an error that no rule recognises, a classifier to paste is offered; its text is not in it', () => {
  const odd = Object.assign(new Error('the wotsit of alice@example.com'), { code: 'WOTSIT_77' });
  const { classification, suggestedClassifier = '' } = explainClassification(odd);
  assert.equal(classification.code, 'UNKNOWN');
  assert.match(classification.metadata.technicalDetails ?? '', /^WOTSIT_77 · the wotsit of/);
  assert.match(suggestedClassifier, /code === 'WOTSIT_77' \? \{ code: 'SERVER_ERROR' \}/);
  assert.doesNotMatch(suggestedClassifier, /alice/);
  const pasted = new Function(`return { ${suggestedClassifier.replace(/ as \{.*?\};/, ';')} }`)();
  assert.deepEqual(pasted.classify(odd), { code: 'SERVER_ERROR' });
  assert.equal(pasted.classify(new Error('another')), undefined);

  class Wotsit extends Error {}
  assert.match(
    explainClassification(new Wotsit('x')).suggestedClassifier ?? '',
    /constructor\?\.name === 'Wotsit'/,
  );
  assert.equal(explainClassification({ status: 429 }).suggestedClassifier, undefined);
  assert.equal(explainClassification(new Error('x')).suggestedClassifier, undefined);
});

test('whatever is thrown is explained, without a secret and without throwing', () => {
  const { proxy } = counted(() => 'sk-secret-0123456789abcdef');
  for (const thrown of [
    proxy,
    null,
    undefined,
    'sk-secret-0123456789',
    Symbol('x'),
    new AgentError('TIMEOUT', 'late'),
  ]) {
    const explanation = explainClassification(thrown);
    assert.equal(explanation.classification.code, classify(thrown).code);
    assert.doesNotMatch(JSON.stringify(explanation), /sk-secret/);
  }
});

test('a getter of a thrown value that classifies another value changes nothing of the outer verdict', () => {
  const inner = {
    status: 401,
    message: 'wrong key '.repeat(50),
    headers: { 'x-request-id': 'req_of_the_inner_one' },
  };
  const plain = {
    status: 429,
    message: 'slow down',
    headers: { 'retry-after': '7', 'x-request-id': 'req_outer_000' },
  };
  const expected = classify({ ...plain, cause: inner });
  assert.equal(expected.code, 'RATE_LIMITED');
  for (const name of ['status', 'message', 'headers', 'code', 'cause'] as const) {
    const value: Record<string, unknown> = { ...plain, cause: inner };
    const given = value[name];
    Object.defineProperty(value, name, {
      enumerable: true,
      get: () => {
        assert.equal(classify(inner).code, 'AUTHENTICATION_ERROR');
        assert.equal(AgentError.from(inner).code, 'AUTHENTICATION_ERROR');
        return given;
      },
    });
    const { provider: about, ...found } = classify(value);
    const { provider: expectedAbout, ...rest } = expected;
    assert.deepEqual(found, rest, name);
    assert.deepEqual({ ...about }, { ...expectedAbout }, name);
  }
});

test('what a guarded fetch was refused with is known in the error that a client makes of it', () => {
  const refused = new AgentError('CIRCUIT_OPEN', 'open', { retryAfterMs: 5000 });
  const rejected = new TypeError('fetch failed', { cause: refused });
  const wrapped = Object.assign(new Error('Connection error.', { cause: rejected }), {
    name: 'APIConnectionError',
  });
  for (const error of [rejected, wrapped]) {
    const { code, retryAfterMs } = classify(error);
    assert.deepEqual([code, retryAfterMs], ['CIRCUIT_OPEN', 5000]);
  }
});

test('an error that repeats the name and the words of an AgentError is that one; one with words of its own is not', () => {
  const remedy = { kind: 'ask-again', because: 'invalid-arguments' } as const;
  const inner = new AgentError('INVALID_RESPONSE', 'The arguments are no JSON', { remedy });
  const repeated = Object.assign(new Error(inner.message, { cause: inner }), { name: inner.name });
  assert.equal(AgentError.from(repeated), inner);
  assert.deepEqual(classify(repeated).remedy, remedy);
  const own = Object.assign(new Error('Booking failed', { cause: inner }), { status: 503 });
  assert.equal(AgentError.from(own).code, 'SERVER_ERROR');
  assert.equal(AgentError.from(own).remedy, undefined);
});

test('a context field of the wrong type is ignored', () => {
  const error = Object.assign(new Error('busy'), { status: 503 });
  const odd = { provider: { name: 'openai' }, model: false, now: 'noon', layer: 'cellar' };
  const found = classify(error, odd as unknown as Parameters<typeof classify>[1]);
  assert.deepEqual([found.code, found.provider.provider], ['SERVER_ERROR', undefined]);
});
