// Tools that never throw, operations that an agent can do without, texts cut short, loops that end.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import {
  AgentError,
  type AgentErrorResponse,
  degrade,
  type HalfopenEvent,
  iterationLimit,
  onEvent,
  TOOL_ERROR_CODES,
  type ToolResult,
  toolResult,
  truncate,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

/** Invented, and put together here so that no scanner takes this file for a leak. */
const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');

describe('toolResult', () => {
  test('a string becomes a result, synchronous or not', async () => {
    const expected = { title: 'Success', metadata: {}, output: 'done' };
    assert.deepEqual(await toolResult(() => 'done')(), expected);
    assert.deepEqual(await toolResult(async () => 'done')(), expected);
    assert.deepEqual(await toolResult(() => 'done', { title: 'Search' })(), { ...expected, title: 'Search' });
  });

  test("a result is the tool's own", async () => {
    const result: ToolResult = { title: 'Found', metadata: { hits: 3 }, output: 'a, b, c' };
    assert.deepEqual(await toolResult(() => result, { title: 'Search' })(), result);
  });

  test('arguments are handed on', async () => {
    const add = toolResult((a: number, b: number) => String(a + b));
    assert.equal((await add(2, 3)).output, '5');
  });

  test('a throw becomes a result, synchronous or not', async () => {
    const expected = {
      title: 'Error',
      metadata: { error: 'boom', code: 'TOOL_EXECUTION_ERROR', retryable: false },
      output: 'Error: boom',
    };
    const thrower = (): string => {
      throw new Error('boom');
    };
    assert.deepEqual(await toolResult(thrower)(), expected);
    assert.deepEqual(await toolResult(async () => thrower())(), expected);
  });

  test('a real failure of the file system has its code', async () => {
    const { metadata, output } = await toolResult((path: string) => readFile(path, 'utf8'))('/no/such/file');
    assert.ok(['NOT_FOUND', 'IO_ERROR'].includes(metadata.code as string), String(metadata.code));
    assert.match(output, /^Error: ENOENT: no such file/);
  });

  for (const code of TOOL_ERROR_CODES) {
    test(`an AgentError keeps its code: ${code}`, async () => {
      const told: AgentErrorResponse[] = [];
      const fail = toolResult(() => Promise.reject(new AgentError(code, 'why')), {
        onError: (error) => told.push(error),
      });
      const { metadata, output } = await fail();
      const expected = code === 'UNKNOWN' ? 'TOOL_EXECUTION_ERROR' : code;
      assert.deepEqual([metadata.code, metadata.error, output], [expected, 'why', 'Error: why']);
      assert.deepEqual(
        told.map((error) => [error.success, error.error]),
        [[false, expected]],
      );
    });
  }

  test('no secret comes out', async () => {
    const result = await toolResult(() => Promise.reject(new Error(`401 for ${key}`)))();
    assert.ok(!JSON.stringify(result).includes(key));
    assert.equal(result.output, 'Error: 401 for [redacted]');
  });

  test('whatever is thrown, it never rejects', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const getter = Object.defineProperty(new Error('x'), 'message', { get: () => assert.fail('trap') });
    for (const thrown of [null, undefined, '', 0, {}, [], Symbol('s'), proxy, getter, new Error('')]) {
      const result = await toolResult(() => Promise.reject(thrown))();
      assert.match(result.output, /^Error: .+/s);
      assert.equal(result.title, 'Error');
    }
  });

  test('an observer that throws or rejects changes nothing', async () => {
    const fail = (): never => {
      throw new Error('boom');
    };
    for (const onError of [fail, async () => fail()] as (() => void)[]) {
      assert.equal((await toolResult(fail, { onError })()).output, 'Error: boom');
    }
  });

  test("a JavaScript tool's returns instead of a result", async () => {
    for (const [value, output] of [
      [undefined, ''],
      [42, '42'],
      [{ a: 1 }, '{"a":1}'],
      [null, 'null'],
      [{ output: 'x' }, 'x'],
    ]) {
      const result = await toolResult(() => value as string)();
      assert.deepEqual(result, { title: 'Success', metadata: {}, output });
    }
  });

  test('wrong arguments are refused at once', () => {
    assert.throws(() => toolResult('x' as never), {
      name: 'TypeError',
      message: /'execute' must be a function, got 'x'/,
    });
    assert.throws(() => toolResult(() => '', { titel: 'x' } as never), {
      name: 'TypeError',
      message: /unknown option 'titel'.*'title'/,
    });
    assert.throws(() => toolResult(() => '', { onError: 1 as never }), {
      name: 'TypeError',
      message: /'onError' must be a function, got 1/,
    });
  });
});

describe('degrade', () => {
  const boom = (): never => {
    throw new Error('boom');
  };

  test('without a failure, the value; the fallback is not called', async () => {
    assert.equal(await degrade(() => 1, { name: 'x', fallback: () => assert.fail() }), 1);
    assert.equal(await degrade(async () => 1, { name: 'x', fallback: 2 }), 1);
  });

  test('with one, the fallback: a value, a function, a promise', async () => {
    assert.equal(await degrade(boom, { name: 'x', fallback: 2 }), 2);
    assert.equal(await degrade(boom, { name: 'x', fallback: (error) => error.message }), 'boom');
    assert.equal(await degrade(async () => boom(), { name: 'x', fallback: async () => 3 }), 3);
    assert.equal(await degrade(boom, { name: 'x', fallback: undefined }), undefined);
  });

  test('a failure is reported to onDebug, with everything technical and without secrets, and as an event', async () => {
    const told: [string, Record<string, unknown>][] = [];
    const events: HalfopenEvent[] = [];
    const stop = onEvent((event) => events.push(event));
    await degrade(() => Promise.reject(Object.assign(new Error(`no ${key}`), { code: 'ECONNRESET' })), {
      name: 'telemetry',
      fallback: null,
      onDebug: (message, details) => {
        told.push([message, details]);
        throw new Error('an observer changes nothing');
      },
    });
    stop();
    assert.equal(told.length, 1);
    const [message, details] = told[0] ?? ['', {}];
    assert.equal(message, 'telemetry failed, using its fallback');
    assert.deepEqual(
      [details.operation, details.code, details.error],
      ['telemetry', 'NETWORK_ERROR', 'no [redacted]'],
    );
    assert.match(String(details.stack), /tool\.test\.ts/);
    assert.ok(!JSON.stringify(details).includes(key));
    assert.deepEqual(
      events.map((event) => event.type === 'degraded' && [event.operation, event.code]),
      [['telemetry', 'NETWORK_ERROR']],
    );
  });

  test('a late result is a failure, and is ignored when it comes', async () => {
    const clock = new VirtualClock();
    let reject: (error: Error) => void = () => {};
    const late = degrade(
      () =>
        new Promise<string>((_, no) => {
          reject = no;
        }),
      {
        name: 'summary',
        fallback: (error) => error.code,
        timeoutMs: 5000,
        clock,
      },
    );
    await clock.advance(4999);
    assert.equal(clock.pending, 1);
    await clock.advance(1);
    assert.equal(await late, 'TIMEOUT');
    reject(new Error('nobody listens'));
    assert.equal(clock.pending, 0);
  });

  test('in time leaves no timer and no listener', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    assert.equal(await degrade(() => 1, { name: 'x', fallback: 2, timeoutMs: 10, clock, signal }), 1);
    assert.equal(await degrade(boom, { name: 'x', fallback: 2, timeoutMs: 10, clock, signal }), 2);
    assert.equal(clock.pending, 0);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('cancellation still rejects: before, during, and when the operation itself was cancelled', async () => {
    const fallback = (): never => assert.fail('asked');
    const cancelled = (reason?: unknown) => (error: AgentError) =>
      error.code === 'CANCELLED' && (reason === undefined || error.cause === reason);
    await assert.rejects(
      degrade(() => assert.fail('called'), { name: 'x', fallback, signal: AbortSignal.abort('why') }),
      cancelled('why'),
    );
    const controller = new AbortController();
    const during = degrade(() => new Promise(() => {}), {
      name: 'x',
      fallback,
      signal: controller.signal,
      timeoutMs: 1000,
      clock: new VirtualClock(),
    });
    controller.abort('why');
    await assert.rejects(during, cancelled('why'));
    await assert.rejects(
      degrade(() => Promise.reject(new DOMException('x', 'AbortError')), { name: 'x', fallback }),
      cancelled(),
    );
  });

  test('a fallback that throws rejects with its own error, whose cause is the first', async () => {
    await assert.rejects(
      degrade(boom, { name: 'x', fallback: () => Promise.reject(new AgentError('IO_ERROR', 'full')) }),
      (error: AgentError) => error.code === 'IO_ERROR' && (error.cause as AgentError).message === 'boom',
    );
  });

  test('wrong options are refused at once', () => {
    const wrong: [unknown, RegExp][] = [
      [{ fallback: 1 }, /'name' must be a string, got undefined/],
      [{ name: 'x' }, /'fallback' must be a value or a function, got undefined/],
      [
        { name: 'x', fallback: 1, timeoutMs: -1 },
        /'timeoutMs' must be a number of milliseconds, 0 or more, got -1/,
      ],
      [{ name: 'x', fallback: 1, timeoutMs: Number.NaN }, /'timeoutMs'.*got NaN/],
      [{ name: 'x', fallback: 1, signal: {} }, /'signal' must be an AbortSignal/],
      [{ name: 'x', fallback: 1, timeout: 1 }, /unknown option 'timeout'.*'timeoutMs'/],
    ];
    for (const [options, message] of wrong) {
      assert.throws(() => degrade(() => 1, options as never), { name: 'TypeError', message });
    }
    assert.throws(() => degrade(1 as never, { name: 'x', fallback: 1 }), {
      name: 'TypeError',
      message: /'operation' must be a function/,
    });
  });
});

describe('truncate', () => {
  const cases: [string, number, string][] = [
    ['short', 5, 'short'],
    ['', 0, ''],
    ['anything', 0, ''],
    ['anything', 1, '…'],
    ['Hello wonderful world', 12, 'Hello…'],
    ['Hello wonderful world', 16, 'Hello wonderful…'],
    ['Hello wonderful world', 17, 'Hello wonderful…'],
    ['Hello wonderful world', 20, 'Hello wonderful…'],
    ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
    ['https://host.example/a/very/long/path', 12, 'https://…'],
    ['line one\n\nline two', 11, 'line one…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12, '👩‍👩‍👧‍👦…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 11, '…'],
    ['e\u0301e\u0301e\u0301', 4, 'e\u0301…'],
    ['🇩🇪🇫🇷🇯🇵', 6, '🇩🇪…'],
    ['ไทยภาษา', 100, 'ไทยภาษา'],
  ];
  for (const [content, length, expected] of cases) {
    test(`${JSON.stringify(content)} at ${length}`, () => assert.equal(truncate(content, length), expected));
  }

  test('Chinese is cut between words, of which it writes no spaces', () => {
    const cut = truncate('请在设置中检查模型名称', 7);
    assert.ok(cut.endsWith('…') && cut.length <= 7 && cut.length >= 4, cut);
  });

  test('without Intl.Segmenter, words end at spaces, and no mark or half of a pair is torn off', (t) => {
    const { Segmenter } = Intl;
    t.after(() => Object.assign(Intl, { Segmenter }));
    Reflect.deleteProperty(Intl, 'Segmenter');
    for (const [content, length, expected] of [
      ['Hello wonderful world', 12, 'Hello…'],
      ['Hello wonderful world', 17, 'Hello wonderful…'],
      ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
      ['e\u0301e\u0301e\u0301', 4, 'e\u0301…'],
      ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12, '👩‍👩‍👧‍👦…'],
      ['😀😀', 3, '😀…'],
    ] as const)
      assert.equal(truncate(content, length), expected);
  });

  test('at most maxLength UTF-16 units, a beginning of the text, never half a character', () => {
    const content = 'Grüße aus 東京 👩‍👩‍👧‍👦 und naïve café e\u0301\u0301\u0301 – fin de l’été 🇩🇪🇫🇷'.repeat(
      3,
    );
    for (let length = 0; length <= content.length + 1; length++) {
      const cut = truncate(content, length);
      assert.ok(cut.length <= length);
      assert.ok(
        cut === content || length === 0 || (cut.endsWith('…') && content.startsWith(cut.slice(0, -1))),
        cut,
      );
      assert.doesNotThrow(() => encodeURIComponent(cut), 'a lone surrogate');
    }
  });

  test('a megabyte is cut at once', () => {
    assert.equal(truncate('word '.repeat(1_000_000), 9), 'word…');
  });

  test('an invalid length is a TypeError', () => {
    for (const length of [-1, 1.5, Number.NaN, '5', undefined]) {
      assert.throws(() => truncate('x', length as number), {
        name: 'TypeError',
        message: /'maxLength' must be a whole number/,
      });
    }
    assert.throws(() => truncate(3 as never, 1), TypeError);
    assert.equal(truncate('x', Number.POSITIVE_INFINITY), 'x');
  });
});

describe('iterationLimit', () => {
  test('max calls pass, the next throws, and every one after it', () => {
    const limit = iterationLimit(3);
    for (let n = 1; n <= 3; n++) {
      limit.next();
      assert.equal(limit.count, n);
    }
    for (let again = 0; again < 2; again++) {
      assert.throws(
        () => limit.next(),
        (error: AgentError) => {
          assert.ok(AgentError.is(error));
          assert.deepEqual(
            [error.code, error.severity, error.retryable],
            ['MAX_ITERATIONS_EXCEEDED', 'critical', false],
          );
          assert.match(error.message, /limit of 3/);
          return true;
        },
      );
      assert.equal(limit.count, 3);
    }
  });

  test('none at all, and no bound', () => {
    assert.throws(() => iterationLimit(0).next(), { code: 'MAX_ITERATIONS_EXCEEDED' });
    const endless = iterationLimit(Number.POSITIVE_INFINITY);
    for (let n = 0; n < 1000; n++) endless.next();
    assert.equal(endless.count, 1000);
  });

  test('an invalid bound is a TypeError', () => {
    for (const max of [-1, 1.5, Number.NaN, '3', undefined]) {
      assert.throws(() => iterationLimit(max as number), {
        name: 'TypeError',
        message: /'max' must be a whole number/,
      });
    }
  });
});
