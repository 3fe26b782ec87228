// A line of the devtools' connection says exactly what JSON.stringify says of the event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineWriter } from '../../src/devtools/line.js';

/** Numbers from a seed, so that what failed can be had again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TEXTS = [
  '',
  'RATE_LIMITED',
  'say "no"',
  'C:\\Users\\x',
  'two\nlines\ttab\r\0',
  '\u0001\u001f\u007f\u0080',
  '\u2028\u2029',
  'HTTP 429 · requests',
  '密码 ключ',
  '\ud83d\ude00',
  'half \ud83d',
  '\ude00 of it',
  '</script><img onerror=alert(1)>',
  '__proto__',
  'ab'.repeat(700),
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  1e-7,
  12.5,
  2 ** 53,
  1_790_000_000_123.25,
  NaN,
  Infinity,
  -Infinity,
];
const TYPES = ['attempt.failed', 'call.started', 'breaker.changed', 'never "seen"', ...TEXTS];
const NAMES = [
  'policy',
  'call',
  'signals',
  'options',
  'code',
  'last',
  '7',
  '__proto__',
  'a "b"',
  'ключ',
  'toString',
];

/** Any value that an event can hold, and some that no event of ours does. */
function value(random: () => number, depth: number): unknown {
  const one = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  switch (Math.floor(random() * 12)) {
    case 0:
      return undefined;
    case 1:
      return null;
    case 2:
      return random() < 0.5;
    case 3:
    case 4:
      return one(NUMBERS);
    case 5:
      return (random() - 0.5) * 10 ** Math.floor(random() * 30 - 10);
    case 6:
      return depth > 5 ? 1 : record(random, depth + 1);
    case 7:
      return depth > 5 ? [] : [value(random, depth + 1), value(random, depth + 1)];
    case 8:
      return random() < 0.9
        ? one(TEXTS)
        : one([() => 1, Symbol('x'), new Date(0), new Map([[1, 2]]), new Error('x')]);
    case 9:
      return String.fromCharCode(...Array.from({ length: 6 }, () => Math.floor(random() * 65_536)));
    default:
      return one(TEXTS);
  }
}

function record(random: () => number, depth: number): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (let count = Math.floor(random() * 9); count > 0; count -= 1) {
    const name = NAMES[Math.floor(random() * NAMES.length)] as string;
    // As JSON.parse does: `__proto__` is a name like any other.
    Object.defineProperty(made, name, {
      value: value(random, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

function event(random: () => number): Record<string, unknown> {
  const type = TYPES[Math.floor(random() * TYPES.length)] as string;
  const base = { v: 1, source: 'a', seq: Math.floor(random() * 1e6), time: 1_790_000_000_000, type };
  return random() < 0.5 ? { ...base, ...record(random, 0) } : { ...record(random, 0), ...base };
}

test('twenty thousand random events, hostile ones among them, are written as JSON.stringify writes them', () => {
  const random = seeded(20_261_122);
  const writer = new LineWriter();
  for (let count = 0; count < 20_000; count += 1) {
    const given = event(random);
    assert.equal(writer.write(given), JSON.stringify(given));
  }
});

test('an event of each kind, twice and with other texts, is written as JSON.stringify writes it', () => {
  const writer = new LineWriter();
  const kinds: Record<string, unknown>[] = [
    {
      type: 'policy.configured',
      options: { retry: { maxRetries: 3, retryOn: ['TIMEOUT'] }, breaker: false },
      seed: 7,
    },
    { type: 'call.started', task: undefined },
    { type: 'call.started', task: 'plan' },
    {
      type: 'attempt.failed',
      signals: { status: 429, hint: undefined },
      technicalDetails: 'a · b',
      retryable: true,
    },
    { type: 'attempt.failed', signals: { status: 500, type: 'x' }, technicalDetails: 'c', statusCode: 500 },
    { type: 'attempt.failed', signals: {}, statusCode: undefined },
    { type: 'breaker.changed', window: { total: 3, failures: 1, slow: 0, last: [0, 1, 2] }, retryAt: NaN },
    {
      type: 'attempt.succeeded',
      usage: { inputTokens: 1, outputTokens: undefined },
      durationMs: 0.30000000000000004,
    },
  ];
  for (let round = 0; round < 3; round += 1) {
    for (const [index, kind] of kinds.entries()) {
      const given = { v: 1, source: 'p', seq: round * 10 + index, time: 1.5, policy: `p${round}`, ...kind };
      assert.equal(writer.write(given), JSON.stringify(given));
    }
  }
});

test('objects that speak for themselves are asked, as JSON.stringify asks them', () => {
  const writer = new LineWriter();
  const plain = { v: 1, type: 'x', name: 'a' };
  class Own {
    readonly #hidden = 1;
    readonly shown = 2;
    get both(): number {
      return this.#hidden + this.shown;
    }
  }
  const hidden = Object.defineProperty({ v: 1 }, 'toJSON', { value: () => 'spoken' });
  const cases: object[] = [
    plain,
    { ...plain, toJSON: () => ({ spoken: true }) },
    { ...plain, inner: { toJSON: () => 'inner' } },
    { ...plain, inner: hidden },
    { ...plain, own: new Own(), date: new Date(5), text: new String('x'), number: new Number(3) },
    Object.assign(Object.create({ inherited: 1 }), plain),
    Object.assign(Object.create(null), plain),
    [1, 2],
  ];
  for (const given of cases) assert.equal(writer.write(given), JSON.stringify(given));
});

test('what somebody gave to all objects is in no line', () => {
  const writer = new LineWriter();
  const given = { v: 1, type: 'x', polluted: 'own', after: 1 };
  const without = { v: 1, type: 'x', after: 1 };
  assert.equal(writer.write(given), JSON.stringify(given));
  const everything = Object.prototype as unknown as Record<string, unknown>;
  everything.polluted = 'everywhere';
  try {
    assert.equal(writer.write(without), '{"v":1,"type":"x","after":1}');
    assert.equal(writer.write(given), JSON.stringify(given));
  } finally {
    delete everything.polluted;
  }
});

test('what JSON.stringify throws is thrown, and the next event is written as ever', () => {
  const writer = new LineWriter();
  const cycle: Record<string, unknown> = { v: 1, type: 'x' };
  cycle.self = cycle;
  assert.throws(() => writer.write(cycle), TypeError);
  assert.throws(() => writer.write({ v: 1, type: 'x', big: 1n }), TypeError);
  const thrower = {
    v: 1,
    type: 'x',
    get broken(): never {
      throw new RangeError('mine');
    },
  };
  assert.throws(() => writer.write(thrower), RangeError);
  assert.equal(writer.write({ v: 1, type: 'x' }), '{"v":1,"type":"x"}');
});

test('neither many types nor many fields make it grow without end', () => {
  const writer = new LineWriter();
  for (let count = 0; count < 500; count += 1) {
    const given = { v: 1, type: `type ${count}`, [`field ${count}`]: count };
    assert.equal(writer.write(given), JSON.stringify(given));
  }
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field ${index}`, index]));
  assert.equal(writer.write(wide), JSON.stringify(wide));
  for (let count = 0; count < 500; count += 1) {
    const given = { v: 1, type: 'x', [`other ${count}`]: 'y' };
    assert.equal(writer.write(given), JSON.stringify(given));
  }
});
