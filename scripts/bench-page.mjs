// Writes docs/benchmarks.md from what the benches left in target/bench (Node) and target/benches/criterion (native), so that all of
// its figures are of one run on one machine. Called by scripts/bench.sh, with the names of those that failed or missed a bound.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from './building.mjs';

const bench = join(root, 'target/bench');
const criterion = join(root, 'target/benches/criterion');

/** In the order of the page, which lists those that were not measured. */
const BENCHES = ['policy', 'run', 'once', 'response', 'answers', 'classify', 'start', 'size', 'memory'];

const isMeasured = (name) => existsSync(join(bench, `${name}.json`));
const missing = [...BENCHES.filter((name) => !isMeasured(name)), ...(existsSync(criterion) ? [] : ['core'])];
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const rows = BENCHES.filter(isMeasured).flatMap((name) => read(join(bench, `${name}.json`)));

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.round(share * (values.length - 1))];

/** Rounded to three significant digits: a fourth is noise. */
function shown(value, unit) {
  const [amount, name] = unit === 'ns' && value >= 10_000 ? [value / 1000, 'µs'] : [value, unit];
  const digits = amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${Number(amount.toFixed(unit === 'bytes' ? 0 : digits)).toLocaleString('en')} ${name}`;
}

function spread(values, unit) {
  return values.length === 1
    ? 'measured once'
    : `${shown(at(values, 0.25), unit)} to ${shown(at(values, 0.75), unit)}`;
}

const NAMES = { bare: '(no library)', 'by hand': '(by hand)' };
const inNode = [];
let before;
for (const { what, who, how, unit, values } of rows) {
  const name = who === 'halfopen' ? '**halfopen**' : (NAMES[who] ?? who);
  inNode.push(
    `| ${what === before ? '' : what} | ${name} | ${how} | ${shown(at(values, 0.5), unit)} | ${spread(values, unit)} |`,
  );
  before = what;
}

/** Criterion's folders are named after the groups and the cases. */
const native = [];
for (const group of existsSync(criterion) ? readdirSync(criterion).sort() : []) {
  const path = join(criterion, group);
  if (group === 'report' || !existsSync(path)) continue;
  const cases = existsSync(join(path, 'new')) ? [''] : readdirSync(path).filter((name) => name !== 'report');
  let first = true;
  for (const name of cases.sort(
    (a, b) => Number(b.startsWith('halfopen')) - Number(a.startsWith('halfopen')),
  )) {
    const estimates = join(path, name, 'new/estimates.json');
    if (!existsSync(estimates)) continue;
    const { median } = read(estimates);
    const { lower_bound: low, upper_bound: high } = median.confidence_interval;
    const title = group.replace('_', ':');
    native.push(
      `| ${first ? title : ''} | ${name.startsWith('halfopen') ? `**${name}**` : name || '**halfopen**'} | ${shown(median.point_estimate, 'ns')} | ${shown(low, 'ns')} to ${shown(high, 'ns')} |`,
    );
    first = false;
  }
}

/** The output of a bench, without the times of its compiler. */
function printed(name) {
  const path = join(bench, 'logs', `${name}.txt`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'Not measured in this run.';
}

const OTHERS = {
  response: 'Reading responses',
  devtools: 'A connection to the devtools',
  fleet: 'A fleet on one Redis',
  rehearse: "The rehearsal's provider",
  lab: 'The policy lab',
  dashboard: 'The dashboard in headless Chromium',
};
const others = Object.entries(OTHERS).map(
  ([name, title]) => `### ${title}\n\n\`\`\`text\n${printed(name)}\n\`\`\``,
);

/** Each bound that was missed, as its bench printed it. */
const missed = process.argv.slice(2).flatMap((name) => {
  const lines = printed(name)
    .split('\n')
    .filter((line) => /MISSED|MORE$/.test(line));
  return lines.length === 0 ? [`${name}: failed`] : lines.map((line) => `${name}: ${line.trim()}`);
});

const { dependencies } = read(join(root, 'pkg/bench/package.json'));
const peers = Object.entries(dependencies)
  .filter(([name]) => name !== 'halfopen')
  .map(([name, version]) => `${name} ${version}`);
const crates = readFileSync(join(root, 'core/benches/Cargo.toml'), 'utf8');
const crate = (name) =>
  `${name} ${new RegExp(`^${name} = (?:"|.*version = ")=?([\\d.]+)`, 'm').exec(crates)[1]}`;
const rustc = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).split(' ')[1];
const counts = read(join(root, 'core/benches/counts/counts.json'));

const page = `# Benchmarks

The cost of Halfopen and of other libraries, measured side by side in one run. \`make bench\` measures all of it and writes this
page. Run it on your own machine: the ratios carry over better than the times do.

Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 30)} GiB,
${process.platform}; Node ${process.version}, rustc ${rustc}. Times in Node
are processor time, except for the import and the first call, which are wall-clock time. The cases take turns, so a disturbance
hits all peers alike.${missing.length === 0 ? '' : ` Not measured in this run: ${missing.map((name) => `\`${name}\``).join(', ')}.`}
The machine's load meanwhile: ${loadavg()
  .map((load) => load.toFixed(0))
  .join(', ')} (runnable processes, averaged over 1, 5 and 15 minutes).

Peers: ${peers.join(', ')}; ${['failsafe', 'recloser', 'backon', 'tower', 'tower-resilience-circuitbreaker'].map(crate).join(', ')}.

## In Node

Medians, with the quartiles: half of the rounds lie between them. Each library is set to do the same work as far as it can. The
column “with” says what it does less, or more.

| | library | with | median | half of the rounds |
|---|---|---|---:|---:|
${inNode.join('\n')}

How to read it:

- Halfopen classifies every error, and prepares a stack, a message for the user and one for the log. The others pass the error on
  unchanged. That explains the gap in the rows of a failing call.
- cockatiel's aggressive timeout makes an \`AbortController\` and a timer for each call. Halfopen makes the signal when the
  operation reads it.
- opossum spends most of its time on statistics: each breaker keeps buckets, rotated by timers. It has no retry. We measure it
  without percentiles (\`rollingPercentilesEnabled: false\`), because no other library keeps them: with percentiles, each failure
  sorts the latencies of the last ten seconds, so it slows down as calls increase.
- effect runs programs of its own type. The rows include \`runPromise\`, which any call from other code pays.
- The AI SDK's retry is \`prepareRetries\` of \`ai/internal\`, through which \`generateText\` calls its model.
- Among the peers, only effect guards the chunks of a stream. After an error it begins the whole stream again, and yields the first
  chunks twice. The others repeat the call that creates the stream, and pass its chunks on unguarded.
- No peer classifies the errors of arbitrary libraries. The rows beside \`classify\` show functions that serve one client: OpenAI
  picks an error class by status, the AI SDK decides whether a status is worth a retry, p-retry detects a network failure.
- [Size](size.md) has Halfopen's own size. Most of it is the classifier and the messages, as WebAssembly; the others have neither.

## Native

criterion's medians, with their 95 % confidence intervals. The peers read the clock themselves; Halfopen's engine is given the
time, so the cases "with Instant::now" read it for Halfopen too. For tower, the row measures its retry budget, the only comparable part.

${native.length === 0 ? 'Not measured in this run.' : `| | | median | interval |\n|---|---|---:|---:|\n${native.join('\n')}`}

## Other benches

Their output, unedited.

${others.join('\n\n')}

## Bounds

${missed.length === 0 ? 'All bounds of the benches held in this run.' : `This project sets its own bounds for the benches. This run missed:\n\n\`\`\`text\n${missed.join('\n')}\n\`\`\``}

## Independent of noise

Tests check these on every build:

- A call that succeeds crosses into the core twice. It neither reads the clock nor sets a timer; with a timeout it sets one timer
  (\`pkg/test/call/cost.test.ts\` has all cases).
- Such a call allocates at most 1,760 bytes in Node 20, a policy keeps at most 2,706 bytes of the heap, and a call in flight
  831; the core's memory does not grow (the same tests).
- The engine does a call that succeeds in ${counts['call that succeeds'].instructions} instructions and ${counts['call that succeeds'].allocations} allocations, and classifies an error in ${counts.classify.instructions.toLocaleString('en')}
  instructions (\`scripts/counts.mjs\`, under Valgrind; 5 % more fail the build).
- Sizes have limits ([Size](size.md)).
`;
writeFileSync(join(root, 'docs/benchmarks.md'), page);
console.log('docs/benchmarks.md is written');
