// `npx halfopen explore`: a grid over a policy's options, and the policies that are worth a choice, as code.
import { explore } from 'halfopen/lab';
import { millis, money, percent, progress, readJson, table, times, valueAt } from './lab.js';

const COLUMNS = [
  ['success', 'successRate', percent],
  ['load', 'amplification', times],
  ['user p95', 'userMs.p95', millis],
  ['cost', 'cost', money],
];
const SHOWN = 20;

/**
 * Explores the policy of a scenario.
 *
 * @param {string} path
 * @param {{ policy: string, vary: Record<string, unknown[]>, seeds: number, json?: boolean | undefined }} options
 * @returns what to print, and whether a point meets the limits of the scenario.
 */
export async function exploreFile(path, { policy, vary, seeds, json }) {
  const scenario = readJson(path, 'scenario');
  const result = await explore(scenario, { policy, vary, seeds, onProgress: progress() });
  const text = json ? JSON.stringify(result, undefined, 2) : report(result, Object.keys(vary));
  return { text, meets: result.points.some((point) => point.meets) };
}

function report({ present, points, blocking }, paths) {
  const meeting = points.filter((point) => point.meets);
  const front = points.filter((point) => point.onFront && (meeting.length === 0 || point.meets));
  const shown = front.slice(0, SHOWN);
  const used = COLUMNS.filter(([, path]) => path !== 'cost' || valueAt(present.totals, path) > 0);
  const cell = (point, path, show) => {
    const [low, high] = [show(valueAt(point.band.low, path)), show(valueAt(point.band.high, path))];
    const mean = show(valueAt(point.totals, path));
    return low === high ? mean : `${mean} (${low} to ${high})`;
  };
  const row = (name, point) => [name, ...used.map(([, path, show]) => cell(point, path, show))];
  const lines = [
    table([
      ['', ...used.map(([title]) => title)],
      row('present', present),
      ...shown.map((point, index) => row(`${index + 1}`, point)),
    ]),
    '',
    ...shown.map((point, index) => `${index + 1}  createPolicy(${JSON.stringify(codeOf(point.policy))})`),
    ...(front.length > SHOWN ? [`and ${front.length - SHOWN} more: use --json to see them all`] : []),
    '',
    `${points.length} points over ${paths.join(', ')}, ${front.length} of them on the front${meeting.length > 0 ? ' within the limits' : ''}.`,
  ];
  if (blocking !== undefined) lines.push(`BROKEN  no point meets the limits; the cause is ${blocking}`);
  return lines.join('\n');
}

/** The policy as `createPolicy` takes it: a fallback is the application's. */
function codeOf({ fallback, ...policy }) {
  return policy;
}
