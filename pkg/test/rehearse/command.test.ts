// `npx halfopen rehearse`: an agent of another process, its report and the exit status.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WAIT } from '../../../scripts/patience.mjs';

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
  spawnSync(process.execPath, [COMMAND, 'rehearse', ...args], { encoding: 'utf8', timeout: WAIT });
const agent = ['--', process.execPath, '--input-type=module', '-e', AGENT];

test('an agent runs once for each scenario; the exit status is that of --fail-under', () => {
  const good = rehearse('--scenario', 'question', '--json', '--fail-under', '80', ...agent);
  const { results } = JSON.parse(good.stdout);
  assert.equal(results[0].score.done, 1);
  assert.equal(results[0].requests.length, 1);
  assert.equal(good.status, 0);
  const bad = rehearse('--scenario', '500-once', '--fail-under', '80', ...agent);
  assert.match(bad.stdout, /The user read nothing/);
  assert.match(bad.stdout, /^group +scenarios +total +done .*\nwire +1 +\d+\.\d +0\.00 /m);
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

/** The address of the tools that a server prints. */
async function served({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    text += chunk;
    const url = /HALFOPEN_REHEARSE_TOOLS_URL='(.*)'/.exec(text)?.[1];
    if (url !== undefined && text.includes('HALFOPEN_REHEARSE_TASK')) return url;
  }
  throw new Error(`the server printed no address: ${text}`);
}

/** Waits until nothing listens there; the test's limit of time is the end of its patience. */
async function gone(url: string): Promise<void> {
  while (
    await fetch(url).then(
      () => true,
      () => false,
    )
  )
    await sleep(50);
}

const serveArgs = ['rehearse', '--serve', '--scenario', 'question'];

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(`--serve ends when npx is ended by ${signal}`, async () => {
    const npx = spawn('npx', ['--no', '--', 'halfopen', ...serveArgs], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await served(npx);
    assert.equal((await fetch(url)).status, 404);
    npx.kill(signal);
    await gone(url);
  });

test('--serve ends when the program that holds its standard input ends', async () => {
  const server = spawn(process.execPath, [COMMAND, ...serveArgs], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await served(server);
  await sleep(1000); // a pipe that closes earlier counts as one that was never held
  assert.equal((await fetch(url)).status, 404);
  server.stdin?.end();
  await gone(url);
});

test('--serve goes on without an input, and ends by a signal', async () => {
  const server = spawn(process.execPath, [COMMAND, ...serveArgs], { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin?.end();
  const url = await served(server);
  await sleep(1000);
  assert.equal((await fetch(url)).status, 404);
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  assert.equal(code, 0);
});
