// `npx halfopen simulate`: reads a scenario, runs it, and writes a table for people or JSON for machines.
import { simulate, simulateMany } from 'halfopen/lab';
import { millis, money, percent, progress, readJson, table, times, valueAt, whole } from './lab.js';

/** Runs a scenario for real. Only who asks for it loads the provider. */
const runForReal = async (scenario, options) =>
  (await import('../dist/esm/lab-real.js')).runForReal(scenario, options);

/** The columns of the table: what is shown of a policy's totals, by the path of the total. */
const COLUMNS = [
  ['success', 'successRate', percent],
  ['load', 'amplification', times],
  ['user p50', 'userMs.p50', millis],
  ['user p95', 'userMs.p95', millis],
  ['failed', 'failed', whole],
  ['refused', 'rejected', whole],
  ['abandoned', 'abandoned', whole],
  ['wasted', 'wastedServiceMs', millis],
  ['cost', 'cost', money],
];

/**
 * Runs the scenario of a file.
 *
 * @param {string} path
 * @param {{ seeds: number, json?: boolean | undefined, real?: boolean | undefined }} options
 * @returns what to print, and whether every limit of the scenario holds.
 */
export async function simulateFile(path, { seeds, json, real }) {
  const scenario = readJson(path, 'scenario');
  const options = { onProgress: progress() };
  const measured = real ? await runForReal(scenario, { onProgress: progress() }) : undefined;
  const simulation = await simulate(scenario, options);
  const bands = seeds > 1 ? await simulateMany(scenario, { ...options, seeds }) : undefined;
  const results = Object.entries(simulation.policies);
  const holds = results.every(([, { expectations }]) =>
    expectations.every((expectation) => expectation.holds),
  );
  const rows = results.map(([name, { totals }]) => [name, totals, bands?.[name]]);
  const realRows = measured?.map(({ policy, totals }) => [`${policy}, real`, totals, undefined]) ?? [];
  const text = json
    ? JSON.stringify({ ...simulation, bands, real: measured }, undefined, 2)
    : [comparison([...rows, ...realRows]), ...limits(results)].join('\n');
  return { text, holds };
}

/** A line for each row: its name, its totals, and their bands. */
function comparison(results) {
  const used = COLUMNS.filter(([, path]) => path !== 'cost' || results.some(([, totals]) => totals.cost > 0));
  const cell = (totals, bands, path, show) => {
    const band = bands?.[path];
    return band === undefined
      ? show(valueAt(totals, path))
      : `${show(band.mean)} (${show(band.low)} to ${show(band.high)})`;
  };
  const rows = [
    ['policy', ...used.map(([title]) => title)],
    ...results.map(([name, totals, bands]) => [
      name,
      ...used.map(([, path, show]) => cell(totals, bands, path, show)),
    ]),
  ];
  return table(rows);
}

/** A line for each limit of the scenario. */
function limits(results) {
  const lines = results.flatMap(([policy, { expectations }]) =>
    expectations.map(
      ({ name, limit, value, holds }) =>
        `${holds ? 'ok    ' : 'BROKEN'}  ${policy}: ${name} ${limit}, got ${Number(value.toPrecision(4))}`,
    ),
  );
  return lines.length > 0 ? ['', ...lines] : [];
}
