// Checks the types of the blocks of TypeScript in Markdown. A block that continues an earlier one of its page has that
// one's imports. An undeclared name is the reader's own, and `any`.
import { join } from 'node:path';
import ts from 'typescript-5.4';

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  target: ts.ScriptTarget.ES2022,
  lib: [
    'lib.es2022.d.ts',
    'lib.esnext.disposable.d.ts',
    'lib.dom.d.ts',
    'lib.dom.iterable.d.ts',
    'lib.dom.asynciterable.d.ts',
  ],
  strict: true,
  noImplicitAny: false, // what an example leaves to its reader is `any`
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  customConditions: ['development'], // where `halfopen/devtools/embed` has more than nothing
};

interface Block {
  page: string;
  file: string;
  code: string;
  /** The imports of the page's blocks, by the name that they bring. */
  imports: Map<string, string>;
}

function importsIn(code: string): [name: string, line: string][] {
  return [...code.matchAll(/^import (?:type )?(\w+)?,? ?(?:\{([^}]*)\})? ?from ('[^']+');/gm)].flatMap(
    ([, whole = '', named = '', from = '']) => [
      ...(whole ? [[whole, `import ${whole} from ${from};`] as [string, string]] : []),
      ...named
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name): [string, string] => [name.replace(/^type /, ''), `import { ${name} } from ${from};`]),
    ],
  );
}

function blocksOf(pages: Map<string, string>, folder: string): Block[] {
  return [...pages].flatMap(([page, text]) => {
    const codes = [...text.matchAll(/^(> )?```ts(?: \[[^\]]*\])?\n([\s\S]*?)^(?:> )?```/gm)].map(
      ([, quoted, code = '']) => (quoted ? code.replaceAll(/^> ?/gm, '') : code),
    );
    const imports = new Map(codes.flatMap(importsIn));
    return codes.map((code, n) => ({
      page: `${page} (${n + 1})`,
      file: join(folder, `${page.replaceAll(/\W/g, '-')}-${n}.ts`),
      code,
      imports,
    }));
  });
}

/** A platform's page may import packages that are installed for its own tests alone; these are `any` here. */
const CANNOT_FIND_MODULE = 2307;
const HAS_HOSTS_ELSEWHERE = /^docs\/platforms\//;

const CANNOT_FIND_NAME = new Set([2304, 2552, 18004]);

function diagnose(texts: Map<string, string>, earlier?: ts.Program) {
  const host = ts.createCompilerHost(OPTIONS);
  const own: ts.CompilerHost = {
    ...host,
    fileExists: (file) => texts.has(file) || host.fileExists(file),
    readFile: (file) => texts.get(file) ?? host.readFile(file),
    getSourceFile: (file, version, ...rest) => {
      const text = texts.get(file);
      if (text === undefined)
        return earlier?.getSourceFile(file) ?? host.getSourceFile(file, version, ...rest);
      return ts.createSourceFile(file, text, version);
    },
  };
  const program = ts.createProgram([...texts.keys()], OPTIONS, own);
  const found = new Map(
    [...texts.keys()].map((file) => {
      const source = program.getSourceFile(file);
      return [file, [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]];
    }),
  );
  return { program, found };
}

/**
 * Returns the faults in the blocks of `pages` (texts by their names), as lines. Modules are resolved from `folder`.
 */
export function faultsOf(pages: Map<string, string>, folder: string): string[] {
  const blocks = blocksOf(pages, folder);
  const first = diagnose(new Map(blocks.map(({ file, code }) => [file, code])));
  const again = new Map<string, string>();
  for (const { file, code, imports } of blocks) {
    const missing = new Set(
      (first.found.get(file) ?? [])
        .filter((fault) => CANNOT_FIND_NAME.has(fault.code))
        .map(({ file: text, start = 0, length = 0 }) => text?.text.slice(start, start + length) ?? ''),
    );
    if (missing.size === 0) continue;
    const lines = [...missing].flatMap((name) => {
      const imported = imports.get(name);
      if (imported !== undefined) return [imported];
      return /^[a-z]/.test(name) ? [`declare let ${name}: any;`] : [];
    });
    again.set(file, `${lines.join(' ')}${code}`);
  }
  const second = diagnose(again, first.program);
  return blocks.flatMap(({ page, file }) =>
    (second.found.get(file) ?? first.found.get(file) ?? [])
      .filter(({ code }) => code !== CANNOT_FIND_MODULE || !HAS_HOSTS_ELSEWHERE.test(page))
      .map(({ messageText }) => `${page}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}
