// The source maps of the built package: with `--enable-source-maps`, Node names the lines of pkg/src.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM =
  'try { createPolicy({ retry: { maxRetries: -1 } }); } catch (error) { console.log(error.stack); }';
const LOADED = {
  module: `import { createPolicy } from 'halfopen'; ${PROGRAM}`,
  commonjs: `const { createPolicy } = require('halfopen'); ${PROGRAM}`,
};

for (const [type, program] of Object.entries(LOADED)) {
  test(`a stack trace names the lines of the sources: ${type}`, () => {
    const stack = execFileSync(
      process.execPath,
      ['--enable-source-maps', `--input-type=${type}`, '--eval', program],
      { cwd: fileURLToPath(new URL('..', import.meta.url)), encoding: 'utf8' },
    );
    const frames = [...stack.matchAll(/^ +at (?:Object\.)?(\w+) \((.*\/pkg\/src\/.*\.ts):(\d+):\d+\)$/gm)];
    assert.ok(frames.length >= 5, stack);
    for (const [n, [, , path = '', line]] of frames.entries()) {
      const called = frames[n - 1]?.[1];
      if (called === undefined) continue;
      const text = readFileSync(path, 'utf8').split('\n')[Number(line) - 1];
      assert.ok(
        text !== undefined && new RegExp(`\\b${called}\\b`).test(text),
        `${path}:${line} calls ${called}: ${text}`,
      );
    }
  });
}
