// The source maps that the build leaves in pkg/dist, which the package does without: they lead from a stack trace of the
// package to the lines of pkg/src.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM =
  'try { createPolicy({ retry: { maxRetries: -1 } }); } catch (error) { console.log(error.stack); }';
const LOADED = {
  module: `import { createPolicy } from 'halfopen'; ${PROGRAM}`,
  commonjs: `const { createPolicy } = require('halfopen'); ${PROGRAM}`,
};

for (const [type, program] of Object.entries(LOADED)) {
  test(`a stack trace leads to the lines of the sources: ${type}`, () => {
    const stack = execFileSync(process.execPath, [`--input-type=${type}`, '--eval', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
    });
    const frames = [
      ...stack.matchAll(
        /^ +at (?:Object\.)?(\w+) \((?:file:\/\/)?(.*\/pkg\/dist\/\w+\/.*\.js):(\d+):(\d+)\)$/gm,
      ),
    ];
    assert.ok(frames.length >= 5, stack);
    for (const [n, [, , file = '', line, column]] of frames.entries()) {
      assert.doesNotMatch(readFileSync(file, 'utf8'), /^\/\/# sourceMappingURL=/m, file);
      const called = frames[n - 1]?.[1];
      if (called === undefined) continue;
      const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
      assert.ok('originalSource' in entry, `${file}:${line}:${column} leads to no source`);
      const path = resolve(file, '..', entry.originalSource);
      assert.match(path, /\/pkg\/src\/.*\.ts$/);
      const text = readFileSync(path, 'utf8').split('\n')[entry.originalLine];
      assert.ok(
        text !== undefined && new RegExp(`\\b${called}\\b`).test(text),
        `${path}:${entry.originalLine + 1} calls ${called}: ${text}`,
      );
    }
  });
}
