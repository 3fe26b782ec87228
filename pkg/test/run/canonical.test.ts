// The canonical form of arguments and results, and results that report an empty finding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownWork } from '../../../scripts/patience.mjs';
import { argumentsOf, canonical, hashOf, settled } from '../../src/run/canonical.js';
import { isNothing } from '../../src/run/nothing.js';

test('the canonical form is that of RFC 8785', () => {
  // The example of its section 3.2.2 and 3.2.3, and the order by UTF-16 units.
  const given = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  assert.equal(
    canonical(given),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  assert.equal(
    canonical({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }),
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  );
});

test('values that JSON does not have do no harm', () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle.self = circle;
  assert.equal(canonical(circle), '{"a":1,"self":"[circle]"}');
  assert.equal(canonical({ a: undefined, b: () => 1, c: Number.NaN, d: 2n }), '{"c":"NaN","d":"2"}');
  assert.equal(canonical(new Error('down')), '{"message":"down","name":"Error"}');
  assert.equal(
    canonical({
      get a() {
        throw new Error('no');
      },
    }),
    'null',
  );
});

test('bytes are the same if each of them is, and a megabyte is no work', () => {
  const work = ownWork();
  const picture = (last: number) => new Uint8Array(2 ** 20).fill(last, -1);
  const forms: ((bytes: Uint8Array<ArrayBuffer>) => unknown)[] = [
    (bytes) => bytes,
    (bytes) => ({ data: Buffer.from(bytes) }),
    (bytes) => [bytes.buffer],
    (bytes) => new DataView(bytes.buffer, 8),
  ];
  for (const form of forms) {
    assert.equal(canonical(form(picture(1))), canonical(form(picture(1))));
    assert.notEqual(canonical(form(picture(1))), canonical(form(picture(0x81))));
    assert.ok(canonical(form(picture(1))).length < 200);
  }
  const tookMs = work();
  assert.ok(tookMs < 3000, `${tookMs} ms`); // as lists of numbers each took seconds
});

test('a text of many drives is no work', () => {
  const work = ownWork();
  settled('a:\\'.repeat(50_000));
  const tookMs = work();
  assert.ok(tookMs < 1000, `${tookMs} ms`);
  assert.equal(settled('C:\\Users\\a\\AppData\\Local\\Temp\\x-1.txt'), '…');
});

test('arguments are the same as an object and as JSON text', () => {
  assert.equal(
    canonical(argumentsOf('{"b":1,"a":[2,{"d":3,"c":4}]}')),
    canonical({ a: [2, { c: 4, d: 3 }], b: 1 }),
  );
  for (const missing of [undefined, null, '', '  ', '{}', 'null']) assert.deepEqual(argumentsOf(missing), {});
  assert.equal(argumentsOf('{"a":'), '{"a":');
});

test('times, ids and temporary paths within texts do not count; all else does', () => {
  const same = [
    ['at 2026-11-27T10:00:01.123Z', 'at 2026-11-27T10:00:02+01:00'],
    ['id 6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'id 00000000-0000-4000-8000-000000000001'],
    ['commit 0123456789abcdef0123', 'commit fedcba9876543210aaaa'],
    ['wrote /tmp/run-1/x.txt.', 'wrote /tmp/run-2/x.txt.'],
  ];
  for (const [one, other] of same as [string, string][]) assert.equal(settled(one), settled(other));
  for (const [one, other] of [
    ['2 of 15 ready', '3 of 15 ready'],
    ['free on 2026-11-27', 'free on 2026-11-28'],
    ['00:04:10 left', '00:03:10 left'],
    ['commit abc1234', 'commit def5678'],
  ] as [string, string][]) {
    assert.notEqual(settled(one), settled(other));
  }
});

test('an id does not count wherever it is in a text', () => {
  for (let before = 0; before <= 17; before++) {
    const text = (id: string) => `${'- '.repeat(before).slice(0, before)} ${id} is it`;
    for (const id of [
      '0123456789ab',
      '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      '0xABCDEF012345',
      '/var/folders/x/y',
    ])
      assert.equal(settled(text(id)), text('…'));
    for (const id of ['0123456789a', '01234567-89ab', 'decade', '/var/log/x'])
      assert.equal(settled(text(id)), text(id));
  }
});

test('hashes of a hundred thousand texts differ, in each half too', () => {
  const halves = { high: new Set<number>(), low: new Set<number>() };
  const whole = new Set<string>();
  for (let i = 0; i < 100_000; i++) {
    const { high, low } = hashOf(`read\n{"path":"src/file-${i}.ts"}`);
    halves.high.add(high);
    halves.low.add(low);
    whole.add(`${high} ${low}`);
  }
  assert.equal(whole.size, 100_000);
  // By chance about one pair of 32 bits in a hundred thousand is the same.
  assert.ok(halves.high.size > 99_980 && halves.low.size > 99_980, `${halves.high.size} ${halves.low.size}`);
});

test('a hash depends on each unit, on the length and on the seed', () => {
  const text = 'a result with an odd number of units in it!';
  const all = new Set<string>();
  const add = ({ high, low }: { high: number; low: number }) => all.add(`${high} ${low}`);
  for (let at = 0; at < text.length; at++) {
    for (const unit of ['\u0000', '\uffff', 'q']) add(hashOf(text.slice(0, at) + unit + text.slice(at + 1)));
    add(hashOf(text.slice(0, at)));
    add(hashOf(text, at));
  }
  add(hashOf(`${text}\u0000`));
  // The seed 0 is that of a text without one.
  assert.equal(all.size, text.length * 5 + 1);
});

test('results that say that there is nothing', () => {
  const nothing = [
    null,
    '',
    '  \n',
    [],
    {},
    { results: [] },
    { hits: [], total: 0, query: 'x' },
    'No results',
    'No results found.',
    'No matches found',
    'no files found',
    '0 results',
    'Found 0 matches',
    'No matching files were found in src',
    'There are no orders for this customer.',
    'Not found',
    'Nothing found.',
    'No results found for "left-handed hammer".',
    "I couldn't find any documents about that.",
    '(0 rows)',
    '(core memory is empty)',
    '[]',
    '{"results": []}',
    'Keine Treffer',
    'No se encontraron resultados',
    'Aucun résultat',
    '見つかりませんでした。',
    '没有找到相关结果',
    '***',
    'Zero rows returned',
    'Unable to find any match',
    'cannot find a file',
    "didn't find anything",
    'n/a',
    'undefined',
    'The todo list is empty.',
    'Query returned empty set',
    'Nichts gefunden',
    'Sin resultados',
    'Ningún resultado',
    'Rien trouvé',
    '結果はありませんでした',
    '該当なし',
    '未找到文件',
    '无结果',
    '暂无数据',
    { content: [{ type: 'text', text: 'No results found' }] },
    { title: 'Success', metadata: {}, output: '' },
  ];
  for (const result of nothing) assert.ok(isNothing(result), JSON.stringify(result));
  const something = [
    undefined,
    0,
    false,
    'ok',
    'done',
    [0],
    { a: 1 },
    { results: [1] },
    { a: [], b: [] },
    'No errors found',
    'no problems',
    'All 12 tests passed',
    '1 failing: no results shown for an empty query',
    'No file was harmed while 3 were written to disk',
    'saved',
    new Date(0),
    new Map(),
    {
      content: [
        { type: 'text', text: 'No results' },
        { type: 'image', data: '' },
      ],
    },
    `No results found\n${'but here is a long page. '.repeat(20)}`,
  ];
  for (const result of something) assert.ok(!isNothing(result), JSON.stringify(result));
});
