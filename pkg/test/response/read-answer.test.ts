// Answers of status 200 without a body: LangChain and the Agents SDK read them and throw a TypeError, in the engine's words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/error/agent-error.js';
import { readAnswer } from '../../src/response/answers.js';

/** The reads of the hosts, of something that is not there. */
const absent = undefined as never as { choices: { message: unknown }[] };
const ofV8 = [
  () => absent.choices,
  () => (null as never as typeof absent).choices,
  () =>
    ({ choices: [] as { message: unknown }[] }).choices[0]?.message ??
    (absent as never as { message: 0 }).message,
  () => 'object' in (absent as object),
];
/** As JavaScriptCore and Gecko say the same. */
const ofOthers = [
  "undefined is not an object (evaluating 'response.choices')",
  "null is not an object (evaluating 'response.choices')",
  "undefined is not an object (evaluating 'data.choices[0].message')",
  'can\'t access property "choices", response is undefined',
  'can\'t access property "message", data.choices[0] is undefined',
];
const throws = (error: unknown) => () => {
  throw error;
};

test('an answer that is not there is worth another attempt, in the words of every engine', async () => {
  for (const read of [...ofV8, ...ofOthers.map((words) => throws(new TypeError(words)))])
    for (const call of [read, async () => read()])
      await assert.rejects(readAnswer<unknown>(call), (error) => {
        assert.ok(AgentError.is(error), String(error));
        assert.deepEqual([error.code, error.retryable], ['INVALID_RESPONSE', true]);
        assert.equal(error.message, "expected a model's answer, got none");
        return error.cause instanceof TypeError;
      });
});

test('any other error stays as it is, and so does an answer', async () => {
  for (const error of [
    new TypeError('fetch failed'),
    new TypeError("Cannot read properties of undefined (reading 'map')"),
    new TypeError('messages[0].choices is not a function'),
    new Error("Cannot read properties of undefined (reading 'choices')"),
    'undefined choices',
  ])
    await assert.rejects(readAnswer(throws(error)), (thrown) => thrown === error);
  const answer = { choices: [] };
  assert.equal(await readAnswer(() => answer), answer);
});
