// `npx halfopen diagnose`: the findings of the dashboard about a log, worst first.
import { databaseSource, diagnosisOf, fileSource, serverSource } from '../dist/esm/diagnose-node.js';

/** By grade, the worst first: its sign, and which grades `--fail-on` of it means. */
const GRADES = { harm: '✕', risk: '⚠', note: 'ℹ' };

/** Most places that are listed for one finding. */
const MOST_PLACES = 3;

/** Where a log is, by what the command line says. */
export function sourceOf(path, { url, database }) {
  if (url !== undefined) return serverSource(url);
  return database === undefined ? fileSource(path) : databaseSource(database);
}

/**
 * Diagnoses a log.
 *
 * @param {import('../src/diagnose/source.js').LogSource} source
 * @param {{ json?: boolean | undefined, failOn?: 'harm' | 'risk' | undefined }} options
 * @returns what to print, and whether there is a finding of the named grade or of a worse one.
 */
export async function diagnose(source, { json, failOn }) {
  const diagnosis = await diagnosisOf(source);
  const log = diagnosis.query('log');
  if (log.events === 0 && log.rejected + log.torn > 0)
    throw new Error(
      `${source.place} has no event of Halfopen in it: ${log.reasons[0] ?? 'its lines are torn'}`,
    );
  const { findings } = diagnosis.query('findings');
  const failing = failOn === 'risk' ? ['harm', 'risk'] : [failOn];
  const text = json
    ? JSON.stringify({ log, findings }, undefined, 2)
    : [...findings.map(asText), summary(source, log, findings)].join('\n\n');
  return { text, fails: findings.some(({ grade }) => failing.includes(grade)) };
}

function asText({ check, grade, title, what, fix, settings, lacksOptions, code, evidence }) {
  const rows = settings.map(({ path, now, to }) => `- ${path}: ${now === null ? '' : `${now} → `}${to}`);
  const lines = [
    `${GRADES[grade]} ${grade}  ${title}  (${check})`,
    what,
    ...places(evidence),
    `What to do: ${fix}`,
    ...rows,
    ...(lacksOptions
      ? ["The log does not have the policy's options: compare these settings with the code that creates it."]
      : []),
    ...(code === '' ? [] : code.split('\n').map((line) => `  ${line}`)),
  ];
  const [head, ...rest] = lines.filter((line) => line !== '');
  return [head, ...rest.map((line) => `  ${line}`)].join('\n');
}

function places(evidence) {
  const shown = evidence.slice(0, MOST_PLACES).map(({ text, id, at, says, kind }) => {
    const where = kind === 'call' && id !== undefined ? `call ${id}` : text;
    return `- ${[where, at].filter(Boolean).join(', ')}${says === undefined ? '' : `: ${says}`}`;
  });
  const more = evidence.length - shown.length;
  if (shown.length === 0) return [];
  return ['Seen in:', ...shown, ...(more > 0 ? [`- and ${more} more: use --json to see them all`] : [])];
}

function summary({ place }, log, findings) {
  const read = `${place}: ${plural(log.events, 'event')}, ${plural(log.calls, 'call')}, ${plural(log.runs, 'run')}${log.from === null ? '' : `, from ${log.from} to ${log.to}`}`;
  const lost = log.rejected + log.torn;
  const unread = lost === 0 ? '' : `\n${plural(lost, 'line')} of it could not be read.`;
  if (findings.length === 0)
    return `${read}.${unread}\nNo problem detected: nothing in this log suggests another setting.`;
  const counts = Object.keys(GRADES)
    .map((grade) => [findings.filter((finding) => finding.grade === grade).length, grade])
    .filter(([count]) => count > 0);
  return `${read}.${unread}\n${plural(findings.length, 'finding')}: ${counts.map(([count, grade]) => `${count} ${grade}`).join(', ')}.`;
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
