// The module that Node loads has the findings of the same crate on this machine, word for word.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FIXTURES } from './command.js';

const { Diagnosis } = (await import(
  new URL('../../dist/esm/diagnose-node.js', import.meta.url).href
)) as typeof import('../../src/diagnose/index.js');

/** Written by `UPDATE=1 cargo test -p halfopen-diagnose --test vectors`. */
const vectors = JSON.parse(
  readFileSync(new URL('../../../tests/vectors/findings.json', import.meta.url), 'utf8'),
) as {
  log: string;
  lines: number;
  findings: { title: string }[];
}[];

test('ten logs have the findings that the checks have natively', () => {
  assert.equal(vectors.length, 10);
  for (const { log, lines, findings } of vectors) {
    const diagnosis = new Diagnosis();
    for (const line of readFileSync(`${FIXTURES}${log}.jsonl`, 'utf8').split('\n').slice(0, lines))
      diagnosis.take(line);
    assert.deepEqual(
      diagnosis.query<{ findings: unknown[] }>('findings').findings,
      findings,
      `${log} ${lines}`,
    );
  }
});

test('a log that is longer than what crosses at once is whole, and two logs are apart', () => {
  const long = new Diagnosis();
  const other = new Diagnosis();
  const calls = 20_000;
  for (let seq = 0; seq < calls; seq++)
    long.take(
      `{"v":1,"source":"s","seq":${seq},"time":${1e12 + seq},"policy":"é","call":"c${seq}","type":"call.started"}`,
    );
  assert.equal(long.query<{ calls: number }>('log').calls, calls);
  assert.equal(other.query<{ calls: number }>('log').calls, 0);
  const { calls: last } = long.query<{ calls: { policy: string }[] }>('calls', {
    filter: `call:c${calls - 1}`,
  });
  assert.deepEqual(
    last.map(({ policy }) => policy),
    ['é'],
  );
});

test('a question about what is not there is an error that says so', () => {
  assert.throws(() => new Diagnosis().query('call', { id: 'x' }), /^Error: the log has no call 'x'$/);
});
