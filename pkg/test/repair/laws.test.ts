// Laws of repaired conversations, for conversations made at random in each format, and broken in up to three ways.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyRemedy, findProblems, type RequestFormat, repairConversation } from 'halfopen/repair';
import { BREAKERS, broken, FORMATS, frozen, saidIn, sound } from './conversations.js';

const RUNS = { numRuns: 400 };

for (const [name, { render, refused }] of Object.entries(FORMATS)) {
  const format = name as RequestFormat;
  describe(format, () => {
    test('a sound conversation is the very same object, and has no problems', () => {
      fc.assert(
        fc.property(sound, (messages) => {
          const request = frozen(render(messages));
          assert.equal(refused(request), undefined);
          assert.deepEqual(findProblems(request), []);
          assert.deepEqual(repairConversation(request).changes, []);
          assert.equal(repairConversation(request).request, request);
          assert.equal(applyRemedy(request, { kind: 'pair-tool-calls', ids: [] }), undefined);
        }),
        RUNS,
      );
    });

    test('a repaired conversation is valid, has no problems, and is not repaired again', () => {
      fc.assert(
        fc.property(broken, (messages) => {
          const request = frozen(render(messages));
          const repaired = repairConversation(request);
          assert.equal(refused(repaired.request), undefined);
          assert.deepEqual(findProblems(repaired.request), []);
          assert.equal(repairConversation(frozen(repaired.request)).request, repaired.request);
          if (refused(request) !== undefined) assert.notDeepEqual(findProblems(request), []);
          if (repaired.request !== request) assert.notDeepEqual(repaired.changes, []);
        }),
        RUNS,
      );
    });

    test('the format is recognised: to name it changes nothing', () => {
      fc.assert(
        fc.property(broken, (messages) => {
          const request = frozen(render(messages));
          assert.deepEqual(findProblems(request), findProblems(request, { format }));
        }),
        { numRuns: 100 },
      );
    });

    test('nothing that the user or the model said is lost, and no call', () => {
      fc.assert(
        fc.property(broken, (messages) => {
          const request = frozen(render(messages));
          const before = saidIn(request);
          const after = saidIn(repairConversation(request).request);
          const words = before.texts.map((text) => text.trimEnd()).filter((text) => text !== '');
          let next = 0;
          for (const text of after.texts) if (text.trimEnd() === words[next]) next += 1;
          assert.equal(next, words.length, `lost: ${words[next]}`);
          assert.deepEqual(after.calls, before.calls);
          assert.equal(after.images, before.images);
        }),
        RUNS,
      );
    });

    test('the words of a change quote nothing', () => {
      fc.assert(
        fc.property(broken, (messages) => {
          const request = frozen(render(messages));
          const texts = saidIn(request).texts.filter((text) => /\w \d+$/.test(text));
          const words = [
            ...repairConversation(request).changes,
            ...findProblems(request).map(({ problem, at }) => `${problem} ${at}`),
          ].join('\n');
          assert.deepEqual(
            texts.filter((text) => words.includes(text)),
            [],
          );
        }),
        { numRuns: 100 },
      );
    });

    test('messages that a repair does not concern stay the same objects', () => {
      fc.assert(
        fc.property(sound, fc.nat(), (messages, number) => {
          const request = frozen(
            render(
              BREAKERS.droppedResult?.(messages, (below) => (below === 0 ? 0 : number % below)) ?? messages,
            ),
          );
          const list = (one: typeof request) => one.messages ?? one.input ?? one.contents ?? one.prompt;
          const before = new Set(list(request));
          const { request: repaired } = repairConversation(request);
          const fresh = list(repaired).filter((message: unknown) => !before.has(message));
          assert.ok(fresh.length <= 1, 'one result was missing');
          for (const key of Object.keys(request)) {
            if (list(request) !== request[key]) assert.equal(repaired[key], request[key]);
          }
        }),
        RUNS,
      );
    });
  });
}

test('each way of breaking a conversation does break it, in some format', () => {
  for (const [name, breaker] of Object.entries(BREAKERS)) {
    const isHit = fc
      .sample(fc.tuple(sound, fc.infiniteStream(fc.nat())), { numRuns: 60, seed: 7 })
      .some(([messages, numbers]) => {
        const at = (below: number) => (below === 0 ? 0 : (numbers.next().value ?? 0) % below);
        const changed = breaker(messages, at);
        return Object.values(FORMATS).some(({ render, refused }) => refused(render(changed)) !== undefined);
      });
    assert.ok(isHit, `${name} breaks nothing`);
  }
});
