// `npx halfopen replay`: a recorded log under other policies, before and after side by side, and its runs under other rules.
import { replay } from 'halfopen/lab';
import { fileSource } from '../dist/esm/diagnose-node.js';
import { millis, money, percent, progress, readJson, table, times, valueAt, whole } from './lab.js';

/** The rows of the table, by the path of the total. */
const ROWS = [
  ['calls', 'offered', whole],
  ['succeeded', 'succeeded', whole],
  ['failed', 'failed', whole],
  ['refused', 'rejected', whole],
  ['answered by a fallback', 'fallbacks', whole],
  ['abandoned', 'abandoned', whole],
  ['success', 'successRate', percent],
  ['user p50', 'userMs.p50', millis],
  ['user p95', 'userMs.p95', millis],
  ['attempts', 'attempts', whole],
  ['load', 'amplification', times],
  ['tokens', 'tokens', whole],
  ['cost', 'cost', money],
];
const SHOWN = 10;

/**
 * Replays a log: of a file, or of a folder of the devtools.
 *
 * @param {string} path
 * @param {{ policy: string | undefined, runs: string | undefined, seeds: number, json?: boolean | undefined }} options
 * @returns what to print.
 */
export async function replayFile(path, { policy, runs, seeds, json }) {
  const policies = policy === undefined ? {} : readJson(policy, 'policies');
  const rules = runs === undefined ? undefined : readJson(runs, 'rules of runs');
  const options = { policies, runs: rules, seeds, onProgress: progress() };
  const result = await replay(fileSource(path).lines(), options);
  if (json) return JSON.stringify(result, undefined, 2);
  // Without other policies the calls end as they did.
  const ofCalls = policy === undefined && rules !== undefined ? [] : [report(result)];
  return [...ofCalls, ...(result.runs === undefined ? [] : [reportOfRuns(result.runs)])].join('\n\n');
}

/** How a figure is shown that the log cannot tell. */
const known = (show) => (value) => (Number.isNaN(value) ? 'unknown' : show(value));

function report({ before, after, afterBand, policies, changed, says }) {
  const used = ROWS.filter(([, path]) => valueAt(before, path) > 0 || valueAt(afterBand.high, path) > 0);
  const range = (path, show) => {
    const [low, high] = [show(valueAt(afterBand.low, path)), show(valueAt(afterBand.high, path))];
    return low === high ? '' : `${low} to ${high}`;
  };
  const rows = used.map(([title, path, show]) => [
    title,
    show(valueAt(before, path)),
    known(show)(valueAt(after, path)),
    range(path, show),
  ]);
  const lines = [
    table([['', 'before', 'after', '95 % of the seeds'], ...rows]),
    '',
    ...reportOfPolicies(policies),
    ...says,
    changed.length === 0
      ? 'No call ends otherwise.'
      : `${changed.length} calls end otherwise${ofUnknown(changed)}:`,
    ...changed
      .slice(0, SHOWN)
      .map(
        ({ call, policy, before, after, modelled }) =>
          `  ${policy} ${call}: ${before} -> ${after}${modelled ? ', modelled' : ''}`,
      ),
  ];
  if (changed.length > SHOWN) lines.push(`  and ${changed.length - SHOWN} more: use --json to see them all`);
  return lines.join('\n');
}

function ofUnknown(changed) {
  const { length } = changed.filter(({ unknown }) => unknown);
  return length === 0 ? '' : `, or the log cannot tell (${length})`;
}

/** A row for each policy, if there are several. */
function reportOfPolicies(policies) {
  const all = Object.entries(policies);
  if (all.length < 2) return [];
  const change = (name, of, show) => `${show(of.before[name])} -> ${known(show)(of.after[name])}`;
  const rows = all.map(([name, of]) => [
    name,
    whole(of.before.offered),
    change('successRate', of, percent),
    change('attempts', of, whole),
    percent(of.identity),
  ]);
  return [table([['policy', 'calls', 'success', 'attempts', 'identity'], ...rows]), ''];
}

function reportOfRuns({
  runs,
  completed,
  advised,
  advisedCompleted,
  stopped,
  modelled,
  cutOff,
  saved,
  changed,
}) {
  const rows = [
    ['', 'all', 'completed in the log'],
    ['runs', whole(runs), whole(completed)],
    ['advised', whole(advised), whole(advisedCompleted)],
    ['stopped', whole(stopped), whole(cutOff)],
  ];
  const lines = [table(rows), ''];
  if (stopped > 0) {
    const { steps, toolCalls, tokens, cost, ms } = saved;
    lines.push(
      `The stops save at most ${steps} steps, ${toolCalls} tool calls, ${tokens} tokens, ${millis(ms)}, and a cost of ${money(cost)}.`,
      `${modelled} of ${stopped} stops are modelled: the log does not say whether the run comes to them.`,
    );
  }
  lines.push(changed.length === 0 ? 'No run would have been advised.' : 'Runs that would have been advised:');
  lines.push(...changed.slice(0, SHOWN).map(runLine));
  if (changed.length > SHOWN) lines.push(`  and ${changed.length - SHOWN} more: use --json to see them all`);
  return lines.join('\n');
}

function runLine({ run, name, end = 'open', advice, stop, cutOff, modelled }) {
  const parts = [];
  if (advice !== undefined) parts.push(`${advice.do} in step ${advice.step} (${because(advice.because)})`);
  if (stop !== undefined) parts.push(`stop before step ${stop.step} (${because(stop.because)})`);
  if (cutOff) parts.push('cut off');
  if (modelled) parts.push('modelled');
  return `  ${name} ${run}, ${end}: ${parts.join(', ')}`;
}

function because(reason) {
  if (reason.kind === 'limit') return `${reason.limit}: ${reason.spent} of ${reason.max}`;
  const { loop, tool, count } = reason;
  return `${loop}${tool === undefined ? '' : ` of ${tool}`}: ${count}`;
}
