// An error that ends a call says where it came from: the operation's frames, and those of the functions that await it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, createPolicy, failover, type Policy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

async function failingTool(): Promise<never> {
  await undefined;
  throw Object.assign(new Error('the provider said no'), { status: 503 });
}

/** The stack of what the call rejects with, in a function that awaits it. Waits of the policy pass. */
async function stackOf(call: (clock: VirtualClock) => Promise<unknown>): Promise<string> {
  const clock = new VirtualClock();
  async function businessFunction(): Promise<void> {
    await call(clock);
  }
  let stack: string | undefined;
  const ended = businessFunction().catch((error: Error) => {
    stack = String(error.stack);
  });
  while (stack === undefined) await clock.advance(1000);
  await ended;
  return stack;
}

const stop = (): Policy => createPolicy({ retry: false });

describe('the stack has the operation and who awaits the call', () => {
  const calls: Record<string, (clock: VirtualClock) => Promise<unknown>> = {
    'one attempt': () => stop().execute(failingTool),
    'an operation that throws at once': () =>
      stop().execute(function failingTool() {
        throw new TypeError('x');
      }),
    'after retries': (clock) => createPolicy({ clock, retry: { maxRetries: 2 } }).execute(failingTool),
    'with options': () => stop().execute(failingTool, { task: 'x' }),
    'a wrapped function': () => stop().wrap(failingTool)(),
    failover: () => failover([{ policy: stop(), run: failingTool }]),
    'a stream': async () => {
      async function* failingSource(): AsyncGenerator<number> {
        yield 1;
        await failingTool();
      }
      for await (const _ of stop().stream(failingSource));
    },
    'an AgentError of the operation': () =>
      stop().execute(async function failingTool() {
        await undefined;
        throw new AgentError('VALIDATION_ERROR', 'x');
      }),
    'a fallback that fails too': () =>
      stop().execute(async () => Promise.reject(new Error('x')), { fallback: failingTool }),
  };
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      const stack = await stackOf(call);
      assert.match(stack, /^\w+: /, 'the first line has name and message');
      assert.match(stack, /\n {4}at .*failingTool.*stacks\.test/);
      assert.match(stack, /\n {4}at async .*stacks\.test/);
    });
  }
});

test('the frames of the callers come from their awaits', async () => {
  const stack = await stackOf(() => stop().execute(failingTool));
  assert.match(stack, /\n {4}at async businessFunction .*stacks\.test/);
  assert.equal(stack.split('businessFunction').length, 2, 'each frame is there once');
});

test('a timeout has no operation to show, but who waited for it', async () => {
  const stack = await stackOf((clock) =>
    createPolicy({ clock, retry: false, timeout: { attemptMs: 100 } }).execute(() => new Promise(() => {})),
  );
  assert.match(stack, /^AgentError: Attempt timed out after 100 ms\n {4}at async /);
});

test('a refusal stays cheap', async () => {
  const policy = createPolicy({ retry: false, breaker: { failureThreshold: 1 } });
  await policy.execute(failingTool).catch(() => {});
  const stack = await stackOf(() => policy.execute(failingTool));
  assert.match(stack, /^AgentError: Circuit/);
  assert.ok(!stack.includes('\n'));
});

test('the stack begins with the message, and nothing is captured before it is needed', async () => {
  const stack = await stackOf(() => stop().execute(failingTool));
  assert.ok(stack.startsWith('AgentError: the provider said no\n'), stack);
  const thrown = new Error('x');
  let read = 0;
  Object.defineProperty(thrown, 'stack', {
    get: () => {
      read++;
      return 'Error: x\n    at somewhere (file.js:1:2)';
    },
  });
  const error = await stop()
    .execute(() => Promise.reject(thrown))
    .catch((error: unknown) => error as AgentError);
  assert.equal(read, 0, 'nobody has read the stack yet');
  assert.match(String(error.stack), /^AgentError: x\n {4}at somewhere \(file\.js:1:2\)/);
  assert.equal(read, 1);
});
