// The size of the package in an application, by its imports: gzip, after esbuild has bundled and minified it. The build
// prints the list and fails above a limit. `node scripts/bundle-sizes.mjs --write` renews the one table, in docs/size.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { root } from './building.mjs';

const dist = join(root, 'pkg/dist');

/**
 * Sizes in kB of 1000 bytes. Above `must` the build fails; `want` is the aim. `atMost` replaces `must` while the
 * package has not reached it. It may be lowered and removed, and raised only by the cost of a requested feature (last:
 * the remedies, by the words of sixteen providers).
 */
const LIMITS = [
  { what: '`{ createPolicy }`, for browsers', names: 'createPolicy', must: 180, want: 145, atMost: 222 },
  {
    what: '`{ createPolicy }` of `halfopen/slim`, for browsers',
    names: 'createPolicy',
    door: 'slim',
    must: 170,
    want: 135,
    atMost: 210,
  },
  {
    what: '`{ createPolicy }` of `halfopen/js`, for browsers',
    names: 'createPolicy',
    variant: 'js',
    must: 220,
    want: 150,
    atMost: 283,
  },
  { what: 'everything, for browsers', names: '*', must: 250, want: 215, atMost: 293 },
  { what: '`{ CircuitBreaker }`, for browsers', names: 'CircuitBreaker', must: 52, want: 42, atMost: 200 },
  { what: '`{ RetryBudget }`, for browsers', names: 'RetryBudget', must: 40, want: 32, atMost: 46 },
  {
    what: '`{ connectDevtools }` of `halfopen/devtools`, for browsers',
    names: 'connectDevtools',
    door: 'devtools-browser',
    must: 9,
    want: 6,
    atMost: 134,
  },
  {
    what: '`{ simulate }` of `halfopen/lab`',
    names: 'simulate',
    door: 'lab',
    must: 120,
    want: 60,
    atMost: 160,
  },
  { what: '`{ truncate }`', names: 'truncate', must: 3, want: 1 },
  { what: '`{ isAgentError }`', names: 'isAgentError', must: 3, want: 1 },
  { what: 'types alone', names: '', must: 3, want: 1 },
  {
    what: '`{ createPolicy }`, for workerd',
    names: 'createPolicy',
    worker: true,
    must: 185,
    want: 150,
    atMost: 219,
  },
];

const kb = (bytes) => Math.round(bytes / 100) / 10;

/** Measures the built package: `[{ what, size, must, want, most }]`, sizes in kB. */
export async function bundleSizes() {
  return Promise.all(
    LIMITS.map(
      async ({ what, names, variant = 'esm', door = 'index', worker = false, must, want, atMost }) => ({
        what,
        size: kb(await bundledLength(names, `${variant}/${door}.js`, worker)),
        must,
        want,
        most: atMost ?? must,
      }),
    ),
  );
}

async function bundledLength(names, entry, worker) {
  const from = JSON.stringify(join(dist, entry));
  const uses = {
    '*': `import * as all from ${from}; globalThis.used = all;`,
    '': `import ${from};`,
  };
  const contents = uses[names] ?? `import { ${names} } from ${from}; globalThis.used = ${names};`;
  const modules = [];
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: worker ? ['workerd'] : undefined,
    external: ['node:*'],
    legalComments: 'none',
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [
      {
        name: 'wasm-modules', // a worker's bundle has them as files beside it
        setup: (build) =>
          build.onResolve({ filter: /\.wasm$/ }, ({ path }) => {
            modules.push(basename(path));
            return { path: `./${basename(path)}`, external: true, sideEffects: false };
          }),
      },
    ],
  });
  const [bundle] = outputFiles;
  // A module is carried only where the bundle still imports it.
  const carried = [...new Set(modules)].filter((module) => bundle.text.includes(`./${module}`));
  return [Buffer.from(bundle.contents), ...carried.map((module) => readFileSync(join(dist, module)))].reduce(
    (sum, part) => sum + gzipSync(part, { level: 9 }).length,
    0,
  );
}

/** Prints the list, and fails where a bundle is larger than it may be. */
export async function checkBundleSizes() {
  const sizes = await bundleSizes();
  console.log('an application carries, gzip:');
  for (const { what, size, must, want } of sizes) {
    console.log(
      `  ${what.padEnd(34)} ${String(size).padStart(6)} kB  (at most ${must}, aim ${want})${size > must ? '  ABOVE' : ''}`,
    );
  }
  const above = sizes.filter(({ size, most }) => size > most);
  if (above.length > 0) {
    const list = above.map(({ what, size, most }) => `${what} takes ${size} kB, at most ${most} are allowed`);
    throw new Error(
      `the package grew too large: ${list.join('; ')} (scripts/bundle-sizes.mjs has the limits)`,
    );
  }
}

const PAGE = join(root, 'docs/size.md');
const [BEGIN, END] = ['<!-- sizes -->', '<!-- /sizes -->'];

/** The list as a table for people. */
export function table(sizes) {
  const rows = sizes.map(({ what, size }) => `| ${what} | ${size < 10 ? size : Math.round(size)} kB |`);
  return `| Imported | gzip |\n|---|---|\n${rows.join('\n')}`;
}

/** Returns the table that the page has now: sizes in kB by import. */
export function listed() {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for sizes: ${BEGIN} … ${END}`);
  const sizes = [...text.slice(begin, end).matchAll(/^\| (.*) \| ([\d.]+) kB \|$/gm)];
  return new Map(sizes.map(([, what, size]) => [what, Number(size)]));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = await bundleSizes();
  console.log(table(sizes));
  if (process.argv.includes('--write')) {
    const [before, rest] = readFileSync(PAGE, 'utf8').split(BEGIN);
    writeFileSync(
      PAGE,
      `${before}${BEGIN}\n${table(sizes)}\n${END}${rest.slice(rest.indexOf(END) + END.length)}`,
    );
  }
}
