// The size of the other libraries in a page: bundled and minified by esbuild, gzip. Ours is in docs/size.md alone,
// which the build writes (scripts/bundle-sizes.mjs), because a second list would describe another version. Run: node
// --import tsx pkg/bench/size.bench.ts
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { keepRows, type Row } from './rows.js';

const WHAT = 'size in a page, gzip';
const LIBRARIES: [who: string, how: string, program: string][] = [
  [
    'cockatiel',
    'retry, breaker, fallback, timeout, bulkhead',
    `export { retry, circuitBreaker, fallback, timeout, bulkhead, wrap } from 'cockatiel'`,
  ],
  ['opossum', 'all of it', `export { default } from 'opossum'`],
  ['p-retry', 'all of it', `export { default } from 'p-retry'`],
  [
    'effect',
    '`Effect.retry` and what it needs to run',
    `export { retry, promise, runPromise } from 'effect/Effect'; export { recurs } from 'effect/Schedule'`,
  ],
];

const rows: Row[] = [];
for (const [who, how, contents] of LIBRARIES) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    external: ['node:*', 'events'],
    legalComments: 'none',
    logLevel: 'error',
  });
  const kilobytes = gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length / 1000;
  rows.push({ what: WHAT, who, how, unit: 'kB', values: [kilobytes] });
  console.log(`${who.padEnd(10)} ${how.padEnd(68)} ${kilobytes.toFixed(1).padStart(6)} kB`);
}
keepRows('size', rows);
