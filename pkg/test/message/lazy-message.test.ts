// The message for users costs more than all the rest of a classification: it is made when it is first read, and only then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { AgentError, classify, explainClassification } from 'halfopen';

const BUSY = { status: 429, headers: { 'retry-after': '60' } };
const SENTENCE = 'Too many requests were sent to OpenAI in a short time. Please try again in about 1 minute.';

test('a message that was not read is not there yet, and reading it makes a plain property of it', () => {
  const found = classify(BUSY, { provider: 'openai' });
  assert.equal(Object.getOwnPropertyDescriptor(found, 'userMessage')?.value, undefined);
  assert.equal(found.userMessage, SENTENCE);
  assert.deepEqual(Object.getOwnPropertyDescriptor(found, 'userMessage'), {
    value: SENTENCE,
    writable: true,
    configurable: true,
    enumerable: true,
  });
});

test('JSON, copies, comparisons and the console have the message', () => {
  const fresh = () => classify(BUSY, { provider: 'openai' });
  assert.equal(JSON.parse(JSON.stringify(fresh())).userMessage, SENTENCE);
  assert.equal({ ...fresh() }.userMessage, SENTENCE);
  assert.equal(structuredClone({ ...fresh() }).userMessage, SENTENCE);
  assert.deepEqual(Object.keys(fresh()).slice(0, 4), ['code', 'severity', 'retryable', 'userMessage']);
  assert.match(inspect(fresh()), /userMessage: 'Too many requests/);
  assert.deepStrictEqual(fresh(), fresh());
});

test('an application can write the message', () => {
  const found = classify(BUSY);
  found.userMessage = 'Later.';
  assert.equal(found.userMessage, 'Later.');
});

test("an error's own method is called when the message is read, once", () => {
  let calls = 0;
  class Own extends AgentError {
    override userMessage(): string {
      calls += 1;
      return 'Own words.';
    }
  }
  const found = classify(new Own('TIMEOUT', 'x'));
  assert.equal(calls, 0);
  assert.equal(found.userMessage + found.userMessage, 'Own words.Own words.');
  assert.equal(calls, 1);
});

test('an explanation reads the thrown value once', () => {
  let reads = 0;
  const thrown = {
    get status() {
      reads += 1;
      return 429;
    },
  };
  const { classification, tried } = explainClassification(thrown);
  assert.equal(classification.code, 'RATE_LIMITED');
  assert.equal(tried.at(-1)?.rule, classification.rule);
  assert.equal(reads, 1);
});
