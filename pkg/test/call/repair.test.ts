// Requests of one's own that are changed after an error that says what to change.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { AgentError, type AgentErrorCode, createPolicy, type HalfopenEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import type { Remedy } from '../../src/classify/remedy.js';
import { onVirtualClock, rejection } from '../policy/given.js';

const drop = (name: string): Remedy => ({ kind: 'drop-parameter', name });
const refused = (remedy: Remedy, code: AgentErrorCode = 'VALIDATION_ERROR') =>
  new AgentError(code, `Unsupported: ${'name' in remedy ? remedy.name : remedy.kind}`, { remedy });

/** A provider that refuses each of these parameters, one at a time; and a request that has them. */
function provider(...unsupported: string[]) {
  const request = new Set([...unsupported, 'model']);
  const sent: string[][] = [];
  return {
    sent,
    send: () => {
      sent.push([...request]);
      const bad = unsupported.find((name) => request.has(name));
      if (bad !== undefined) throw refused(drop(bad));
      return 'answer';
    },
    repair: (remedy: Remedy) => remedy.kind === 'drop-parameter' && request.delete(remedy.name),
  };
}

const types = (events: readonly HalfopenEvent[]) => events.map(({ type }) => type);

test('the request is sent again at once, though the error is not retryable and retries are off', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const { events } = recordEvents(policy);
  const { send, repair, sent } = provider('temperature');
  assert.equal(await policy.execute(send, { repair }), 'answer');
  assert.deepEqual(sent, [['temperature', 'model'], ['model']]);
  assert.deepEqual(types(events), [
    'policy.configured',
    'call.started',
    'attempt.started',
    'attempt.failed',
    'attempt.repaired',
    'attempt.started',
    'attempt.succeeded',
    'call.succeeded',
  ]);
  const event = events.find((one) => one.type === 'attempt.repaired');
  assert.ok(event?.type === 'attempt.repaired');
  assert.deepEqual([event.attempt, event.remedy, event.changes], [1, 'drop-parameter', []]);
});

test('it may take its time, and may decline', async () => {
  const { policy } = onVirtualClock();
  const { send, repair } = provider('temperature');
  const later = async (remedy: Remedy) => repair(remedy);
  assert.equal(await policy.execute(send, { repair: later }), 'answer');

  const other = provider('temperature');
  const error = await rejection(policy.execute(other.send, { repair: async () => false }));
  assert.equal(error.message, 'Unsupported: temperature');
  assert.equal(error.attempts, 1);
});

test('a repair is not one of maxRetries, and a retryable error is retried after it as ever', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 2 } });
  const { events } = recordEvents(policy);
  const repairs: string[] = [];
  const empty = refused({ kind: 'ask-again', because: 'empty' }, 'INVALID_RESPONSE');
  const failing = new AgentError(empty.code, empty.message, { remedy: empty.remedy, retryable: true });
  const result = rejection(
    policy.execute(() => Promise.reject(failing), {
      repair: ({ kind }) => repairs.push(kind) > 0,
    }),
  );
  await clock.advance(60_000);
  const error = await result;
  assert.deepEqual(repairs, ['ask-again']);
  assert.equal(error.attempts, 4);
  assert.equal(types(events).filter((type) => type === 'retry.scheduled').length, 2);
});

test('a remedy that did not help is applied once, and the first error says what was tried', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  let calls = 0;
  const error = await rejection(
    policy.execute(
      () => Promise.reject(new AgentError('VALIDATION_ERROR', `refused ${++calls}`, { remedy: drop('x') })),
      { repair: () => true },
    ),
  );
  assert.equal(error.message, 'refused 1 (tried: drop-parameter)');
  assert.deepEqual([error.code, error.attempts, calls], ['VALIDATION_ERROR', 2, 2]);
  assert.deepEqual(
    error.errors.map(({ message }) => message),
    ['refused 1', 'refused 2'],
  );
  const failed = events.find((one) => one.type === 'call.failed');
  assert.ok(failed?.type === 'call.failed');
  assert.deepEqual([failed.attempts, failed.tried], [2, ['drop-parameter']]);
});

/** A provider that counts the tokens, the calls or the bytes again each time, and a hook that changes a little and says so. */
const varying: Record<string, (attempt: number) => Remedy> = {
  shorten: (attempt) => ({ kind: 'shorten', limit: 128_000, sent: 200_000 - attempt }),
  'pair-tool-calls': (attempt) => ({ kind: 'pair-tool-calls', ids: [`call_${attempt}`] }),
  'set-parameter': (attempt) => ({ kind: 'set-parameter', name: 'max_tokens', value: 9000 - attempt }),
  'drop-media': (attempt) => ({ kind: 'drop-media', reason: 'too-large', at: `messages[${attempt}]` }),
  'rename-calls': (attempt) => ({ kind: 'rename-calls', maxLength: 64 - attempt }),
};
for (const [kind, remedyOf] of Object.entries(varying))
  test(`the same code, kind and name is the same remedy, whatever its numbers and ids are: ${kind}`, async () => {
    const { policy } = onVirtualClock({ retry: false });
    let attempts = 0;
    const operation = () => {
      if (++attempts > 20) return 'without end';
      throw new AgentError('CONTEXT_LENGTH_EXCEEDED', `refused ${attempts}`, { remedy: remedyOf(attempts) });
    };
    const error = await rejection(policy.execute(operation, { repair: () => true }));
    assert.equal(error.message, `refused 1 (tried: ${kind})`);
    assert.deepEqual([error.attempts, attempts], [2, 2]);
  });

test('another name or another reason is another remedy; two of them are all that a call applies', async () => {
  const remedies: Remedy[] = [
    { kind: 'fix-messages', problem: 'empty' },
    { kind: 'fix-messages', problem: 'order' },
    drop('temperature'),
  ];
  const { policy } = onVirtualClock({ retry: false });
  const repaired: Remedy[] = [];
  const error = await rejection(
    policy.execute(({ attempt }) => Promise.reject(refused(remedies[attempt - 1] as Remedy)), {
      repair: (remedy) => repaired.push(remedy) > 0,
    }),
  );
  assert.deepEqual(repaired, remedies.slice(0, 2));
  assert.equal(error.message, 'Unsupported: temperature (tried: fix-messages, fix-messages)');
  assert.equal(error.attempts, 3);
});

test('an error of another kind after a repair is the one that is thrown', async () => {
  const { policy } = onVirtualClock();
  const error = await rejection(
    policy.execute(
      ({ attempt }) =>
        Promise.reject(attempt === 1 ? refused(drop('x')) : new AgentError('AUTHENTICATION_ERROR', 'no key')),
      { repair: () => true },
    ),
  );
  assert.equal(error.code, 'AUTHENTICATION_ERROR');
  assert.equal(error.message, 'no key (tried: drop-parameter)');
});

test('a repaired request has another idempotency key', async () => {
  const { policy } = onVirtualClock();
  for (const idempotencyKey of [undefined, 'job-7']) {
    const keys: string[] = [];
    const { send, repair } = provider('a', 'b');
    await policy.execute(
      (context) => {
        keys.push(context.idempotencyKey);
        return send();
      },
      { repair, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    );
    assert.equal(new Set(keys).size, 3, String(keys));
    if (idempotencyKey !== undefined)
      assert.deepEqual(keys, ['job-7', 'job-7.repaired-1', 'job-7.repaired-2']);
  }
});

test('the deadline bounds a repair that takes its time', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { totalMs: 1000 } });
  const { send } = provider('temperature');
  const result = rejection(policy.execute(send, { repair: () => new Promise<boolean>(() => {}) }));
  await clock.advance(1000);
  const error = await result;
  assert.deepEqual([error.code, error.attempts], ['TIMEOUT', 1]);
  assert.equal(policy.stats().inFlight, 0);
});

test('the caller can cancel meanwhile, and what the repair says is too late', async () => {
  const { policy } = onVirtualClock();
  const abort = new AbortController();
  const { send, sent } = provider('temperature');
  let done: (repaired: boolean) => void = () => {};
  const repairing = new Promise<boolean>((resolve) => {
    done = resolve;
  });
  const result = rejection(policy.execute(send, { signal: abort.signal, repair: () => repairing }));
  await new Promise(setImmediate);
  abort.abort();
  done(true);
  assert.equal((await result).code, 'CANCELLED');
  await new Promise(setImmediate);
  assert.equal(sent.length, 1);
});

test('a repair that throws has changed nothing, and the developer is told', async () => {
  const messages: string[] = [];
  const policy = createPolicy({ onDebug: (message) => messages.push(message) });
  const { send } = provider('temperature');
  const error = await rejection(
    policy.execute(send, {
      repair: () => {
        throw new Error('no');
      },
    }),
  );
  assert.equal(error.message, 'Unsupported: temperature');
  assert.ok(messages.some((message) => message.startsWith('repair threw')));
});

test('it is not asked about an error without a remedy, nor about a stream that broke off', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const repair = (): boolean => assert.fail('called');
  await rejection(policy.execute(() => Promise.reject(new Error('x')), { repair }));
  const chunks: number[] = [];
  const reading = async () => {
    const source = async function* () {
      yield 1;
      throw refused(drop('x'));
    };
    for await (const chunk of policy.stream<number>(source, { repair })) chunks.push(chunk);
  };
  assert.equal((await rejection(reading())).code, 'VALIDATION_ERROR');
  assert.deepEqual(chunks, [1]);
});

test('a stream that was refused before its first chunk is repaired', async () => {
  const { policy } = onVirtualClock();
  const { send, repair, sent } = provider('temperature');
  const chunks: string[] = [];
  const source = async function* () {
    yield send();
  };
  for await (const chunk of policy.stream(source, { repair })) chunks.push(chunk);
  assert.deepEqual([chunks, sent.length], [['answer'], 2]);
});

test('a repaired 400 never opens a breaker', async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 } });
  for (let call = 0; call < 3; call++) {
    const { send, repair } = provider('temperature');
    await policy.execute(send, { repair });
  }
  assert.equal(policy.breaker?.state, 'closed');
});

test('law: each remedy is applied at most once, two in all, and every failure is one attempt', async () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(names, fc.boolean(), async (failures, helps) => {
      const { policy } = onVirtualClock({ retry: false });
      const { events } = recordEvents(policy);
      const applied: string[] = [];
      let attempts = 0;
      const call = policy.execute(
        () => {
          const name = failures[attempts++];
          if (name !== undefined) throw refused(drop(name));
          return 'answer';
        },
        {
          repair: (remedy) => {
            if (helps && remedy.kind === 'drop-parameter') applied.push(remedy.name);
            return helps;
          },
        },
      );
      await call.catch(() => {});
      assert.deepEqual(applied, [...new Set(applied)]);
      assert.ok(applied.length <= 2);
      const count = (type: string) => types(events).filter((one) => one === type).length;
      assert.equal(count('attempt.started'), attempts);
      assert.equal(count('attempt.repaired'), applied.length);
      assert.equal(attempts, applied.length + 1);
    }),
  );
});
