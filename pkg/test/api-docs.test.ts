// The package's exports are documented at their declaration: every export, every member of a class or an interface and
// every overload has a comment, functions and classes an example, and the examples compile.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.4';

const source = (file: string) => fileURLToPath(new URL(`../src/${file}`, import.meta.url));
const DOORS: Record<string, string> = {
  halfopen: source('index.ts'),
  'halfopen/testing': source('testing.ts'),
  'halfopen/otel': source('otel.ts'),
  'halfopen/log': source('log.ts'),
  'halfopen/lab': source('lab/index.ts'),
  'halfopen/ai-sdk': source('ai-sdk/index.ts'),
  'halfopen/guard': source('guard/index.ts'),
  'halfopen/repair': source('repair/index.ts'),
  'halfopen/run': source('run/index.ts'),
  'halfopen/rehearse': source('rehearse/index.ts'),
  'halfopen/langchain': source('langchain/index.ts'),
  'halfopen/undici': source('integrations/undici.ts'),
  'halfopen/openai-agents': source('integrations/openai-agents.ts'),
  'halfopen/mcp': source('mcp/index.ts'),
  'halfopen/langgraph': source('integrations/langgraph.ts'),
  'halfopen/effect': source('integrations/effect.ts'),
  'halfopen/matchers': source('integrations/matchers.ts'),
  'halfopen/fleet': source('fleet/index.ts'),
  'halfopen/fleet/redis': source('fleet/redis.ts'),
  'halfopen/fleet/durable-object': source('fleet/durable-object.ts'),
  'halfopen/fleet/kv': source('fleet/kv.ts'),
  'halfopen/fleet/conformance': source('fleet/conformance.ts'),
  'halfopen/once': source('once/index.ts'),
  'halfopen/once/redis': source('once/redis.ts'),
  'halfopen/once/postgres': source('once/postgres.ts'),
  'halfopen/once/kv': source('once/kv.ts'),
  'halfopen/once/conformance': source('once/conformance.ts'),
  'halfopen/devtools': source('devtools/index.ts'),
  'halfopen/devtools/embed': source('devtools/embed/index.ts'),
};

/** Without exports of their own: the same functions in another form, locales as a side effect, and files that are no modules. */
const NO_DOORS = /^\.\/js(?:\/|$)|\.(?:wasm|json)$/;

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  strict: true,
  noImplicitAny: false, // what an example leaves to its reader is `any`
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  paths: Object.fromEntries(Object.entries(DOORS).map(([door, file]) => [door, [file]])),
};

interface Item {
  /** As people call it: `createPolicy`, `Policy.execute`, `RetryOptions.maxRetries`. */
  name: string;
  door: string;
  needsExample: boolean;
  comment: string;
  overloads: string[];
  examples: string[];
}

const host = ts.createCompilerHost(options);
const program = ts.createProgram(Object.values(DOORS), options, host);
const checker = program.getTypeChecker();

function commentOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

function examplesOf(symbol: ts.Symbol): string[] {
  return symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === 'example')
    .map(({ text }) => ts.displayPartsToString(text));
}

function isInternal(symbol: ts.Symbol): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === 'internal');
}

function isHidden(declaration: ts.Declaration): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(declaration) & hidden) !== 0;
}

const MEMBERS = new Set([
  ts.SyntaxKind.MethodDeclaration,
  ts.SyntaxKind.GetAccessor,
  ts.SyntaxKind.SetAccessor,
  ts.SyntaxKind.PropertyDeclaration,
  ts.SyntaxKind.PropertySignature,
  ts.SyntaxKind.MethodSignature,
]);

/** The methods, accessors and properties of a class or an interface, by the names that people use. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  return [...(symbol.members?.values() ?? [])].filter((member) => {
    const [declaration] = member.declarations ?? [];
    if (declaration === undefined || isInternal(member) || isHidden(declaration)) return false;
    const { name } = declaration as ts.NamedDeclaration;
    return name !== undefined && !ts.isPrivateIdentifier(name) && MEMBERS.has(declaration.kind);
  });
}

/** The comment of each overload; an editor shows that of the one that a call takes. */
function overloadsOf(symbol: ts.Symbol): string[] {
  const overloads = (symbol.declarations ?? []).filter(
    (one) => ts.isFunctionLike(one) && (one as ts.FunctionLikeDeclaration).body === undefined,
  );
  return overloads.map((one) =>
    ts
      .getJSDocCommentsAndTags(one)
      .filter(ts.isJSDoc)
      .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
      .join(''),
  );
}

function itemsOf(door: string, file: string): Item[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const callable = (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0;
    const item = (of: ts.Symbol, name: string, needsExample: boolean): Item => ({
      name,
      door,
      needsExample,
      comment: commentOf(of),
      overloads: overloadsOf(of),
      examples: examplesOf(of),
    });
    return [
      item(symbol, exported.name, callable),
      ...membersOf(symbol).map((member) => item(member, `${exported.name}.${member.name}`, false)),
    ];
  });
}

const items = Object.entries(DOORS).flatMap(([door, file]) => itemsOf(door, file));

test('every entry point of package.json is looked at', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> };
  const doors = Object.keys(exports).filter((path) => !NO_DOORS.test(path));
  assert.deepEqual(doors.map((path) => path.replace(/^\./, 'halfopen')).sort(), Object.keys(DOORS).sort());
});

const names = (of: Item[]) => of.map(({ name }) => name).sort();

test('every export and every member has a comment', () => {
  assert.deepEqual(names(items.filter(({ comment }) => comment === '')), []);
});

test('every overload has a comment', () => {
  assert.deepEqual(names(items.filter(({ overloads }) => overloads.includes(''))), []);
});

test('every function and class has an example', () => {
  const without = items.filter(({ needsExample, examples }) => needsExample && examples.length === 0);
  assert.deepEqual(names(without), []);
});

/** The examples as files beside the tests, so that `halfopen` is found as in an application. */
const examples = items.flatMap(({ name, door, examples }) =>
  examples.map((text, n) => ({
    title: `${name}${n > 0 ? ` (${n + 1})` : ''}`,
    file: fileURLToPath(new URL(`./${name}-${n}.example.mts`, import.meta.url)),
    door,
    code: /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? text,
  })),
);

/**
 * Names of the package that an example uses without importing them come from its own entry point, or from the main one.
 */
function imports(code: string, door: string): string {
  const names = new Set<string>();
  return [door, 'halfopen']
    .map((from) => {
      const used = items
        .filter((item) => item.door === from && !item.name.includes('.') && !names.has(item.name))
        .map(({ name }) => name)
        .filter(
          (name) =>
            new RegExp(`\\b${name}\\b`).test(code) &&
            !code.includes(`${name} }`) &&
            !code.includes(`function ${name}`),
        );
      for (const name of used) names.add(name);
      return used.length > 0 ? `import { ${used.join(', ')} } from '${from}';\n` : '';
    })
    .join('');
}

/** Compiles the examples; what one neither declares nor imports is the reader's own, and `any`. */
function faultsOf(declared: Map<string, Set<string>>): Map<string, readonly ts.Diagnostic[]> {
  const texts = new Map(
    examples.map(({ file, code, door }) => {
      const own = [...(declared.get(file) ?? [])].map((name) => `declare let ${name}: any;\n`).join('');
      return [file, `${imports(code, door)}${own}export {};\n${code}`];
    }),
  );
  const exampleHost: ts.CompilerHost = {
    ...host,
    fileExists: (file) => texts.has(file) || host.fileExists(file),
    readFile: (file) => texts.get(file) ?? host.readFile(file),
    getSourceFile: (file, ...rest) => {
      const text = texts.get(file);
      if (text === undefined) return program.getSourceFile(file) ?? host.getSourceFile(file, ...rest);
      return ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
    },
  };
  const compiled = ts.createProgram([...texts.keys()], options, exampleHost);
  return new Map(
    [...texts.keys()].map((file) => {
      const parsed = compiled.getSourceFile(file);
      return [
        file,
        [...compiled.getSyntacticDiagnostics(parsed), ...compiled.getSemanticDiagnostics(parsed)],
      ];
    }),
  );
}

const CANNOT_FIND_NAME = new Set([2304, 2552, 18004]);
const own = new Map<string, Set<string>>();
for (const [file, faults] of faultsOf(own)) {
  const names = faults
    .filter(({ code }) => CANNOT_FIND_NAME.has(code))
    .map(({ file: text, start = 0, length = 0 }) => text?.text.slice(start, start + length) ?? '');
  own.set(file, new Set(names.filter((name) => /^[a-z]/.test(name))));
}
const faults = faultsOf(own);

describe('examples compile', () => {
  for (const { title, file } of examples) {
    test(title, () => {
      const messages = faults
        .get(file)
        ?.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
      assert.deepEqual(messages, []);
    });
  }
});
