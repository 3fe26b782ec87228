// Builds pkg/dist: the same sources once for each way that the core's modules can come, their types, and the modules.
//
//   esm, cjs      the core's modules inlined as base64
//   workerd       static imports of policy.wasm, errors.wasm, agent.wasm; edge-light the same with `?module`
//   js            the modules translated to JavaScript (wasm2js), for pages that may not compile WebAssembly
//
// All of them instantiate a module at its first use.
//
// Entry points of one variant share their chunks, so that `AgentError` is one class in all of them.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import ts from 'typescript-5.4'; // has a stable compiler API
import { digest, root, unlessFresh, WASM_MODULES } from './building.mjs';
import { checkBundleSizes } from './bundle-sizes.mjs';
import { notices } from './notices.mjs';
import { withPureConstants } from './pure-calls.mjs';
import { printSize } from './sizes.mjs';

const src = join(root, 'pkg/src');
const wasm = join(root, 'pkg/wasm');
const dist = join(root, 'pkg/dist');

const manifest = JSON.parse(readFileSync(join(root, 'pkg/package.json'), 'utf8'));

/** Entry points, each with the source files it may have: the first that is there. */
const ENTRIES = {
  index: ['every-language.ts'],
  slim: ['index.ts'],
  ...Object.fromEntries(['de', 'es', 'fr', 'ja', 'zh'].map((tag) => [`locale-${tag}`, [`locale/${tag}.ts`]])),
  testing: ['testing.ts', 'testing/index.ts'],
  devtools: ['devtools/index.ts', 'devtools.ts'],
  'devtools-browser': ['devtools/browser.ts'],
  'devtools-embed': ['devtools/embed/index.ts'],
  'devtools-embed-nothing': ['devtools/embed/nothing.ts'],
  otel: ['otel.ts', 'otel/index.ts'],
};

/** What there is of the entry points. Where there is no Node, devtools are those without the server. */
function entryPoints(variant) {
  const found = Object.entries(ENTRIES)
    .map(([name, candidates]) => [
      name,
      candidates.map((path) => join(src, path)).find((path) => existsSync(path)),
    ])
    .filter(([, path]) => path !== undefined);
  const pages = found.filter(([name]) => name !== 'devtools' && !name.startsWith('devtools-embed'));
  return Object.fromEntries(variant === 'esm' ? found : pages);
}

const VARIANTS = {
  esm: { source: 'entry/default.ts' },
  workerd: { source: 'entry/workerd.ts' },
  'edge-light': { source: 'entry/workerd.ts', suffix: '?module' },
  js: { source: 'entry/js.ts', translated: true },
};

/** Puts the variant's own source of the modules in place of the default one, and leaves the modules themselves outside. */
function moduleSource({ source, suffix = '', translated = false }) {
  return {
    name: 'module-source',
    setup(build) {
      build.onResolve({ filter: /\/entry\/default\.js$/ }, () => ({ path: join(src, source) }));
      // The door of a language has its texts for itself: shared with the main entry, each would be a file more to load there.
      build.onResolve({ filter: /\/locale\/\w+\.js$/ }, ({ path, importer }) =>
        importer.includes('/src/locale/')
          ? { path: join(dirname(importer), path.replace(/\.js$/, '.ts')), suffix: '?door' }
          : undefined,
      );
      // The dashboard's own build leaves it there.
      build.onResolve({ filter: /^\.\/files\.js$/ }, () => ({
        path: '../embedded/dashboard.js',
        external: true,
      }));
      build.onResolve({ filter: /\/wasm\/\w+\/inline\.js$/ }, ({ path }) => ({
        path: `./${moduleOf(path)}-inline.js`,
        external: true,
      }));
      build.onResolve({ filter: /\/wasm\/\w+\/translated\/\w+\.js$/ }, ({ path }) => ({
        path: `./${moduleOf(path)}-translated.js`,
        external: true,
      }));
      if (translated) {
        build.onResolve({ filter: /\/wasm\/\w+\/glue\.js$/ }, ({ path }) => ({
          path: join(wasm, moduleOf(path), 'translated/glue.js'),
        }));
      }
      build.onResolve({ filter: /^\.\/\w+\.wasm$/ }, ({ path }) => ({
        path: `.${path}${suffix}`,
        external: true,
      }));
    },
  };
}

/** So that the bundler of an application leaves out what it does not use, whatever file of dist it is in. */
const pureCalls = {
  name: 'pure-calls',
  setup(build) {
    build.onLoad({ filter: /\/pkg\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: withPureConstants(path, readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** Which of the core's modules a path under pkg/wasm belongs to. */
const moduleOf = (path) => /\/wasm\/(\w+)\//.exec(path)[1];

/** Bundles a variant; returns esbuild's list of what went into it. */
async function bundle(variant) {
  const { metafile } = await esbuild.build({
    entryPoints: entryPoints(variant),
    outdir: join(dist, variant),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module'],
    external: [
      'node:*',
      ...builtinModules,
      ...Object.keys(manifest.peerDependencies ?? {}),
      ...Object.keys(manifest.dependencies ?? {}),
    ],
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: 'chunk-[hash]',
    sourcemap: 'linked',
    sourcesContent: false, // the package has pkg/src, once
    metafile: true,
    plugins: [moduleSource(VARIANTS[variant]), pureCalls],
    logLevel: 'warning',
  });
  return metafile;
}

/** CommonJS by translating each file of the ESM build: esbuild shares chunks between entries in ESM only. */
async function toCommonJs() {
  const from = join(dist, 'esm');
  const to = join(dist, 'cjs');
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name.endsWith('.d.ts')) {
      copyFileSync(join(from, name), join(to, name));
    } else if (name.endsWith('.js')) {
      const { code, map } = await esbuild.transform(withMap(join(from, name)), {
        sourcefile: name,
        sourcemap: existsSync(`${join(from, name)}.map`) && 'external',
        sourcesContent: false,
        format: 'cjs',
        platform: 'node', // keeps the names of exports readable for `import` from ESM
        target: 'es2022',
        charset: 'utf8',
        supported: { 'dynamic-import': false }, // the chunks are CommonJS too
      });
      if (map) writeFileSync(join(to, `${name}.map`), map);
      writeFileSync(join(to, name), map ? `${code}//# sourceMappingURL=${name}.map\n` : code);
    } else if (statSync(join(from, name)).isDirectory()) {
      copyTypes(join(from, name), join(to, name));
    }
  }
  // The nearest package.json decides what a .js file is; bundlers read sideEffects there too.
  writeFileSync(join(to, 'package.json'), '{ "type": "commonjs", "sideEffects": ["./locale-*.js"] }\n');
}

/** A file with its source map inside, if it has one, so that esbuild can carry the map on. */
function withMap(path) {
  const text = readFileSync(path, 'utf8');
  if (!existsSync(`${path}.map`)) return text;
  const map = readFileSync(`${path}.map`).toString('base64');
  return text.replace(
    /\/\/# sourceMappingURL=\S+\n$/,
    `//# sourceMappingURL=data:application/json;base64,${map}\n`,
  );
}

function copyTypes(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (statSync(join(from, name)).isDirectory()) copyTypes(join(from, name), join(to, name));
    else copyFileSync(join(from, name), join(to, name));
  }
}

/**
 * What is private is left out of the published types: it would make the ESM and CommonJS declarations of one class two
 * classes that do not fit each other. Private constructors stay.
 */
function withoutPrivateMembers(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(folder, name);
    let text = readFileSync(path, 'utf8');
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
    const removed = [];
    const visit = (node) => {
      const hidden = node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.PrivateKeyword);
      if (ts.isClassElement(node) && hidden && !ts.isConstructorDeclaration(node)) {
        removed.push([node.getFullStart(), node.end]);
      } else if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) {
        removed.push([node.getFullStart(), node.end]);
      } else ts.forEachChild(node, visit);
    };
    visit(source);
    for (const [from, to] of removed.reverse()) text = text.slice(0, from) + text.slice(to);
    if (removed.length) writeFileSync(path, text);
  }
}

function types() {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'pkg/tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}

function printSizes() {
  console.log('sizes:');
  for (const { name } of WASM_MODULES) printSize(`${name}.wasm`, readFileSync(join(dist, `${name}.wasm`)));
  if (variants.includes('js')) {
    for (const { name } of WASM_MODULES) {
      printSize(`${name}.wasm as JavaScript (./js)`, readFileSync(join(dist, `js/${name}-translated.js`)));
    }
  }
}

// A development build of the module has no translation.
const variants = Object.keys(VARIANTS).filter(
  (variant) => variant !== 'js' || existsSync(join(wasm, 'policy/translated/policy.js')),
);
const inputs = [
  'LICENSE-MIT',
  'LICENSE-APACHE',
  'README.md',
  'pkg/src',
  'pkg/package.json',
  'pkg/tsconfig.build.json',
  'tsconfig.json',
  'package-lock.json',
  ...WASM_MODULES.flatMap(({ name }) =>
    [`${name}_bg.wasm`, 'glue.js', 'glue.d.ts'].map((file) => `pkg/wasm/${name}/${file}`),
  ),
  'Cargo.lock',
  'scripts/build-package.mjs',
  'scripts/bundle-sizes.mjs',
  'scripts/notices.mjs',
  'scripts/pure-calls.mjs',
  'scripts/sizes.mjs',
];

const outputs = [
  'pkg/THIRD-PARTY-NOTICES.txt',
  ...WASM_MODULES.map(({ name }) => `pkg/dist/${name}.wasm`),
  'pkg/dist/cjs/index.js',
  ...variants.map((variant) => `pkg/dist/${variant}/index.js`),
  'pkg/dist/esm/index.d.ts',
];
await unlessFresh(
  { name: 'pkg/dist', stampFile: 'pkg/.dist-stamp', key: digest(inputs), outputs },
  async () => {
    // The dashboard has a build of its own.
    for (const name of existsSync(dist) ? readdirSync(dist) : []) {
      if (name !== 'dashboard' && name !== 'embedded') rmSync(join(dist, name), { recursive: true });
    }
    const metafiles = [];
    for (const variant of variants) metafiles.push(await bundle(variant));
    for (const { name } of WASM_MODULES) {
      copyFileSync(join(wasm, name, 'inline.js'), join(dist, `esm/${name}-inline.js`));
      copyFileSync(join(wasm, name, `${name}_bg.wasm`), join(dist, `${name}.wasm`));
      if (variants.includes('js')) {
        copyFileSync(join(wasm, name, `translated/${name}.js`), join(dist, `js/${name}-translated.js`));
      }
    }
    for (const name of ['LICENSE-MIT', 'LICENSE-APACHE', 'README.md']) {
      copyFileSync(join(root, name), join(root, 'pkg', name));
    }
    types();
    withoutPrivateMembers(join(dist, 'esm'));
    await toCommonJs();
    const { text, sbom, count } = notices(metafiles);
    writeFileSync(join(root, 'pkg/THIRD-PARTY-NOTICES.txt'), text);
    writeFileSync(join(root, 'pkg/sbom.cdx.json'), sbom);
    console.log(`notices: ${count} crates and packages are in the bundles and the wasm`);
    printSizes();
    // A development build of the modules is as large as it is.
    if (variants.includes('js')) await checkBundleSizes();
  },
);
