// `sentences.json` through the built package: what applications say in a plain Error is carried out once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, classify, createPolicy, explainClassification } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { cases } from './cases.js';

const sentences = cases<{ text: string }>('sentences').map(({ text }) => text);

/** How often a policy calls an operation that throws this. */
async function calls(thrown: unknown, retry?: { retryOn: 'NETWORK_ERROR'[] }, idempotent = true) {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false, ...(retry !== undefined && { retry }) });
  let count = 0;
  const response = policy.respond(
    () => {
      count++;
      throw thrown;
    },
    { idempotent },
  );
  await clock.advance(1e9);
  assert.equal((await response).success, false);
  return count;
}

test('two hundred sentences of applications are carried out once', async () => {
  assert.ok(sentences.length >= 200);
  for (const text of sentences) {
    for (const thrown of [new Error(text), text, { message: text }]) {
      const { retryable, severity } = classify(thrown);
      assert.equal(retryable, false, text);
      assert.notEqual(severity, 'retriable', text);
    }
    assert.equal(await calls(new Error(text)), 1, text);
    assert.equal(await calls(new Error(text), undefined, false), 1, text);
  }
});

test('words alone decide the code, and say so', () => {
  const error = new Error('payment failed: card network error');
  const { classification, signals, afterwards } = explainClassification(error);
  assert.equal(classification.code, 'NETWORK_ERROR');
  assert.equal(classification.severity, 'critical');
  assert.equal(signals.wordsAlone, true);
  assert.deepEqual(afterwards, ['NETWORK_ERROR by words alone; name the code in retryOn to retry it.']);
  const limited = classify(new Error('rate limit exceeded for this member'));
  assert.deepEqual([limited.code, limited.severity, limited.retryable], ['RATE_LIMITED', 'critical', false]);
});

test('a retryOn that names the code retries it, unless it may not be repeated', async () => {
  const error = new Error('payment failed: card network error');
  assert.equal(await calls(error, { retryOn: ['NETWORK_ERROR'] }), 4);
  assert.equal(await calls(error, { retryOn: ['NETWORK_ERROR'] }, false), 1);
  assert.equal(await calls(new Error('fetch failed'), undefined, false), 1);
});

test('a classifier that names the code is believed', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false, classify: () => ({ code: 'NETWORK_ERROR' }) });
  const signals: Record<string, unknown>[] = [];
  policy.onEvent((event) => {
    if (event.type === 'attempt.failed') signals.push(event.signals);
  });
  let count = 0;
  const response = policy.respond(() => {
    count++;
    throw new Error('the network is down');
  });
  await clock.advance(1e9);
  assert.equal((await response).success, false);
  assert.equal(count, 4);
  assert.equal(signals.length, 4);
  assert.ok(signals.every((read) => read.wordsAlone === undefined));
});

test('structure anywhere in the chain lets words count', () => {
  const words = 'the connection was closed';
  for (const thrown of [
    Object.assign(new Error(words), { code: 'ECONNRESET' }),
    Object.assign(new Error(words), { status: 503 }),
    new Error(words, { cause: Object.assign(new Error('x'), { code: 'EPIPE' }) }),
    new Error(words, { cause: new Error('socket hang up') }),
  ]) {
    assert.equal(classify(thrown).retryable, true, JSON.stringify(thrown));
  }
  const own = new AgentError('NETWORK_ERROR', words);
  assert.equal(classify(own).retryable, true);
});

test('the whole message must be what a library sends', () => {
  for (const text of ['socket hang up', 'Connection terminated unexpectedly', 'fetch failed', 'terminated']) {
    assert.equal(classify(new Error(text)).retryable, true, text);
    assert.equal(classify(new Error(`${text}.`)).retryable, true, text);
    assert.equal(classify(new Error(`the mail was sent: ${text}`)).retryable, false, text);
    assert.equal(classify(new Error(`${text} after the mail was sent`)).retryable, false, text);
    assert.equal(classify(new Error(`"The mail was sent" ${text}`)).retryable, false, text);
    assert.equal(classify(new Error(`${text} {"sent":true}`)).retryable, false, text);
  }
});
