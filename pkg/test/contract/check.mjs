// Proves that the built package's published types are those of the contract (api.d.ts and one file for each subpath here):
// every name is there, and its type fits: values and classes as the contract has them, plain types both ways. Compiled as
// a consumer would, from ESM and from CommonJS, with today's TypeScript and with the oldest that is promised, strictly,
// without Node's types, and with the libraries' own declarations checked.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const require = createRequire(import.meta.url);
const ts = require('typescript-5.4'); // also the one with a stable compiler API

const CONTRACTS = {
  halfopen: 'api.d.ts',
  'halfopen/testing': 'testing.d.ts',
  'halfopen/devtools': 'devtools.d.ts',
  'halfopen/otel': 'otel.d.ts',
  'halfopen/log': 'log.d.ts',
  'halfopen/ai-sdk': 'ai-sdk.d.ts',
  'halfopen/lab': 'lab.d.ts',
  'halfopen/fleet': 'fleet.d.ts',
  'halfopen/repair': 'repair.d.ts',
  'halfopen/run': 'run.d.ts',
  'halfopen/once': 'once.d.ts',
  'halfopen/fleet/redis': 'fleet-redis.d.ts',
  'halfopen/fleet/durable-object': 'fleet-durable-object.d.ts',
  'halfopen/fleet/conformance': 'fleet-conformance.d.ts',
};
const COMPILERS = {
  'TypeScript 7.0': 'node_modules/typescript/bin/tsc',
  'TypeScript 5.4': 'node_modules/typescript-5.4/bin/tsc',
};

/** Types that the package may widen: more kinds of events than the contract knows are no breach. One way only. */
const OUTPUT_ONLY = new Set(['HalfopenEvent']);

/** The exported names of a declaration file: what each is, and how many type parameters it has. */
function exportsOf(file) {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(file));
  return new Map(
    checker.getExportsOfModule(symbol).map((exported) => {
      const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const parameters =
        target.declarations?.find((d) => d.typeParameters && !ts.isFunctionLike(d))?.typeParameters ?? [];
      return [
        exported.name,
        {
          value: Boolean(target.flags & ts.SymbolFlags.Value),
          type: Boolean(target.flags & ts.SymbolFlags.Type),
          class: Boolean(target.flags & ts.SymbolFlags.Class),
          // A list of parameters takes a list.
          parameters: parameters.map(({ constraint }) =>
            constraint?.kind === ts.SyntaxKind.ArrayType ? 'string[]' : 'string',
          ),
        },
      ];
    }),
  );
}

/** The declarations that the package publishes for a specifier, if it does. */
function published(specifier) {
  const { exports } = JSON.parse(readFileSync(join(root, 'pkg/package.json'), 'utf8'));
  const entry = exports[specifier.replace('halfopen', '.')];
  const types = entry?.import?.types;
  return types && existsSync(join(root, 'pkg', types)) ? join(root, 'pkg', types) : undefined;
}

const missing = [];
const checks = [];
let names = 0;
for (const [specifier, contract] of Object.entries(CONTRACTS)) {
  const promised = exportsOf(join(here, contract));
  const types = published(specifier);
  const built = types ? exportsOf(types) : new Map();
  const file = contract.replace('.d.ts', '');
  const id = file.replaceAll('-', '_');
  if (types)
    checks.push(
      `import type * as B_${id} from '${specifier}';`,
      `import type * as C_${id} from '../${file}.js';`,
    );
  for (const [name, is] of promised) {
    const has = built.get(name);
    if (!has || (is.value && !has.value) || (is.type && !has.type)) {
      missing.push(`${specifier}: ${name}`);
      continue;
    }
    names++;
    const [b, c] = [`B_${id}.${name}`, `C_${id}.${name}`];
    if (is.value) checks.push(`export const ${id}_${name}: (it: typeof ${b}) => typeof ${c} = (it) => it;`);
    if (is.type) {
      const given = is.parameters.length > 0 ? `<${is.parameters.join(', ')}>` : '';
      checks.push(`export const ${id}_${name}_out: (it: ${b}${given}) => ${c}${given} = (it) => it;`);
      if (!is.class && !OUTPUT_ONLY.has(name))
        checks.push(`export const ${id}_${name}_in: (it: ${c}${given}) => ${b}${given} = (it) => it;`);
    }
  }
}

/** Optional properties without `| undefined` in what is published: with exactOptionalPropertyTypes they refuse undefined. */
function strictOptionals() {
  const found = [];
  const seen = new Set();
  const read = (file) => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
    const visit = (node) => {
      if (
        (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) &&
        node.questionToken &&
        node.type
      ) {
        const { type } = node;
        const open = type.kind === ts.SyntaxKind.UnknownKeyword || type.kind === ts.SyntaxKind.AnyKeyword;
        const has =
          ts.isUnionTypeNode(type) &&
          type.types.some((member) => member.kind === ts.SyntaxKind.UndefinedKeyword);
        if (!open && !has)
          found.push(
            `${file.slice(root.length + 1)}: ${node.name.getText()}?: ${type.getText().slice(0, 60)}`,
          );
      }
      const reference = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
      const from = reference ? node.moduleSpecifier?.text : undefined;
      if (from?.startsWith('.')) read(join(dirname(file), from.replace(/\.js$/, '.d.ts')));
      ts.forEachChild(node, visit);
    };
    visit(source);
  };
  for (const specifier of Object.keys(CONTRACTS)) {
    const types = published(specifier);
    if (types) read(types);
  }
  return found;
}

let failed = false;
const output = join(here, 'output');
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const extension of ['mts', 'cts']) {
  // A unique symbol is itself only: the contract imports it as ESM does.
  const own = checks.filter((check) => extension === 'mts' || !check.includes('_STREAM_RESET'));
  const text = own
    .join('\n')
    .replaceAll(
      /import type \* as (C_\w+) from '(.*)';/g,
      extension === 'cts' ? `import type * as $1 from '$2' with { 'resolution-mode': 'import' };` : '$&',
    );
  writeFileSync(join(output, `contract.${extension}`), `${text}\n`);
}
const options = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
};
for (const extension of ['mts', 'cts']) {
  writeFileSync(
    join(output, `tsconfig.${extension}.json`),
    JSON.stringify({ compilerOptions: options, files: [`contract.${extension}`] }),
  );
  for (const [compiler, tsc] of Object.entries(COMPILERS)) {
    try {
      execFileSync(process.execPath, [join(root, tsc), '-p', join(output, `tsconfig.${extension}.json`)], {
        encoding: 'utf8',
        cwd: root,
      });
      console.log(`contract, ${compiler}, ${extension}: ${names} names fit`);
    } catch (error) {
      failed = true;
      console.error(`contract, ${compiler}, ${extension}:\n${error.stdout}${error.stderr}`);
    }
  }
}
const optionals = strictOptionals();
if (optionals.length) {
  failed = true;
  console.error(
    `optional properties without '| undefined' in the published types:\n  ${optionals.join('\n  ')}`,
  );
}
if (missing.length) {
  console.error(
    `MISSING from the package, ${missing.length} of ${names + missing.length} names of the contract:\n  ${missing.join('\n  ')}`,
  );
  failed = true;
}
process.exit(failed ? 1 : 0);
