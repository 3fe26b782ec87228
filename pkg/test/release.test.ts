// The conditions that keep a version from being published, and npm's page of the package.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a build script, which has no types
import * as prepack from '../../scripts/prepack.mjs';
// @ts-expect-error: as above
import { failures as failed, problems as found } from '../../scripts/release.mjs';

const problems = found as (state: typeof READY) => string[];

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');

const READY = {
  manifest: JSON.stringify({
    version: '1.2.0',
    repository: { type: 'git', url: 'git+https://code.example.org/halfopen.git' },
    homepage: 'https://code.example.org/halfopen#readme',
    bugs: { url: 'https://code.example.org/halfopen/issues' },
  }),
  security: 'Write to **security@example.org**.',
  cargo: '[workspace.package]\nversion = "1.2.0"\n',
  changelog: '# halfopen\n\n## 1.2.0\n\nMore.\n',
  changesets: [] as string[],
  uncommitted: '',
};

test('a version that is ready has no problems; each lack is named with where it is', () => {
  assert.deepEqual(problems(READY), []);
  const lacks: [Partial<typeof READY>, RegExp][] = [
    [
      { security: 'Write to **security@halfopen.invalid**.' },
      /^SECURITY\.md has the placeholder security@halfopen\.invalid/,
    ],
    [
      { manifest: READY.manifest.replaceAll('code.example.org', 'repository.invalid') },
      /^pkg\/package\.json has the placeholder .*repository\.invalid/,
    ],
    [
      { manifest: READY.manifest.replace('org/halfopen/issues', 'org/other/issues') },
      /'bugs' is .*expected an address below/,
    ],
    [
      { manifest: JSON.stringify({ ...JSON.parse(READY.manifest), homepage: undefined }) },
      /^pkg\/package\.json has no 'homepage': write the address there/,
    ],
    [
      { cargo: '[workspace.package]\nversion = "1.1.0"\n' },
      /Cargo\.toml has version 1\.1\.0, pkg\/package\.json has 1\.2\.0/,
    ],
    [{ changelog: '# halfopen\n\n## 1.1.0\n' }, /no section '## 1\.2\.0'/],
    [{ changesets: ['brave-cats.md'] }, /^brave-cats\.md in \.changeset/],
    [{ uncommitted: ' M README.md' }, /^not committed:\n M README\.md/],
  ];
  for (const [lack, message] of lacks) assert.match(problems({ ...READY, ...lack })[0] ?? '', message);
});

test('every try of a release is made, and each that fails is named; a placeholder keeps the list from being empty', () => {
  type Try = [name: string, command: string, args: string[], folder: string];
  const failures = failed as (tries: Try[], run: (...of: unknown[]) => number | null) => string[];
  const tries: Try[] = [
    ['the first', 'one', ['-a'], 'pkg'],
    ['the second', 'two', [], '.'],
    ['the third', 'three', ['x'], '.'],
  ];
  const seen: unknown[] = [];
  const run = (command: unknown, ...rest: unknown[]) => {
    seen.push([command, ...rest]);
    return command === 'one' ? 1 : command === 'two' ? null : 0;
  };
  assert.deepEqual(failures(tries, run), [
    'the first: `one -a` failed, its output is above',
    'the second: `two` failed, its output is above',
  ]);
  assert.deepEqual(
    seen,
    tries.map(([, ...of]) => of),
  );
  // Each file that has a placeholder, or lacks an address, is named.
  for (const file of ['pkg/package.json', 'Cargo.toml', 'SECURITY.md']) {
    const key =
      { 'pkg/package.json': 'manifest', 'Cargo.toml': 'cargo', 'SECURITY.md': 'security' }[file] ?? '';
    const state = {
      ...READY,
      [key]: READY[key as 'cargo'].replace(/\n?$/, ' https://repository.invalid/x\n'),
    };
    if (key === 'manifest') state.manifest = READY.manifest.replace('code.example.org', 'repository.invalid');
    assert.ok(
      problems(state).some((problem) => problem.startsWith(`${file} has the placeholder`)),
      file,
    );
  }
});

test("npm's page has no relative links, and installs before anything else", () => {
  const page = read('pkg/README.md');
  const { repository } = JSON.parse(read('pkg/package.json')) as { repository?: { url: string } };
  const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
  for (const target of targets) assert.match(target, /^https:\/\//);
  // As long as no address is decided, there is nothing to link to.
  const address = repository?.url.replace(/^git\+|\.git$/g, '');
  assert.equal(targets.includes(`${address}/blob/main/SECURITY.md`), address !== undefined);
  assert.equal(targets.includes(`${address}/raw/main/docs/images/dashboard.png`), address !== undefined);
  assert.ok(page.includes('security'));
  assert.match(/^```sh\n(.*)$/m.exec(page)?.[1] ?? '', /^npm install halfopen$/);
});

test('packing fails, and says so, without a file that npm would leave out in silence', () => {
  const { files, scripts } = JSON.parse(read('pkg/package.json')) as {
    files: string[];
    scripts: Record<string, string>;
  };
  const { EXPECTED, missingIn } = prepack as {
    EXPECTED: string[];
    missingIn(folder: string): string[];
  };
  assert.equal(scripts.prepack, 'node ../scripts/prepack.mjs');
  assert.deepEqual(missingIn(fileURLToPath(new URL('../', import.meta.url))), []);
  assert.deepEqual(missingIn(fileURLToPath(new URL('./', import.meta.url))), EXPECTED);
  for (const entry of files.filter((name) => !name.startsWith('!')))
    assert.ok(
      EXPECTED.some((name) => name === entry || name.startsWith(`${entry}/`)),
      entry,
    );
});

test('versions of the package and of the crate are equal', () => {
  const { version } = JSON.parse(read('pkg/package.json')) as { version: string };
  assert.ok(read('Cargo.toml').includes(`[workspace.package]\nversion = "${version}"\n`));
});
