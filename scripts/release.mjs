// Publishes the package to npm, and refuses while something is not ready.
//   node scripts/release.mjs             says what is missing
//   node scripts/release.mjs --check     as `make release-check`: also makes the tarballs, and tries them beside their hosts
//   node scripts/release.mjs --publish   publishes the built package, and tags the commit
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

/** Names that cannot be registered (RFC 2606) replace addresses that are not decided yet. */
const PLACEHOLDER = /[\w.@/:-]*\.invalid\b[^\s"')*]*/g;

/**
 * Returns the reasons that keep a version from being published, a sentence each.
 *
 * @param state - the texts of package.json, SECURITY.md, Cargo.toml and the changelog, the names of the changesets, and what
 * `git status --porcelain` prints.
 */
export function problems({ manifest, security, cargo, changelog, changesets, uncommitted }) {
  const found = [];
  const { version, repository, homepage, bugs } = JSON.parse(manifest);
  const places = { 'pkg/package.json': manifest, 'Cargo.toml': cargo, 'SECURITY.md': security };
  for (const [name, text] of Object.entries(places)) {
    for (const placeholder of new Set(text.match(PLACEHOLDER)))
      found.push(`${name} has the placeholder ${placeholder}: write the real address there`);
  }
  const address = repository?.url.replace(/^git\+|\.git$/g, '');
  for (const [name, url] of Object.entries({ repository: address, homepage, bugs: bugs?.url })) {
    if (url === undefined) found.push(`pkg/package.json has no '${name}': write the address there`);
    else if (address !== undefined && !url.startsWith(address))
      found.push(`pkg/package.json: '${name}' is ${url}, expected an address below ${address}`);
  }
  const crate = /^\[workspace\.package\]\nversion = "([^"]+)"/m.exec(cargo)?.[1];
  if (crate !== version)
    found.push(`Cargo.toml has version ${crate}, pkg/package.json has ${version}: make them equal`);
  if (!changelog.includes(`\n## ${version}\n`))
    found.push(`pkg/CHANGELOG.md has no section '## ${version}': run npx changeset version`);
  if (changesets.length > 0)
    found.push(`${changesets.join(', ')} in .changeset: run npx changeset version, and commit`);
  if (uncommitted !== '') found.push(`not committed:\n${uncommitted}`);
  return found;
}

/**
 * The tries of `make release-check`, each with its name. Each makes its tarball of the built package or of the crate, and sends
 * nothing.
 */
const TRIES = [
  ['npm takes the package', 'npm', ['publish', '--dry-run'], 'pkg'],
  ['crates.io takes the crate', 'cargo', ['publish', '--dry-run', '--locked', '--package', 'halfopen'], '.'],
  [
    'hosts, platforms and examples',
    'scripts/test.sh',
    ['packaging', 'platforms', 'examples', 'service'],
    '.',
  ],
];

/** Tries each, also after one that fails; returns a sentence for each that did. */
export function failures(tries, run) {
  return tries
    .filter(([, command, args, folder]) => run(command, args, folder) !== 0)
    .map(
      ([name, command, args]) => `${name}: \`${[command, ...args].join(' ')}\` failed, its output is above`,
    );
}

const read = (name) => readFileSync(join(root, name), 'utf8');

function now() {
  return {
    manifest: read('pkg/package.json'),
    security: read('SECURITY.md'),
    cargo: read('Cargo.toml'),
    changelog: read('pkg/CHANGELOG.md'),
    changesets: readdirSync(join(root, '.changeset')).filter((name) => /^(?!README).*\.md$/.test(name)),
    uncommitted: execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trimEnd(),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const state = now();
  const isCheck = process.argv[2] === '--check';
  const tried = isCheck
    ? failures(TRIES, (command, args, folder) => {
        console.log(`release: ${command} ${args.join(' ')}`);
        return spawnSync(command, args, { cwd: join(root, folder), stdio: 'inherit' }).status;
      })
    : [];
  const found = [...tried, ...problems(state)];
  const { version } = JSON.parse(state.manifest);
  if (found.length > 0) {
    console.error(
      `halfopen ${version} cannot be published yet:\n${found.map((what) => `- ${what}\n`).join('')}`,
    );
    process.exitCode = 1;
  } else if (process.argv[2] === '--publish') {
    const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });
    run('npm', ['publish', '--provenance', '--access', 'public'], join(root, 'pkg'));
    run('git', ['tag', `v${version}`], root);
    run('git', ['push', 'origin', `v${version}`], root);
  } else {
    console.log(`halfopen ${version} is ready: node scripts/release.mjs --publish`);
  }
}
