// Mutation testing of the core: the mutants are those of cargo-mutants; one build has all of them, each behind a switch
// (scripts/mutants/switch), and each takes only its tests. A mutant that no switch can express is built alone.
//
//   node scripts/mutants/core.mjs core/src/policy/budget.rs 'core/src/policy/engine/**'
//   node scripts/mutants/core.mjs --every 10 'core/src/classify/**'       each tenth mutant; --from 3 begins with the fourth
//   node scripts/mutants/core.mjs --again 'core/src/policy/**'             those that survived the last run, or had no result
//   node scripts/mutants/core.mjs --quick 'core/src/classify/**'          without the tests that take long: --again runs them for what survived
//
// Wants the package built (`npm run build`), for the recorded errors. Works in a copy of the tree, target/mutants/tree. Writes target/mutants/core.json, prints each survivor and a table.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../building.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    again: { type: 'boolean' },
    quick: { type: 'boolean' },
  },
});
const tree = join(root, 'target/mutants/tree');
const results = join(root, 'target/mutants/core.json');
const env = {
  ...process.env,
  CARGO_TARGET_DIR: join(root, 'target/mutants/target'),
  CARGO_TERM_COLOR: 'never',
  // A failure is all that matters: not the smallest one, and it is no later run's.
  PROPTEST_MAX_SHRINK_ITERS: '0',
  PROPTEST_DISABLE_FAILURE_PERSISTENCE: '1',
  // The crate with the switches asks what no stable compiler has: see SWITCH.
  RUSTC_BOOTSTRAP: 'halfopen',
};

/** The tests that know the policies and the classifier, built at once: so the crate is compiled with one set of features. */
const TESTS = ['policy', 'classify_properties', 'known_suites', 'generated_errors', 'rules_page', 'vectors'];
const LIBRARY = ['--package', 'halfopen', '--package', 'halfopen-vectors', '--lib'];
const BUILD = [...LIBRARY, '--example', 'recorded', ...TESTS.flatMap((name) => ['--test', name])];

/** Tests that take long: they run for what the others have let through. */
const SLOW = [
  'fleet::',
  'message::',
  'interleavings::',
  'breaker_model::',
  'a_million_calls_leave_nothing',
  'both_ways_lead_to_the_same_steps',
  'no_span_of_a_window_sees_more_than_the_limit',
  'no_span_sees_more_tokens_than_the_limit',
  'of_texts_that_no_list_has_one_in_five_thousand_seems_to_say_something',
  'so_much_is_refused_as_it_says',
  'the_same_decisions_fall_everywhere',
  'the_share_holds_whatever_happens',
  'the_time_window_is_the_list_of_the_young',
];
const [QUICK, THOROUGH] = [
  {
    programs: ['policy', 'halfopen', 'known_suites', 'generated_errors', 'rules_page', 'vectors', 'recorded'],
    args: SLOW.flatMap((name) => ['--skip', name]),
    seconds: 10,
  },
  { programs: ['policy', 'halfopen', 'vectors', 'classify_properties'], args: [], seconds: 180 },
];

const ROUNDS = values.quick ? [QUICK] : [QUICK, THOROUGH];

/**
 * Recorded errors of real libraries, for the program `recorded`: it fails in the same cases as
 * tests/tool-errors/replay.test.ts.
 */
const RECORDED = join(root, 'target/mutants/recorded.jsonl');

/** Errors of types: a text that has one within a switch has it without one too. */
const OF_TYPES = ['E0277', 'E0308', 'E0368', 'E0369', 'E0599', 'E0600'];

const FEATURES =
  '#![feature(core_intrinsics, const_eval_select)]\n#![allow(internal_features, long_running_const_eval)]\n';
const SWITCH = `
/// True if this mutant is switched on: never while the compiler runs it.
pub(crate) const fn mutant(id: u32) -> bool {
    const fn compiled(_: u32) -> bool {
        false
    }
    fn running(id: u32) -> bool {
        static ID: std::sync::LazyLock<u32> =
            std::sync::LazyLock::new(|| std::env::var("HALFOPEN_MUTANT").map_or(0, |id| id.parse().unwrap_or(0)));
        *ID == id
    }
    std::intrinsics::const_eval_select((id,), compiled, running)
}
`;

/** The results of the last run, by the mutants' names. */
const before = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];
const settledBefore = new Map(
  before
    .filter(({ outcome }) => outcome && outcome !== 'survived')
    .map(({ name, outcome }) => [name, outcome]),
);

copyTree();
writeRecorded();
const listed = list();
const mutants = listed.filter(({ id, name }) => {
  const [every, from] = [Number(values.every), Number(values.from)];
  return (id - 1) % every === from % every && !(values.again && settledBefore.has(name));
});
const others = before.filter(({ file }) => !listed.some((mutant) => mutant.file === file));
const byFile = new Map(mutants.map(({ file }) => [file, mutants.filter((mutant) => mutant.file === file)]));
const tool = buildSwitch();
const alone = new Set();
/** Those of functions that the compiler may run: it may be the table made by them that a test would see. */
const inConstFn = new Set();
const unviable = new Set();
const { programs } = withSwitches();
for (const round of ROUNDS) {
  const began = Date.now();
  const outcome = run({ ...round, seconds: 20 * round.seconds }, programs, 0);
  check(outcome !== 'timeout', `a test takes more than ${20 * round.seconds} s without a mutant`);
  check(outcome === 'survived', 'the tests fail without a mutant');
  // With a mutant, a program that takes longer than all of them together took without one is stuck, however slow the machine is.
  round.seconds = Math.max(round.seconds, Math.ceil((Date.now() - began) / 1000));
}
console.error('all is built');
const outcomes = new Map();
for (const mutant of mutants) {
  if (unviable.has(mutant.id)) settle(mutant, 'unviable');
}
for (const round of ROUNDS) {
  for (const mutant of mutants) {
    if (alone.has(mutant.id) || (outcomes.get(mutant.id) ?? 'survived') !== 'survived') continue;
    settle(mutant, run(round, programs, mutant.id));
  }
}
for (const id of inConstFn) if (outcomes.get(id) === 'survived') alone.add(id);
for (const file of byFile.keys()) restore(file);
restore('core/src/lib.rs');
for (const mutant of mutants) {
  if (alone.has(mutant.id)) settle(mutant, buildAlone(mutant));
}
report();

/** Copies the files that git has or would add, with their times, because cargo compares these. */
function copyTree() {
  rmSync(tree, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of String(listed).split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file), { preserveTimestamps: true });
  }
}

function writeRecorded() {
  const args = ['--import', 'tsx', 'tests/tool-errors/copies.mjs'];
  writeFileSync(RECORDED, execFileSync(process.execPath, args, { cwd: root, maxBuffer: 1 << 30 }));
}

function list() {
  const options = [
    'mutants',
    '--package',
    'halfopen',
    '--list',
    '--json',
    ...files.flatMap((file) => ['--file', file]),
  ];
  const found = JSON.parse(execFileSync('cargo', options, { cwd: root, env, maxBuffer: 1 << 30 }));
  return found.map((mutant, index) => ({ ...mutant, id: index + 1 }));
}

function buildSwitch() {
  const folder = join(root, 'scripts/mutants/switch');
  execFileSync('cargo', ['build', '--quiet', '--manifest-path', join(folder, 'Cargo.toml')], {
    env,
    stdio: 'inherit',
  });
  return join(env.CARGO_TARGET_DIR, 'debug/switch');
}

/** Builds with a switch for each mutant; those whose text the compiler does not take there are left to be built alone. */
function withSwitches() {
  for (;;) {
    const regions = new Map();
    for (const [file, all] of byFile) {
      const source = readFileSync(join(root, file), 'utf8');
      const asked = all.filter(({ id }) => !alone.has(id) && !unviable.has(id));
      const input = JSON.stringify({ source, mutants: asked });
      const switched = JSON.parse(execFileSync(tool, { input, maxBuffer: 1 << 30 }));
      writeFileSync(join(tree, file), switched.source);
      regions.set(file, switched.regions);
      const placed = new Set(switched.regions.map((region) => region.id));
      for (const id of switched.unviable) unviable.add(id);
      for (const region of switched.regions) if (region.inConstFn) inConstFn.add(region.id);
      for (const { id } of asked) if (!placed.has(id) && !unviable.has(id)) alone.add(id);
    }
    writeFileSync(
      join(tree, 'core/src/lib.rs'),
      withFeatures(readFileSync(join(root, 'core/src/lib.rs'), 'utf8')) + SWITCH,
    );
    const built = build();
    if (built.errors.length === 0) return built;
    const known = () => alone.size + unviable.size;
    const soFar = known();
    for (const error of built.errors) explain(error, regions);
    console.error(`${unviable.size} mutants do not compile, ${alone.size} are to be built alone`);
    check(known() > soFar, built.errors.map((error) => error.rendered).join('\n'));
  }
}

/** Before the first attribute, behind the documentation. */
function withFeatures(source) {
  return source.replace(/^#!\[/m, `${FEATURES}#![`);
}

/** Returns the mutant that an error belongs to: the one whose text contains it. */
function explain(error, regions) {
  const owners = error.spans.flatMap((span) => {
    const here = regions.get(span.file_name) ?? [];
    return here.filter(({ start, end }) => span.byte_start >= start && span.byte_end <= end);
  });
  for (const { id } of owners) (OF_TYPES.includes(error.code?.code) ? unviable : alone).add(id);
}

function build(targets = BUILD) {
  const args = ['test', '--no-run', '--message-format', 'json', ...targets];
  const { stdout, stderr } = spawnSync('cargo', args, {
    cwd: tree,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  check(stdout !== '', stderr);
  const messages = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const errors = messages
    .filter(({ reason, message }) => reason === 'compiler-message' && message.level === 'error')
    .map(({ message }) => message)
    .filter(({ spans }) => spans.length > 0);
  const programs = Object.fromEntries(
    messages
      .filter(({ executable }) => executable)
      .map(({ target, executable }) => [target.name, executable]),
  );
  const failed = messages.some(({ reason, success }) => reason === 'build-finished' && !success);
  return { errors, programs, failed };
}

/** 'caught', 'timeout', or 'survived' where every test passes. */
function run({ programs: names, args, seconds }, programs, id) {
  for (const name of names) {
    const input = openSync(RECORDED);
    const { status, signal } = spawnSync(programs[name], ['--quiet', ...args], {
      cwd: join(tree, 'core'),
      env: { ...env, HALFOPEN_MUTANT: String(id) },
      stdio: [input, 'ignore', 'ignore'],
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    });
    closeSync(input);
    if (status !== 0) return signal === 'SIGKILL' ? 'timeout' : 'caught';
  }
  return 'survived';
}

function buildAlone({ file, span, replacement }) {
  const source = readFileSync(join(root, file), 'utf8');
  const lines = source.split('\n');
  const offset = ({ line, column }) =>
    lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  writeFileSync(
    join(tree, file),
    source.slice(0, offset(span.start)) + replacement + source.slice(offset(span.end)),
  );
  // Most are caught by the tests beside the code, which are compiled in half the time.
  const first = outcomeOf(build(LIBRARY), [{ ...QUICK, programs: ['halfopen'] }]);
  const outcome = first === 'survived' ? outcomeOf(build(), ROUNDS) : first;
  restore(file);
  return outcome;
}

function outcomeOf({ programs, failed }, rounds) {
  if (failed) return 'unviable';
  const outcomes = rounds.map((round) => run(round, programs, 0));
  return outcomes.find((outcome) => outcome !== 'survived') ?? 'survived';
}

function restore(file) {
  writeFileSync(join(tree, file), readFileSync(join(root, file)));
}

function settle(mutant, outcome) {
  outcomes.set(mutant.id, outcome);
  writeFileSync(results, JSON.stringify([...others, ...settled()], null, 1));
}

/** The mutants of these files, as far as they have run, now or before. */
function settled() {
  return listed
    .map(({ id, name, file }) => ({
      name,
      file,
      outcome: outcomes.get(id) ?? (values.again && settledBefore.get(name)),
    }))
    .filter(({ outcome }) => outcome);
}

function report() {
  const all = settled();
  for (const { name, outcome } of all) if (outcome === 'survived') console.log(`survived: ${name}`);
  console.log(`\n${'mutants'.padStart(8)}  caught  survived  timeout  unviable`);
  for (const file of new Set(all.map((mutant) => mutant.file))) {
    const here = all.filter((mutant) => mutant.file === file);
    const count = (outcome) => here.filter((mutant) => mutant.outcome === outcome).length;
    const numbers = [here.length, count('caught'), count('survived'), count('timeout'), count('unviable')];
    console.log(`${numbers.map((number) => String(number).padStart(8)).join('')}  ${file}`);
  }
  process.exitCode = all.some(({ outcome }) => outcome === 'survived') ? 2 : 0;
}

function check(holds, message) {
  if (holds) return;
  console.error(message);
  process.exit(1);
}
