// `npx halfopen rehearse`: an agent of another process, its report and the exit status.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const COMMAND = join(import.meta.dirname, '../../bin/halfopen.js');
const AGENT = `
const { OPENAI_BASE_URL, OPENAI_API_KEY, HALFOPEN_REHEARSE_TASK } = process.env;
const answer = await fetch(OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: HALFOPEN_REHEARSE_TASK }] }),
});
console.log((await answer.json()).choices[0].message.content);`;

const rehearse = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, 'rehearse', ...args], { encoding: 'utf8', timeout: 60_000 });
const agent = ['--', process.execPath, '--input-type=module', '-e', AGENT];

test('an agent runs once for each scenario; the exit status is that of --fail-under', () => {
  const good = rehearse('--scenario', 'question', '--json', '--fail-under', '80', ...agent);
  const { results } = JSON.parse(good.stdout);
  assert.equal(results[0].score.done, 1);
  assert.equal(results[0].requests.length, 1);
  assert.equal(good.status, 0);
  const bad = rehearse('--scenario', '500-once', '--fail-under', '80', ...agent);
  assert.match(bad.stdout, /The user read nothing/);
  assert.equal(bad.status, 1);
});

test('--list has every scenario; misuse exits with 2', () => {
  assert.match(rehearse('--list').stdout, /^effect +refund-lost /m);
  assert.equal(rehearse().status, 2);
  assert.equal(rehearse('--scenario', 'none', ...agent).status, 2);
});

test('--speed divides the waits, and --html writes every request and what the user read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-rehearse-'));
  const file = join(folder, 'card.html');
  try {
    const run = rehearse(
      '--scenario',
      '429-milliseconds',
      '--speed',
      '100',
      '--json',
      '--html',
      file,
      ...agent,
    );
    assert.equal(run.status, 0, run.stderr);
    const { speed, results } = JSON.parse(run.stdout);
    assert.equal(speed, 100);
    assert.equal(results[0].requests[0].fault, 'rate-limited');
    const html = readFileSync(file, 'utf8');
    assert.match(html, /<details class="scenario" open>/);
    assert.match(html, /fault: <b>rate-limited<\/b>/);
    assert.match(html, /Rate limit reached for gpt-4o/);
    assert.match(html, /<h3>The user read<\/h3><p><i>nothing<\/i>/);
    assert.equal(html.includes('<script'), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.equal(rehearse('--speed', '0', ...agent).status, 2);
});

test('what an agent sends and prints is no markup of the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-rehearse-'));
  const file = join(folder, 'card.html');
  try {
    const mean = "console.log('<script>alert(1)</script>')";
    rehearse('--scenario', 'question', '--html', file, '--', process.execPath, '-e', mean);
    const html = readFileSync(file, 'utf8');
    assert.equal(html.includes('<script'), false);
    assert.match(html, /&#60;script&#62;alert/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
