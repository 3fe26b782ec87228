// Tokens and limits of the real SDKs' answers are in the events without the operation's help.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { install } from './installed.js';

/** Whose answers, as the SDK returns them, have their headers with them. */
const WITH_HEADERS = [
  'openai, chat, withResponse()',
  'anthropic, withResponse()',
  'ai sdk',
  'ai sdk, streamed',
];

test('tokens and limits of each SDK, without observe', () => {
  install();
  // A process of its own: the SDKs patch globals and leave sockets.
  const here = fileURLToPath(new URL('.', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'usage.mjs'], {
    cwd: here,
    encoding: 'utf8',
  });
  const found = JSON.parse(stdout.trimEnd().split('\n').at(-1) || assert.fail(stderr.slice(-2000)));
  const names = Object.keys(found);
  assert.ok(names.length >= 20, `${names.length}: ${names}`);
  const usage = { inputTokens: 12, outputTokens: 3 };
  const expected = names.map((name) => [name, [usage, WITH_HEADERS.includes(name)]]);
  assert.deepEqual(found, Object.fromEntries(expected));
});
