// The errors of refused and cut-off calls, and a call's leftovers at its signal.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { AgentError, createPolicy, LOCALES } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { deaf, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

test('a refusal is by the name of the breaker, where it has one of its own', async () => {
  const { policy } = onVirtualClock({
    name: 'chat',
    retry: false,
    breaker: { name: 'openai', failureThreshold: 1, resetTimeoutMs: 30_000 },
  });
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable())),
    'SERVER_ERROR',
  );
  const error = await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  assert.equal(error.message, "Circuit 'openai' is open; try again in 30000 ms");
});

test('a breaker that may refuse a share says that it is open when it is', async () => {
  const { policy } = onVirtualClock({
    name: 'chat',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 30_000, rampMs: 1000 },
  });
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable())),
    'SERVER_ERROR',
  );
  const error = await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  assert.equal(error.message, "Circuit 'chat' is open; try again in 30000 ms");
});

test('an attempt that took too long is shown with its timeout', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, timeout: { attemptMs: 100 } });
  const { events } = recordEvents(policy);
  const result = rejectsWith(policy.execute(deaf), 'TIMEOUT');
  await clock.advance(100);
  await result;
  const failed = events.find((event) => event.type === 'attempt.failed');
  assert.ok(failed?.type === 'attempt.failed');
  assert.deepEqual([failed.rule, failed.signals], ['policy.timeout', { timeoutMs: 100 }]);
});

test('the signal of an attempt that lost a race says why', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 } });
  let reason: unknown;
  const result = policy.execute(({ attempt, signal }) => {
    if (attempt === 2) return 'second';
    signal.addEventListener('abort', () => {
      reason = signal.reason;
    });
    return deaf();
  });
  await clock.advance(10);
  assert.equal(await result, 'second');
  assert.ok(AgentError.is(reason));
  assert.deepEqual([reason.code, reason.message], ['CANCELLED', 'Another attempt answered first']);
});

test('a signal keeps no listener of a call that has ended', async () => {
  const { signal } = new AbortController();
  const { policy } = onVirtualClock();
  const call = policy.execute(async () => 'x', { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  await call;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('after isolate() nobody reads that something failed, nor that all is refused where a throttle refuses a share', async () => {
  const paused: Record<string, string> = {
    en: 'Requests to OpenAI are paused for now. Please try again in a moment.',
    de: 'Anfragen an OpenAI sind vorerst angehalten. Bitte versuchen Sie es in Kürze erneut.',
    es: 'Por ahora no se envían solicitudes a OpenAI. Vuelva a intentarlo dentro de un momento.',
    fr: 'Aucune demande n’est envoyée à OpenAI pour le moment. Veuillez réessayer dans un instant.',
    ja: 'OpenAIへのリクエストを一時的に停止しています。しばらくしてからもう一度お試しください。',
    zh: '目前已暂停向OpenAI发送请求。请稍后重试。',
  };
  const policy = createPolicy({ provider: 'openai' });
  policy.breaker?.isolate();
  const isolated = await rejectsWith(
    policy.execute(() => assert.fail()),
    'CIRCUIT_OPEN',
  );
  assert.equal(isolated.message, "Circuit 'default' is isolated");
  for (const locale of LOCALES) {
    for (const audience of ['owner', 'visitor'] as const) {
      assert.equal(isolated.userMessage({ locale, audience }), paused[locale]);
    }
  }
  assert.equal((await policy.respond(() => assert.fail())).message, paused.en);

  const throttling = createPolicy({
    provider: 'openai',
    retry: false,
    seed: 7,
    breaker: { throttle: { k: 1, minimumCalls: 1 } },
  });
  const errors: AgentError[] = [];
  for (let call = 0; call < 50; call++) {
    errors.push(await rejection(throttling.execute(() => Promise.reject(retryable()))));
  }
  const refused = errors.find(({ code }) => code === 'CIRCUIT_OPEN');
  assert.equal(
    refused?.userMessage(),
    'OpenAI has had problems, so only some requests are sent to it for now. Please try again in a moment.',
  );
});
