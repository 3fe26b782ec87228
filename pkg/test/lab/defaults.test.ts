// `npx halfopen defaults`, and what a default has to hold over drawn scenarios.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));

interface Summary {
  answered: number;
  worse: number;
  worst: number;
  load: number;
  mostLoad: number;
}

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [BIN, 'defaults', ...args],
      { maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

test('more calls are answered than without a policy, and as many as with any other default, at little more load', async () => {
  const { code, stdout } = await run('--seed', '101', '--scenarios', '180', '--json');
  assert.equal(code, 0);
  const { summary, scenarios } = JSON.parse(stdout) as {
    summary: Record<string, Summary>;
    scenarios: unknown[];
  };
  assert.equal(scenarios.length, 180);
  const { halfopen, 'no policy': none, ...others } = summary;
  assert.ok(halfopen !== undefined && none !== undefined);
  assert.ok(halfopen.answered >= none.answered + 0.01, JSON.stringify(summary));
  assert.equal(Object.keys(others).length, 4);
  // Two of them are near: which answers more depends on the draw.
  for (const [name, other] of Object.entries(others))
    assert.ok(halfopen.answered > other.answered - 0.01, name);
  assert.ok(halfopen.worse <= 9 && halfopen.load <= 1.15, JSON.stringify(halfopen));
});

test("prints a table, the losses, and the sources of the other libraries' numbers", async () => {
  const { code, stdout, stderr } = await run('--seed', '3', '--scenarios', '22');
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.split('\n');
  assert.match(lines[0] ?? '', /^defaults of +answered +more +worse in +at most +load +at most$/);
  assert.match(lines[1] ?? '', /^no policy +\d\d\.\d % +0\.0 +0 +0\.0 +1\.00x +1\.00x$/);
  assert.match(lines[2] ?? '', /^halfopen +\d\d\.\d % +\d\.\d +\d+ /);
  assert.match(stdout, /Another answers over 2 points more in \d+ of 22:/);
  for (const source of ['openai-node', 'ai-sdk.dev', 'p-retry#options']) assert.ok(stdout.includes(source));
  const again = await run('--seed', '3', '--scenarios', '22');
  assert.equal(again.stdout, stdout);
});

test('a wrong option ends with 2 and says what was expected', async () => {
  for (const [args, says] of [
    [['--seed', 'x'], /--seed expects a whole number from 0 to \d+, got 'x'/],
    [['--scenarios', '0'], /--scenarios expects a whole number from 1 to 10000, got '0'/],
    [['file.json'], /'defaults' expects no files, got 'file.json'/],
    [['--seeds', '3'], /'defaults' has no option --seeds/],
  ] as const) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});
