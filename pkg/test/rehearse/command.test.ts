// `npx halfopen rehearse`: an agent of another process, its report and the exit status.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
