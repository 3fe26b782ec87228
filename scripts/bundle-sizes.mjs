// The size of the package in an application, by its imports: gzip, after esbuild has bundled and minified it. The build
// prints the list and fails above a limit. `node scripts/bundle-sizes.mjs --write` renews the one table, in docs/size.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { root } from './building.mjs';

const dist = join(root, 'pkg/dist');

/**
 * Sizes in kB of 1000 bytes, with those above which the build fails: `most`, and `mostLate` for the chunk of the words. A limit
 * is raised only by the cost of a requested feature.
 */
const LIMITS = [
  { what: '`{ createPolicy }`, for browsers', names: 'createPolicy', most: 93, mostLate: 137 },
  {
    what: '`{ createPolicy }` of `halfopen/js`, for browsers',
    names: 'createPolicy',
    variant: 'js',
    most: 287,
  },
  { what: 'everything, for browsers', names: '*', most: 299 },
  { what: '`{ CircuitBreaker }`, for browsers', names: 'CircuitBreaker', most: 68 },
  { what: '`{ RetryBudget }`, for browsers', names: 'RetryBudget', most: 47 },
  {
    what: '`{ connectDevtools }` of `halfopen/devtools`, for browsers',
    names: 'connectDevtools',
    door: 'devtools-browser',
    most: 12,
  },
  { what: '`{ simulate }` of `halfopen/lab`', names: 'simulate', door: 'lab', most: 161 },
  { what: '`{ truncate }`', names: 'truncate', most: 3 },
  { what: '`{ isAgentError }`', names: 'isAgentError', most: 3 },
  { what: 'types alone', names: '', most: 3 },
  { what: '`{ createPolicy }`, for workerd', names: 'createPolicy', worker: true, most: 224 },
];

const kb = (bytes) => Math.round(bytes / 100) / 10;

/** Measures the built package: `[{ what, size, late, most, mostLate }]`, sizes in kB. */
export async function bundleSizes() {
  return Promise.all(
    LIMITS.map(
      async ({
        what,
        names,
        variant = 'esm',
        door,
        worker = false,
        most,
        mostLate = Number.POSITIVE_INFINITY,
      }) => ({
        what,
        ...(await bundledLength(
          names,
          `${variant}/${door ?? (variant === 'js' || worker ? 'index' : 'index-page')}.js`,
          worker,
        )),
        most,
        mostLate,
      }),
    ),
  );
}

/** The kilobytes that a page loads at once, and those of the chunks of dynamic imports, which come later. */
async function bundledLength(names, entry, worker) {
  const from = JSON.stringify(join(dist, entry));
  const uses = {
    '*': `import * as all from ${from}; globalThis.used = all;`,
    '': `import ${from};`,
  };
  const contents = uses[names] ?? `import { ${names} } from ${from}; globalThis.used = ${names};`;
  const modules = [];
  const { outputFiles, metafile } = await esbuild.build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: dist,
    absWorkingDir: dist,
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
  const first = new Set();
  const later = new Set();
  const load = (name) => {
    first.add(name);
    for (const { path, kind } of metafile.outputs[name].imports) {
      if (!(path in metafile.outputs) || first.has(path)) continue;
      if (kind === 'import-statement') load(path);
      else later.add(path);
    }
  };
  load(Object.keys(metafile.outputs).find((name) => metafile.outputs[name].entryPoint === '<stdin>'));
  // A module is carried only where the bundle still imports it.
  const carried = [...new Set(modules)].filter((module) =>
    outputFiles.some(({ text }) => text.includes(`./${module}`)),
  );
  let size = carried.reduce((sum, module) => sum + packed(readFileSync(join(dist, module))), 0);
  let late = 0;
  for (const { path, contents } of outputFiles) {
    if (first.has(relative(dist, path))) size += packed(contents);
    else if (later.has(relative(dist, path))) late += packed(contents);
  }
  return { size: kb(size), late: kb(late) };
}

const packed = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** Prints the list, and fails where a bundle is larger than it may be. */
export async function checkBundleSizes() {
  const sizes = await bundleSizes();
  console.log('an application carries, gzip:');
  for (const { what, size, late, most } of sizes) {
    console.log(
      `  ${what.padEnd(34)} ${String(size).padStart(6)} kB  (at most ${most})${late > 0 ? `, and ${late} kB late` : ''}`,
    );
  }
  const above = sizes.filter(({ size, late, most, mostLate }) => size > most || late > mostLate);
  if (above.length > 0) {
    const list = above.map(
      ({ what, size, late, most, mostLate }) =>
        `${what} takes ${size} kB, at most ${most} are allowed, and ${late} kB late, at most ${mostLate}`,
    );
    throw new Error(
      `the package grew too large: ${list.join('; ')} (scripts/bundle-sizes.mjs has the limits)`,
    );
  }
}

const PAGE = join(root, 'docs/size.md');
const [BEGIN, END] = ['<!-- sizes -->', '<!-- /sizes -->'];

/** The list as a table for people. */
export function table(sizes) {
  const rows = sizes.map(
    ({ what, size, late }) =>
      `| ${what} | ${size < 10 ? size : Math.round(size)} kB |${late > 0 ? ` ${Math.round(late)} kB |` : ' |'}`,
  );
  return `| Imported | at once | words late |\n|---|---|---|\n${rows.join('\n')}`;
}

/** Returns the table that the page has now: sizes in kB by import. */
export function listed() {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for sizes: ${BEGIN} … ${END}`);
  const sizes = [...text.slice(begin, end).matchAll(/^\| (.*) \| ([\d.]+) kB \|(?: \d+ kB)?.*\|$/gm)];
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
