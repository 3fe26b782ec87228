// Plants bugs in a copy of the project, one at a time, and demands that the command which should notice each one fails:
// a test that cannot fail proves nothing. Prints a table; exit code 0 only if every bug was noticed.
//   make planted                      all of tests/planted
//   make planted PLANTED="a-probe b"  only these
//   node scripts/planted.mjs --check  plants none: says which patches no longer apply to the files as they are
// Each folder of tests/planted has bug.patch and planted.json: which `item` of the project's claims it belongs to, the `bug` in
// words, what to `build`, what to `run`, and what a run that notices it `says` (a pattern). With the bug the build must still
// go well; without it, so must the run. The copy is a worktree of Git, of what is committed and what is changed in files that Git knows.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './building.mjs';

const folder = join(root, 'tests/planted');
/** A command that takes longer, in milliseconds, hangs. */
const PATIENCE = 1_800_000;
/** The build's output, which a bug must not leave behind for the next one. */
const BUILT = ['pkg/wasm', 'pkg/dist', 'pkg/.dist-stamp', 'pkg/.dashboard-stamp'];

const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const isCheck = process.argv[2] === '--check';
const wanted = process.argv.slice(isCheck ? 3 : 2);
for (const name of wanted) {
  if (names.includes(name)) continue;
  console.error(`no bug '${name}' in tests/planted; there are: ${names.join(' ')}`);
  process.exit(2);
}
const bugs = (wanted.length === 0 ? names : wanted)
  .map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name, 'planted.json'), 'utf8')) }))
  .sort((a, b) => a.item - b.item);

if (isCheck) {
  const applies = ({ name }) =>
    spawnSync('git', ['apply', '--check', join(folder, name, 'bug.patch')], { cwd: root, stdio: 'inherit' })
      .status === 0;
  const stale = bugs.filter((bug) => !applies(bug)).map(({ name }) => name);
  if (stale.length > 0) console.error(`planted: make these patches anew: ${stale.join(' ')}`);
  else console.log(`planted: all ${bugs.length} patches apply`);
  process.exit(stale.length > 0 ? 1 : 0);
}

const scratch = mkdtempSync(join(tmpdir(), 'halfopen-planted-'));
const tree = join(scratch, 'tree');
const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

/** The packages of a folder, by links; those of the project itself lead into the copy. */
function linkPackages(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (lstatSync(path).isSymbolicLink()) cpSync(path, join(to, name), { verbatimSymlinks: true });
    else symlinkSync(path, join(to, name));
  }
}

function copyProject() {
  // `stash create` fails if a file was touched and not changed. This exits with 1 if files are changed.
  spawnSync('git', ['update-index', '-q', '--refresh'], { cwd: root });
  // A commit of the changed files, on no branch; HEAD if nothing is changed.
  const commit = git(root, 'stash', 'create') || 'HEAD';
  git(root, 'worktree', 'add', '--quiet', '--detach', tree, commit);
  for (const path of git(
    root,
    'ls-files',
    '--others',
    '--ignored',
    '--exclude-standard',
    '--directory',
  ).split('\n'))
    if (path.endsWith('node_modules/')) linkPackages(join(root, path), join(tree, path));
}

function restoreBuilt() {
  for (const path of BUILT) {
    rmSync(join(tree, path), { recursive: true, force: true });
    if (existsSync(join(root, path))) cpSync(join(root, path), join(tree, path), { recursive: true });
  }
}

/** Runs a command in the copy. Cargo has a folder of its own there: it takes what it made of other sources for fresh. */
function shell(command) {
  const env = { ...process.env, CARGO_TARGET_DIR: join(root, 'target/planted'), NODE_OPTIONS: '' };
  const { status, stdout, stderr, error } = spawnSync('bash', ['-c', `. scripts/env.sh && ${command}`], {
    cwd: tree,
    env,
    encoding: 'utf8',
    timeout: PATIENCE,
    maxBuffer: 2 ** 28,
  });
  const output = `${stdout}${stderr}`;
  return { ok: status === 0, hung: error?.code === 'ETIMEDOUT', output };
}

const tail = (output) => output.trimEnd().split('\n').slice(-30).join('\n');

/** The faults without the bug, if any. It runs each command once, however many bugs it should detect. */
const clean = new Map();
function wrongWithout({ build = 'true', run }) {
  const command = `{ ${build}; } && { ${run}; }`;
  if (!clean.has(command)) {
    const { ok, output } = shell(command);
    clean.set(command, ok ? undefined : tail(output));
  }
  return clean.get(command);
}

/** Plants the bug and returns `caught`, or the fault with the output that shows it. */
function plant(bug) {
  const { name, build = 'true', run, says } = bug;
  const patch = join(folder, name, 'bug.patch');
  const unplanted = wrongWithout(bug);
  if (unplanted !== undefined) return ['FAILS WITHOUT THE BUG', unplanted];
  const applied = spawnSync('git', ['apply', patch], { cwd: tree, encoding: 'utf8' });
  if (applied.status !== 0) return ['THE PATCH DOES NOT APPLY', applied.stderr];
  try {
    const built = shell(build);
    if (!built.ok) return ['DOES NOT BUILD WITH THE BUG', tail(built.output)];
    const { ok, hung, output } = shell(run);
    if (hung) return ['HANGS', tail(output)];
    if (ok) return ['MISSED', tail(output)];
    // Wrong output of another kind is some other failure.
    if (!new RegExp(says).test(output)) return [`FAILED, BUT NOTHING SAYS /${says}/`, tail(output)];
    return ['caught'];
  } finally {
    git(tree, 'apply', '--reverse', patch);
    restoreBuilt();
  }
}

function cleanUp() {
  spawnSync('git', ['worktree', 'remove', '--force', tree], { cwd: root });
  rmSync(scratch, { recursive: true, force: true });
}
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

copyProject();
restoreBuilt();
const results = [];
for (const bug of bugs) {
  const began = performance.now();
  const [verdict, output] = plant(bug);
  const seconds = Math.round((performance.now() - began) / 1000);
  results.push({ ...bug, verdict, seconds });
  console.log(`${bug.name}: ${verdict} (${seconds} s)`);
  if (output !== undefined) console.log(`${output}\n`);
}

console.log(`\n${'item'.padEnd(5)}${'planted bug'.padEnd(30)}${'time'.padStart(7)}  result`);
for (const { item, name, bug, verdict, seconds } of results)
  console.log(
    `${String(item).padEnd(5)}${name.padEnd(30)}${`${seconds} s`.padStart(7)}  ${verdict.padEnd(8)} ${bug}`,
  );
const missed = results.filter(({ verdict }) => verdict !== 'caught');
if (missed.length > 0) console.log(`not caught: ${missed.map(({ name }) => name).join(' ')}`);
process.exit(missed.length === 0 ? 0 : 1);
