// Holds the package's public types to the reports in pkg/api, one for each entry point, as api-extractor writes them: a change of
// what users can import shows in a review, and fails here until its report is written again.
//   node scripts/api-reports.mjs            compares; exits with 1 and names the reports that differ
//   UPDATE=1 node scripts/api-reports.mjs   writes them
// It reads the built package. Install first: scripts/setup.sh house
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './building.mjs';

const { Extractor, ExtractorConfig } = createRequire(join(root, 'scripts/house/package.json'))(
  '@microsoft/api-extractor',
);
const pkg = join(root, 'pkg');
const types = join(pkg, 'dist/cjs'); // in `esm` most entry points are a line that leads there
const reports = join(pkg, 'api');

/** The declarations that `exports` leads to, whatever the condition, with the name of their report. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(pkg, 'package.json'), 'utf8'));
  const patterns = new Set(JSON.stringify(exports).match(/\.\/dist\/esm\/[^"]+\.d\.ts/g));
  return [...patterns]
    .flatMap((pattern) => globbed(join(pkg, pattern.replace('/esm/', '/cjs/'))))
    .map((file) => {
      const name = relative(types, file)
        .replace(/\.d\.ts$/, '')
        .replace(/^integrations\//, '')
        .replace(/\/index$/, '');
      return { file, name: name.replaceAll('/', '-') };
    });
}

/** A path with `*` for a name, as `exports` has it. */
function globbed(path) {
  const [before, after] = path.split('*');
  if (after === undefined) return [path];
  return readdirSync(before)
    .filter((name) => name.endsWith(after))
    .map((name) => join(before, name));
}

/** The report of an entry point. */
function report({ file, name }, folder) {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(pkg, 'package.json'),
    configObject: {
      projectFolder: pkg,
      mainEntryPointFilePath: file,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2022', 'ESNext.Disposable', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
            module: 'NodeNext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [file],
        },
      },
      apiReport: { enabled: true, reportFolder: folder, reportTempFolder: folder, reportFileName: name },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        // The contract decides which types are exported (pkg/test/contract), and api-docs.test.ts checks their
        // documentation.
        compilerMessageReporting: { default: { logLevel: 'none' } },
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  const fault = [];
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === 'error') fault.push(message.text);
      message.handled = true;
    },
  });
  if (fault.length > 0) throw new Error(`${name}: ${fault.join('\n')}`);
  return readFileSync(join(folder, `${name}.api.md`), 'utf8');
}

const work = mkdtempSync(join(tmpdir(), 'halfopen-api-'));
try {
  const wanted = new Map(entries().map((entry) => [`${entry.name}.api.md`, report(entry, work)]));
  const there = existsSync(reports) ? readdirSync(reports) : [];
  const kept = (name) => (there.includes(name) ? readFileSync(join(reports, name), 'utf8') : undefined);
  const changed = [...wanted].filter(([name, text]) => kept(name) !== text).map(([name]) => name);
  const gone = there.filter((name) => !wanted.has(name));
  if (process.env.UPDATE) {
    mkdirSync(reports, { recursive: true });
    for (const name of changed) writeFileSync(join(reports, name), wanted.get(name));
    for (const name of gone) rmSync(join(reports, name));
    console.log(
      `api: ${wanted.size} entry points, ${changed.length + gone.length} reports written or removed`,
    );
  } else if (changed.length + gone.length > 0) {
    console.error(`api: the public types are not those of pkg/api: ${[...changed, ...gone].join(', ')}`);
    console.error(
      'api: if that is meant, run UPDATE=1 node scripts/api-reports.mjs, read the difference, and commit it',
    );
    process.exitCode = 1;
  } else {
    console.log(`api: the public types of ${wanted.size} entry points are those of pkg/api`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
