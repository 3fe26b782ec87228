// A tool's output within bounds: head and tail, and where the rest is.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toolResult } from 'halfopen';

const LINE = /\n\n\[(\d+) of (\d+) characters are left out\.(?: They are here: ([\s\S]*))?\]\n\n/;

/** Head, line and tail of a cut output. */
function parts(output: string) {
  const found = LINE.exec(output);
  assert.ok(found, output.slice(0, 200));
  const [line, missing, length, place] = found;
  const head = output.slice(0, found.index);
  return {
    ...{ head, tail: output.slice(found.index + line.length), place },
    ...{ missing: Number(missing), length: Number(length) },
  };
}

describe('the output of toolResult', () => {
  test('50,000 characters pass as they are; of more, head and tail remain', async () => {
    const fits = 'x'.repeat(50_000);
    assert.deepEqual(await toolResult(() => fits)(), { title: 'Success', metadata: {}, output: fits });
    const long = `begin ${'x'.repeat(120_000)} end`;
    const { output, metadata } = await toolResult(() => long)();
    const { head, tail, missing, length } = parts(output);
    assert.ok(output.length <= 50_000 && output.length > 49_900, `${output.length}`);
    assert.ok(head.startsWith('begin ') && tail.endsWith(' end'));
    assert.deepEqual([head.length + missing + tail.length, length], [long.length, long.length]);
    assert.deepEqual(metadata, { missingCharacters: missing });
  });

  test('a result of its own is cut too, and keeps what else it has', async () => {
    const result = { title: 'Log', metadata: { lines: 9 }, output: 'y'.repeat(900), own: 1 };
    const { output, ...rest } = await toolResult(() => result, { maxOutput: 300 })();
    const { missing } = parts(output);
    assert.deepEqual(rest, { title: 'Log', own: 1, metadata: { lines: 9, missingCharacters: missing } });
    assert.equal(result.output.length, 900);
    const json = await toolResult(() => ({ rows: Array(500).fill('row') }) as never, { maxOutput: 200 })();
    assert.match(json.output, LINE);
  });

  test('`Infinity` is no bound, and 0 leaves the line alone', async () => {
    const long = 'z'.repeat(200_000);
    assert.equal((await toolResult(() => long, { maxOutput: Infinity })()).output, long);
    const { head, tail, missing } = parts((await toolResult(() => long, { maxOutput: 0 })()).output);
    assert.deepEqual([head, tail, missing], ['', '', 200_000]);
  });

  test('`spill` gets the rest, and the model reads where it is', async () => {
    const long = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n');
    const spilled: unknown[] = [];
    const read = toolResult(() => long, {
      name: 'logs',
      maxOutput: 2000,
      spill: async (rest, about) => {
        spilled.push([rest, about]);
        return '/tmp/logs-1.txt';
      },
    });
    const { output } = await read();
    const { head, tail, place } = parts(output);
    const rest = long.slice(head.length, long.length - tail.length);
    assert.deepEqual(spilled, [[rest, { tool: 'logs', output: long }]]);
    assert.equal(place, '/tmp/logs-1.txt');
    assert.ok(output.length <= 2000);
    await toolResult(() => 'short', { spill: () => assert.fail('nothing to spill') })();
  });

  test('a spill that fails, or says nothing, loses no result', async () => {
    const fails: (() => unknown)[] = [
      () => {
        throw new Error('disk full');
      },
      () => Promise.reject(new Error('disk full')),
      () => undefined,
      () => 7,
    ];
    for (const spill of fails) {
      const run = toolResult(() => 'x'.repeat(5000), { maxOutput: 1000, spill: spill as never });
      const { output, metadata } = await run();
      assert.equal(parts(output).place, undefined);
      assert.equal(metadata.error, undefined);
    }
    const long = toolResult(() => 'x'.repeat(9000), { maxOutput: 2000, spill: () => 'p'.repeat(9000) });
    const { output } = await long();
    assert.ok(output.length <= 2000 && parts(output).place?.endsWith('…'));
  });

  test('no grapheme is torn apart, and nothing but the middle is lost', async () => {
    const pieces = ['a', ' ', '\n', '\r\n', 'é', 'e\u0301', '👩‍👩‍👧‍👦', '🇨🇭', '👍🏽', '日', 'क्षि'];
    const text = fc.array(fc.constantFrom(...pieces), { minLength: 300, maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 60, max: 290 }), async (given, maxOutput) => {
        const long = given.join('');
        const { output } = await toolResult(() => long, { maxOutput })();
        const { head, tail, missing } = parts(output);
        assert.ok(output.length <= maxOutput, `${output.length} > ${maxOutput}`);
        assert.equal(head.length + missing + tail.length, long.length);
        assert.ok(long.startsWith(head) && long.endsWith(tail));
        const borders = new Set([0, long.length]);
        for (const { index } of new Intl.Segmenter().segment(long)) borders.add(index);
        assert.ok(borders.has(head.length) && borders.has(long.length - tail.length));
      }),
      { numRuns: 200 },
    );
  });

  test('wrong options are TypeErrors', () => {
    assert.throws(() => toolResult(() => '', { maxOutput: -1 }), /maxOutput/);
    assert.throws(() => toolResult(() => '', { spill: 'x' as never }), /spill/);
  });
});
