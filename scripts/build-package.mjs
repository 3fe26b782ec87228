// Builds pkg/dist: the package's JavaScript, its types, and the core's modules.
//
//   esm   for everybody. The one file that differs by runtime is the source of the core's modules, which package.json names
//         `#modules`: modules.js has them inlined; modules-node.js reads the .wasm files; modules-workerd.js and
//         modules-edge-light.js import them
//   cjs   the same as CommonJS, for Node and what runs on it; it reads the .wasm files
//   js    the modules translated to JavaScript (wasm2js), for pages that may not compile WebAssembly
//
// All of them instantiate a module at its first use.
//
// Entry points share one file, halfopen.js, so that `AgentError` is one class in all of them and an import reads few files:
// in Node each file costs half a millisecond and more.
//
// `--dev` makes what `make demo` runs: `esm` alone, neither shortened nor measured, without types.
// `--bare` bundles `esm` alone and checks nothing: for sources that scripts/mutants has changed, which do run at import.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, posix, relative } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import * as esbuild from 'esbuild';
import { minify } from 'terser';
import ts from 'typescript-5.4'; // has a stable compiler API
import { root, unlessFresh, WASM_MODULES } from './building.mjs';
import { checkBundleSizes } from './bundle-sizes.mjs';
import { SOURCES } from './doors.mjs';
import { notices } from './notices.mjs';
import { writePackageDocs } from './package-docs.mjs';
import { withPureConstants } from './pure-calls.mjs';
import { printSize } from './sizes.mjs';

const src = join(root, 'pkg/src');
const wasm = join(root, 'pkg/wasm');
const dist = join(root, 'pkg/dist');

const dev = process.argv.includes('--dev');
const isBare = process.argv.includes('--bare');
const manifest = JSON.parse(readFileSync(join(root, 'pkg/package.json'), 'utf8'));

/** Entry points by the name of the built file: those of scripts/doors.mjs, and those that their conditions and workers lead to. */
const ENTRIES = {
  ...SOURCES,
  'devtools-browser': 'devtools/browser.ts',
  'devtools-embed-nothing': 'devtools/embed/nothing.ts',
  'lab-files': 'devtools/embed/lab-files.ts',
  'lab-real': 'lab/real/index.ts',
  // For the commands, which are modules: without a twin in CommonJS, as the name says.
  'diagnose-node': 'diagnose/index.ts',
  'mcp-node': 'diagnose/mcp.ts',
};

/** The main entry for pages, in a file for each kind of content. Everything else has it in one file, because each costs time in Node. */
const PAGE_ENTRIES = {
  'index-page': 'every-language.ts',
  'with-words': 'with-words.ts',
  'with-late-words': 'with-late-words.ts',
};

/**
 * Returns the entry points. Without wasm there is no lab, no fleet and no run, and devtools are those without the
 * server.
 */
function entryPoints(variant) {
  const found = Object.entries(ENTRIES)
    .map(([name, path]) => [name, join(src, path)])
    .filter(([, path]) => existsSync(path));
  const isLeftOut =
    /^(?:devtools|devtools-embed.*|lab|lab-files|lab-real|fleet.*|run|rehearse|diagnose-node|mcp-node)$/;
  return Object.fromEntries(variant === 'esm' ? found : found.filter(([name]) => !isLeftOut.test(name)));
}

/**
 * `modules` is where halfopen.js imports the core's modules from, `lab` and `fleet` where lab.js and the fleet's files import
 * theirs; the `sources` are built beside them.
 */
const VARIANTS = {
  esm: {
    modules: '#modules',
    mapped: true, // and cjs, which is made from it
    lab: '#lab-module',
    fleet: '#fleet-module',
    run: '#run-module',
    sources: {
      'lab-module': { entry: 'entry/lab.ts' },
      'lab-module-workerd': { entry: 'entry/lab-workerd.ts' },
      'lab-module-edge-light': { entry: 'entry/lab-workerd.ts', suffix: '?module' },
      'fleet-module': { entry: 'entry/fleet.ts' },
      'fleet-module-workerd': { entry: 'entry/fleet-workerd.ts' },
      'fleet-module-edge-light': { entry: 'entry/fleet-workerd.ts', suffix: '?module' },
      'run-module': { entry: 'entry/run.ts' },
      'run-module-workerd': { entry: 'entry/run-workerd.ts' },
      'run-module-edge-light': { entry: 'entry/run-workerd.ts', suffix: '?module' },
      modules: { entry: 'entry/default.ts' },
      'modules-browser': { entry: 'entry/browser.ts' },
      languages: { entry: 'entry/languages.ts' },
      words: { entry: 'entry/words.ts' },
      'no-words': { entry: 'entry/no-words.ts' },
      texts: { entry: 'entry/texts.ts' },
      'modules-node': { entry: 'entry/node.ts' },
      'modules-workerd': { entry: 'entry/workerd.ts' },
      'modules-edge-light': { entry: 'entry/workerd.ts', suffix: '?module' },
    },
  },
  js: {
    modules: './modules.js',
    sources: { modules: { entry: 'entry/js.ts' } },
    translated: true,
  },
};

/** Leaves the dashboard's files and the core's modules outside, which have files of their own in dist. */
function separateFiles({ modules, lab, fleet, run, translated = false }) {
  return {
    name: 'separate-files',
    setup(build) {
      build.onResolve({ filter: /\/entry\/default\.js$/ }, () => ({ path: modules, external: true }));
      build.onResolve({ filter: /\/entry\/words-(?:now|late)\.js$/ }, ({ path }) => ({
        path: translated ? '../esm/languages.js' : `#${basename(path, '.js')}`,
        external: true,
      }));
      build.onResolve({ filter: /\/entry\/lab\.js$/ }, () => ({ path: lab, external: true }));
      build.onResolve({ filter: /\/entry\/fleet\.js$/ }, () => ({ path: fleet, external: true }));
      build.onResolve({ filter: /\/entry\/run\.js$/ }, () => ({ path: run, external: true }));
      // The dashboard's own build leaves it there.
      build.onResolve({ filter: /^(?:\.|\.\.\/(?:devtools\/)?embed)\/files\.js$/ }, () => ({
        path: '../embedded/dashboard.js',
        external: true,
      }));
      if (translated) {
        build.onResolve({ filter: /\/wasm\/\w+\/glue\.js$/ }, ({ path }) => ({
          path: join(wasm, moduleOf(path), 'translated/glue.js'),
        }));
      }
    },
  };
}

/** The script of the Lab view's worker, as a text. It lacks the lab's module, because the page sends it. */
const labWorker = {
  name: 'lab-worker',
  setup(build) {
    build.onResolve({ filter: /\/lab-worker\.txt$/ }, () => ({
      path: 'lab-worker',
      namespace: 'lab-worker',
    }));
    build.onLoad({ filter: /.*/, namespace: 'lab-worker' }, async () => {
      const { outputFiles } = await esbuild.build({
        ...OPTIONS,
        entryPoints: [join(src, 'lab/worker/worker.ts')],
        format: 'iife',
        minify: true,
        write: false,
        plugins: [givenModule],
      });
      return { contents: outputFiles[0].text, loader: 'text' };
    });
  },
};
const givenModule = {
  name: 'given-module',
  setup(build) {
    build.onResolve({ filter: /\/entry\/lab\.js$/ }, () => ({ path: join(src, 'lab/worker/module.ts') }));
  },
};

/** The .wasm files of the modules are one folder above their source, and the translated modules are beside it. */
function coreModules(suffix = '') {
  return {
    name: 'core-modules',
    setup(build) {
      // Files of their own in dist, which others import too.
      build.onResolve({ filter: /^\.\/(?:words|languages|texts)\.js$/ }, ({ path }) => ({
        path,
        external: true,
      }));
      build.onResolve({ filter: /^\.\/\w+\.wasm$/ }, ({ path }) => ({
        path: `.${path}${suffix}`,
        external: true,
      }));
      build.onResolve({ filter: /\/wasm\/\w+\/translated\/\w+\.js$/ }, ({ path }) => ({
        path: `./${moduleOf(path)}-translated.js`,
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
      contents: isBare ? readFileSync(path, 'utf8') : withPureConstants(path, readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/**
 * Leaves out the SDK's validator of JSON Schema, half of the server of `npx halfopen mcp`: that server gives it another one,
 * and asks its client for nothing that would have to be validated.
 */
const withoutValidator = {
  name: 'without-validator',
  setup(build) {
    build.onResolve({ filter: /\/validation\/ajv-provider\.js$/ }, () => ({
      path: 'validator',
      namespace: 'without-validator',
    }));
    build.onLoad({ filter: /.*/, namespace: 'without-validator' }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }));
  },
};

/** Returns the core module that a path under pkg/wasm belongs to. */
const moduleOf = (path) => /\/wasm\/(\w+)\//.exec(path)[1];

/** The code of an entry point alone; the rest of pkg/src is in the shared file. */
const OWN =
  /^(?:index|every-language|with-words|with-late-words|testing|otel(?:-runs)?|log|(?:core|entry)\/(?:lab|fleet|run)|entry\/(?:words-(?:now|late)|read))\.ts$|^(?:devtools|ai-sdk|guard|repair|langchain|integrations|lab|fleet|run|once|rehearse|diagnose)\//;
const isShared = (path) => path.startsWith(`${src}/`) && !OWN.test(path.slice(src.length + 1));

/** Imports the file that the entry points share in place of the sources that are in it, and notes what is imported of them. */
function importShared(names) {
  return {
    name: 'import-shared',
    setup(build) {
      build.onLoad({ filter: /\/pkg\/src\/.*\.ts$/ }, ({ path }) => {
        for (const [from, name] of importedNames(path))
          if (isShared(from)) names.set(`${name} ${from}`, { name, from });
        return undefined;
      });
      build.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
        const source = join(dirname(importer), path).replace(/\.js$/, '.ts');
        return isShared(source) ? { path: './halfopen.js', external: true } : undefined;
      });
    },
  };
}

/** The values that a file imports or exports again, each with the file it comes from; `*` is all of them. */
function importedNames(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  return source.statements.flatMap((statement) => {
    const { moduleSpecifier, importClause, exportClause, isTypeOnly } = statement;
    if (!moduleSpecifier?.text.startsWith('.') || isTypeOnly || importClause?.isTypeOnly) return [];
    const from = join(dirname(path), moduleSpecifier.text).replace(/\.js$/, '.ts');
    const clause = importClause?.namedBindings ?? exportClause;
    if (clause?.elements === undefined) return [[from, '*']];
    return clause.elements
      .filter((element) => !element.isTypeOnly)
      .map(({ name, propertyName }) => [from, (propertyName ?? name).text]);
  });
}

/** The entry of the shared file: what the entry points import of it. */
function sharedEntry(names) {
  const lines = [];
  const taken = new Map();
  for (const { name, from } of names.values()) {
    lines.push(name === '*' ? `export * from '${from}';` : `export { ${name} } from '${from}';`);
    if (taken.has(name) && name !== '*') {
      throw new Error(
        `entry points import two things named '${name}': of ${taken.get(name)} and of ${from}. Rename one, they share a file`,
      );
    }
    taken.set(name, from);
  }
  return lines.sort().join('\n');
}

const OPTIONS = {
  bundle: true,
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
  legalComments: 'none',
  sourcesContent: false, // maps name the repository's files
  metafile: true,
  logLevel: 'warning',
};

/** Bundles a variant; returns esbuild's lists of what went into it. */
async function bundle(variant) {
  const { sources, mapped = false } = VARIANTS[variant];
  const sourcemap = mapped && !isBare && 'linked';
  const separate = separateFiles(VARIANTS[variant]);
  const outdir = join(dist, variant);
  const names = new Map();
  const entries = await esbuild.build({
    ...OPTIONS,
    sourcemap,
    entryPoints: entryPoints(variant),
    outdir,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    // Notes imports before `pureCalls` loads the file.
    plugins: [labWorker, withoutValidator, separate, importShared(names), pureCalls],
  });
  const pages = await esbuild.build({
    ...OPTIONS,
    sourcemap,
    entryPoints:
      variant === 'esm'
        ? Object.fromEntries(Object.entries(PAGE_ENTRIES).map(([name, path]) => [name, join(src, path)]))
        : {},
    outdir,
    splitting: true,
    chunkNames: 'page-[hash]',
    plugins: [separate, importShared(names), pureCalls],
  });
  const shared = await esbuild.build({
    ...OPTIONS,
    sourcemap,
    stdin: { contents: sharedEntry(names), resolveDir: src },
    outfile: join(outdir, 'halfopen.js'),
    plugins: [separate, pureCalls],
  });
  withWords(outdir, variant);
  const modules = Object.entries(sources).map(([name, { entry, suffix }]) =>
    esbuild.build({
      ...OPTIONS,
      entryPoints: { [name]: join(src, entry) },
      outdir,
      plugins: [coreModules(suffix), pureCalls],
    }),
  );
  return [entries, pages, shared, ...(await Promise.all(modules))].map(({ metafile }) => metafile);
}

/** Entry points that read errors, or say something of them, outside of a policy's calls: a page has the words with them at once. */
const SPEAKING =
  'ai-sdk effect langchain langgraph matchers mcp once openai-agents otel rehearse repair run'.split(' ');

/** Provides the words when one of these is loaded. package.json lists them as files with side effects. */
function withWords(folder, variant) {
  for (const name of SPEAKING) {
    const path = join(folder, `${name}.js`);
    if (!existsSync(path)) continue;
    const [code, map = ''] = readFileSync(path, 'utf8').split(/(?=\/\/# sourceMappingURL=)/);
    const words = variant === 'js' ? '../esm/languages.js' : '#words-now';
    writeFileSync(
      path,
      `${code}import { errors as _errors, languages as _languages } from "${words}";
import { provideWords as _provideWords } from "./halfopen.js";
_provideWords({ errors: _errors, languages: _languages });
${map}`,
    );
  }
}

/**
 * Makes a folder's files quicker to read, which is most of what an import costs: no spaces, short local names, ASCII alone. The
 * names of functions and classes stay, for stack traces; lines stay short, because Node prints the one that threw; and so do
 * the marks by which an application's bundler leaves out what is not used.
 */
async function shorten(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.js') || name.endsWith('-translated.js')) continue;
    const mapped = existsSync(`${path}.map`);
    const { code, map } = await minify(readFileSync(path, 'utf8'), {
      // Not `module`, which would shorten the names of a file's constants, and so of the classes that esbuild assigns to them.
      ecma: 2020,
      compress: false,
      mangle: { keep_classnames: true, keep_fnames: true },
      format: {
        ascii_only: true,
        max_line_len: 120,
        preserve_annotations: true,
        comments: /webpackIgnore|@vite-ignore/, // of an import of an address
      },
      sourceMap: mapped && {
        content: readFileSync(`${path}.map`, 'utf8'),
        filename: name, // and no address: the package does not have the map
      },
    });
    writeFileSync(path, code);
    if (mapped) writeFileSync(`${path}.map`, byLine(map));
  }
}

/**
 * A map with one entry for each line of the sources, which is what stack traces and breakpoints go by. With one for each name
 * and operator, as the tools write it, they would be four times as large.
 */
function byLine(map) {
  const { mappings, ...rest } = JSON.parse(map);
  const isNew = (entry, n, entries) =>
    n === 0 || entry[1] !== entries[n - 1][1] || entry[2] !== entries[n - 1][2];
  const lines = decode(mappings).map((entries) => entries.filter(isNew).map((entry) => entry.slice(0, 4)));
  return JSON.stringify({ ...rest, names: [], mappings: encode(lines) });
}

/** The files of CommonJS that read the core's modules, by the names that those with inlined modules have in `esm`. */
const READING = {
  modules: 'entry/cjs.ts',
  'lab-module': 'entry/lab-cjs.ts',
  'fleet-module': 'entry/fleet-cjs.ts',
  'run-module': 'entry/run-cjs.ts',
};

/** CommonJS by translating each file of the ESM build: esbuild shares chunks between entries in ESM only. */
async function toCommonJs() {
  const from = join(dist, 'esm');
  const to = join(dist, 'cjs');
  await esbuild.build({
    ...OPTIONS,
    format: 'cjs',
    platform: 'node', // keeps the names of exports readable for `import` from ESM
    entryPoints: Object.fromEntries(Object.entries(READING).map(([name, entry]) => [name, join(src, entry)])),
    outdir: to,
    plugins: [pureCalls],
  });
  for (const name of readdirSync(from)) {
    if (
      !name.endsWith('.js') ||
      (/-(?:workerd|edge-light|node|browser)\.js$|^(?:(?:no-)?words|texts|index-page|with-.*words|page-\w+)\.js$/.test(
        name,
      ) &&
        name !== 'devtools-browser.js')
    )
      continue;
    if (name.slice(0, -'.js'.length) in READING) continue;
    // The nearest package.json is that of this folder, which has no `#modules`, `#lab-module`, `#fleet-module` and `#run-module`.
    const text = withMap(join(from, name))
      .replaceAll(/"#((?:lab-|fleet-|run-)?modules?)"/g, '"./$1.js"')
      .replaceAll(/"#words-(?:now|late)"/g, '"./languages.js"');
    const { code, map } = await esbuild.transform(text, {
      sourcefile: name,
      sourcemap: existsSync(`${join(from, name)}.map`) && 'external',
      sourcesContent: false,
      format: 'cjs',
      platform: 'node',
      target: 'es2022',
      supported: { 'dynamic-import': false }, // the chunks are CommonJS too
    });
    if (map) writeFileSync(join(to, `${name}.map`), map);
    writeFileSync(join(to, name), code);
  }
  // The nearest package.json decides what a .js file is; bundlers read sideEffects there too.
  writeFileSync(
    join(to, 'package.json'),
    `${JSON.stringify({ type: 'commonjs', sideEffects: SPEAKING.map((name) => `./${name}.js`) })}\n`,
  );
}

/** A file of the ESM build with its source map inside, which esbuild takes into account. */
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
  for (const name of readdirSync(from, { recursive: true })) {
    if (name.endsWith('.d.ts')) cpSync(join(from, name), join(to, name));
  }
}

/**
 * Leaves private members out of the published types. With them, the ESM and CommonJS declarations of one class would be
 * two incompatible classes. Private constructors stay.
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

/** Returns a function that says whether an entry point leads to the declarations of `esm` at a path. */
function entryTypes() {
  const patterns = JSON.stringify(manifest.exports)
    .match(/\/esm\/[^"]+\.d\.ts/g)
    .map((entry) => join(dist, entry).split('*'));
  return (path) =>
    patterns.some(([before, after]) =>
      after === undefined ? path === before : path.startsWith(before) && path.endsWith(after),
    );
}

/**
 * Leaves out the types that no entry point leads to. They cannot be imported, and are more than half of the files.
 */
function withoutUnreachedTypes(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
  const isEntry = entryTypes();
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path) || !existsSync(path)) return;
    reached.add(path);
    for (const [, target] of readFileSync(path, 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g,
    ))
      reach(join(dirname(path), target).replace(/\.js$/, '.d.ts'));
  };
  for (const path of files) if (isEntry(path)) reach(path);
  for (const path of files) if (!reached.has(path)) rmSync(path);
}

/**
 * States the types once, in `cjs`: an ESM declaration may lead to a CommonJS one, and not the other way round. In `esm` remain
 * a line for each entry point, and the files that lead to the types of another package. Such a package may have a class twice, one
 * for each format, and TypeScript takes the two for different classes.
 */
function shareTypes(from, to) {
  const files = readdirSync(from, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  copyTypes(from, to);
  const imports = new Map(
    files.map((file) => [
      file,
      ts.preProcessFile(readFileSync(join(from, file), 'utf8')).importedFiles.map(({ fileName }) => fileName),
    ]),
  );
  const target = (file, path) => join(dirname(file), path).replace(/\.js$/, '.d.ts');
  const isForeign = (path) => !path.startsWith('.') && !path.startsWith('node:');
  const twice = new Set(files.filter((file) => imports.get(file).some(isForeign)));
  for (let before = -1; before !== twice.size; ) {
    before = twice.size;
    for (const file of files)
      if (imports.get(file).some((path) => twice.has(target(file, path)))) twice.add(file);
  }
  const isEntry = entryTypes();
  for (const file of files) {
    const path = join(from, file);
    const shared = (name) => relative(dirname(path), join(to, name)).replace(/\.d\.ts$/, '.js');
    if (twice.has(file)) {
      const text = readFileSync(path, 'utf8').replaceAll(
        /((?:from|import)\s*\(?\s*['"])(\.[^'"]+)(?=['"])/g,
        (whole, before, path) =>
          twice.has(target(file, path)) ? whole : before + shared(target(file, path)),
      );
      writeFileSync(path, text);
    } else if (isEntry(path)) writeFileSync(path, `export * from '${shared(file)}';\n`);
    else rmSync(path);
  }
}

/**
 * docs/contributing/npm.md with absolute links: npm resolves relative ones below the package's folder, where the docs are not.
 * While package.json names no repository, links are their text alone, and pictures are left out.
 */
function pageForNpm(text) {
  const { repository } = manifest;
  const address = repository?.url.replace(/^git\+|\.git$/g, '');
  return text.replaceAll(/(!?)\[([^\]]*)\]\((?!https?:)([^)]+)\)/g, (_, image, label, target) => {
    if (address === undefined) return image ? '' : label;
    const path = posix.join('docs/contributing', target);
    return `${image}[${label}](${address}/${image ? 'raw' : 'blob'}/main/${path})`;
  });
}

function types() {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'pkg/tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}

const TRANSLATED = WASM_MODULES.filter(({ translated }) => translated);

function printSizes() {
  console.log('sizes:');
  for (const { name } of WASM_MODULES) printSize(`${name}.wasm`, readFileSync(join(dist, `${name}.wasm`)));
  if (variants.includes('js')) {
    for (const { name } of TRANSLATED) {
      printSize(`${name}.wasm as JavaScript (./js)`, readFileSync(join(dist, `js/${name}-translated.js`)));
    }
  }
}

if (isBare) {
  await bundle('esm');
  process.exit();
}

// A development build of the module has no translation.
const variants = Object.keys(VARIANTS).filter(
  (variant) => variant !== 'js' || (!dev && existsSync(join(wasm, 'policy/translated/policy.js'))),
);
const inputs = [
  'LICENSE-MIT',
  'LICENSE-APACHE',
  'docs/contributing/npm.md',
  'tests/fixtures/incident.jsonl',
  'pkg/src',
  'pkg/package.json',
  'pkg/tsconfig.build.json',
  'tsconfig.json',
  'package-lock.json',
  ...WASM_MODULES.flatMap(({ name }) =>
    [`${name}_bg.wasm`, 'glue.js', 'glue.d.ts'].map((file) => `pkg/wasm/${name}/${file}`),
  ),
  'pkg/wasm/unpacker.js',
  'Cargo.lock',
  'scripts/build-package.mjs',
  'scripts/doors.mjs',
  'scripts/bundle-sizes.mjs',
  'scripts/notices.mjs',
  'scripts/pure-calls.mjs',
  'scripts/sizes.mjs',
];

const outputs = [
  'pkg/README.md',
  'pkg/examples/incident.jsonl',
  ...WASM_MODULES.map(({ name }) => `pkg/dist/${name}.wasm`),
  ...variants.map((variant) => `pkg/dist/${variant}/index.js`),
  ...(dev ? [] : ['pkg/dist/cjs/index.js', 'pkg/dist/esm/index.d.ts', 'pkg/THIRD-PARTY-NOTICES.txt']),
];
await unlessFresh({ name: 'pkg/dist', stampFile: 'pkg/.dist-stamp', inputs, dev, outputs }, async () => {
  // The dashboard has a build of its own.
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    if (name !== 'dashboard' && name !== 'embedded') rmSync(join(dist, name), { recursive: true });
  }
  const metafiles = [];
  for (const variant of variants) metafiles.push(...(await bundle(variant)));
  if (!dev) {
    await toCommonJs();
    for (const folder of [...variants, 'cjs']) await shorten(join(dist, folder));
  }
  for (const { name } of WASM_MODULES) {
    copyFileSync(join(wasm, name, `${name}_bg.wasm`), join(dist, `${name}.wasm`));
  }
  for (const { name } of variants.includes('js') ? TRANSLATED : []) {
    copyFileSync(join(wasm, name, `translated/${name}.js`), join(dist, `js/${name}-translated.js`));
  }
  for (const name of ['LICENSE-MIT', 'LICENSE-APACHE'])
    copyFileSync(join(root, name), join(root, 'pkg', name));
  // The log of docs/walkthrough.md.
  mkdirSync(join(root, 'pkg/examples'), { recursive: true });
  copyFileSync(join(root, 'tests/fixtures/incident.jsonl'), join(root, 'pkg/examples/incident.jsonl'));
  writeFileSync(
    join(root, 'pkg/README.md'),
    pageForNpm(readFileSync(join(root, 'docs/contributing/npm.md'), 'utf8')),
  );
  if (dev) return;
  types();
  withoutPrivateMembers(join(dist, 'esm'));
  withoutUnreachedTypes(join(dist, 'esm'));
  shareTypes(join(dist, 'esm'), join(dist, 'cjs'));
  const { text, sbom, count } = notices(metafiles);
  writeFileSync(join(root, 'pkg/THIRD-PARTY-NOTICES.txt'), text);
  writeFileSync(join(root, 'pkg/sbom.cdx.json'), sbom);
  console.log(`notices: ${count} crates and packages are in the bundles and the wasm`);
  printSizes();
  // A development build of the modules is as large as it is.
  if (variants.includes('js')) await checkBundleSizes();
});

// A page changes more often than code, and takes no time to copy.
writePackageDocs();
