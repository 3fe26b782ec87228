// Memory that the core requests and does not get: every module may grow by a little, and then no more. A larger need is
// a trap, and like any trap it reaches no guarded call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';

const MEMORY_SECTION = 5;
/** 64 KiB each, beyond what a module begins with. */
const PAGES = 8;

function readNumber(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let place = 0; ; place += 1) {
    const byte = bytes[at + place] as number;
    value |= (byte & 127) << (7 * place);
    if (byte < 128) return [value, at + place + 1];
  }
}

function written(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...written(value >>> 7)];
}

/** The module with a memory that has a most ("memory section", WebAssembly Core §5.5.8). */
function withLimit(bytes: Uint8Array): Uint8Array {
  let at = 8;
  while (at < bytes.length) {
    const section = bytes[at];
    const [size, content] = readNumber(bytes, at + 1);
    if (section === MEMORY_SECTION) {
      const [count, flags] = readNumber(bytes, content);
      const [least] = readNumber(bytes, flags + 1);
      assert.equal(count, 1, 'one memory');
      const limited = [1, 1, ...written(least), ...written(least + PAGES)];
      const parts = [bytes.subarray(0, at), [MEMORY_SECTION, ...written(limited.length), ...limited]];
      return Uint8Array.from([...parts, bytes.subarray(content + size)].flatMap((part) => [...part]));
    }
    at = content + size;
  }
  return bytes;
}

let limited = 0;
const { Module } = WebAssembly;
WebAssembly.Module = new Proxy(Module, {
  construct(target, [source]) {
    const bytes = new Uint8Array(
      ArrayBuffer.isView(source)
        ? source.buffer.slice(source.byteOffset, source.byteOffset + source.byteLength)
        : source,
    );
    const module = new target(bytes);
    // The module that decodes the others' texts imports nothing, and must grow.
    if (Module.imports(module).length === 0) return module;
    limited += 1;
    return new target(withLimit(bytes) as Uint8Array<ArrayBuffer>);
  },
});

const {
  AgentError,
  buildExplanationPrompt,
  classify,
  createErrorContext,
  createPolicy,
  onEvent,
  redact,
  renderReport,
  ResponseError,
  ResponseHandler,
  route,
} = await import('halfopen');

test('more policies than fit: each call has its answer, and events say that the core began anew', async () => {
  const restarts: HalfopenEvent[] = [];
  const stop = onEvent((event) => event.type === 'core.restarted' && restarts.push(event));
  const policies = [];
  for (let made = 0; made < 400; made += 1) {
    const window = { kind: 'count' as const, size: 1000, failureRate: 0.5, minimumCalls: 10 };
    const policy = createPolicy({ name: `p${made}`, breaker: { window } });
    assert.equal(await policy.execute(() => made), made);
    policies.push(policy);
  }
  stop();
  assert.ok(limited > 0 && restarts.length > 0, `${limited} modules, ${restarts.length} restarts`);
  // Those of an instance that is gone go on in the next one.
  for (const policy of policies) assert.equal(await policy.execute(() => 'on'), 'on');
});

test('errors of any length are classified', () => {
  for (const length of [10, 10_000, 10_000_000])
    assert.equal(classify({ status: 429, message: 'x'.repeat(length) }).code, 'RATE_LIMITED');
});

test('names of any length are classified', () => {
  for (const length of [10, 10_000, 10_000_000]) {
    const name = 'x'.repeat(length);
    assert.equal(classify({ status: 429 }, { provider: name, model: name }).code, 'RATE_LIMITED');
  }
});

const LONG = 'x y '.repeat(750_000);

test('a response whose text does not fit is read: the text stays where it is', () => {
  const whole = { choices: [{ message: { content: LONG }, finish_reason: 'stop' }] };
  assert.equal(new ResponseHandler().processResponse(whole).text, LONG);
  const handler = new ResponseHandler();
  assert.equal(handler.processChunk({ choices: [{ delta: { content: LONG } }] })?.text, LONG);
});

const call = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'write', arguments: JSON.stringify(LONG) },
};
const whole = { choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
const chunk = { choices: [{ delta: { tool_calls: [call] } }] };
async function* chunks() {
  yield chunk;
}
const tooLong: Record<string, (handler: InstanceType<typeof ResponseHandler>) => unknown> = {
  'a whole response': (handler) => handler.processResponse(whole),
  'its validation': (handler) => handler.validateResponse(whole),
  'a chunk': (handler) => handler.processChunk(chunk),
  'a stream': async (handler) => {
    for await (const _ of handler.watch(chunks()));
  },
  'an exchange': (handler) => handler.collect(chunks),
};

for (const [what, read] of Object.entries(tooLong)) {
  test(`${what} whose tool call does not fit is a ResponseError, and the handler goes on`, async () => {
    const handler = new ResponseHandler();
    const error = await (async () => read(handler))().then(
      () => assert.fail('it was read'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof ResponseError, String(error));
    assert.equal(error.code, 'INVALID_RESPONSE');
    assert.equal(error.retryable, false);
    assert.match(error.message, /more memory than there is/);
    handler.reset();
    const next = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
    assert.equal(handler.processResponse(next).text, 'Hi');
  });
}

const context = () => createErrorContext({ currentTask: LONG });
const others: Record<string, [larger: () => unknown, smaller: () => unknown]> = {
  redact: [() => redact(LONG), () => redact('x')],
  route: [
    () => route({ error: new AgentError('TIMEOUT', 'x'), capabilityName: LONG }),
    () => route({ error: new AgentError('TIMEOUT', 'x') }),
  ],
  renderReport: [() => renderReport(context()), () => renderReport(createErrorContext({}))],
  buildExplanationPrompt: [
    () => buildExplanationPrompt(context()),
    () => buildExplanationPrompt(createErrorContext({})),
  ],
};

for (const [what, [larger, smaller]] of Object.entries(others)) {
  test(`what does not fit is a RangeError of ${what}, and the next call goes well`, () => {
    assert.throws(larger, (error: unknown) => {
      assert.ok(error instanceof RangeError, String(error));
      assert.match(error.message, /^halfopen: .*memory/);
      assert.equal((error.cause as Error).name, 'RuntimeError');
      return true;
    });
    assert.ok(smaller());
  });
}
