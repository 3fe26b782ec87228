// The examples of docs/responses.md, one for each SDK, run unchanged against the recorded streams.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { scratch } from '../../scripts/scratch.mjs';
import { type Player, play } from './server.js';

const TEXT = 'Grüße, 世界 🦀!';
const markdown = readFileSync(new URL('../../docs/responses.md', import.meta.url), 'utf8');
const examples = [...markdown.matchAll(/^<!-- sdk: (\S+) -->\n```ts\n([\s\S]*?)^```/gm)];
const examplesFolder = scratch(import.meta.dirname);

let player: Player;
before(async () => {
  player = await play();
});
after(async () => {
  await player.close();
});

/** Returns the output of the file, with every SDK led to the given address by its own environment variable. */
function printed(file: string, url: string): Promise<string> {
  const env = {
    ...process.env,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: url,
    GEMINI_API_KEY: 'test',
    GOOGLE_GEMINI_BASE_URL: url,
    OLLAMA_HOST: url,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      output += piece;
    });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

test('there is an example for each SDK', () => {
  assert.deepEqual(examples.map(([, folder]) => folder).sort(), [
    'anthropic',
    'google',
    'ollama',
    'openai-chat',
    'openai-chat',
    'openai-responses',
  ]);
});

for (const [index, [, folder = '', code = '']] of examples.entries()) {
  test(`example ${index + 1}, ${folder}: a broken stream first, then the whole answer`, async () => {
    const file = `${examplesFolder}/example-${index}.ts`;
    writeFileSync(file, code);
    const output = await printed(file, `${player.origin}/${folder}/nothing+whole/example-${index}`);
    assert.ok(output.endsWith(`${TEXT}\n${TEXT.length} characters\n`), output);
  });
}
