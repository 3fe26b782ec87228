// `npx halfopen simulate`: reads a scenario, runs it, and writes a table for people or JSON for machines.
import { readFileSync } from 'node:fs';
import { simulate, simulateMany } from 'halfopen/lab';

/** Runs a scenario for real. Only who asks for it loads the provider. */
const runForReal = async (scenario, options) =>
  (await import('../dist/esm/lab-real.js')).runForReal(scenario, options);

/** The columns of the table: what is shown of a policy's totals, by the path of the total. */
const COLUMNS = [
  ['success', 'successRate', percent],
  ['load', 'amplification', (value) => `${value.toFixed(2)}x`],
  ['user p50', 'userMs.p50', millis],
  ['user p95', 'userMs.p95', millis],
  ['failed', 'failed', whole],
  ['refused', 'rejected', whole],
  ['abandoned', 'abandoned', whole],
  ['wasted', 'wastedServiceMs', millis],
  ['cost', 'cost', (value) => value.toFixed(2)],
];

/**
 * Runs the scenario of a file.
 *
 * @param {string} path
 * @param {{ seeds: number, json?: boolean | undefined, real?: boolean | undefined }} options
 * @returns what to print, and whether every limit of the scenario holds.
 */
export async function simulateFile(path, { seeds, json, real }) {
  const scenario = readScenario(path);
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
    : [table([...rows, ...realRows]), ...limits(results)].join('\n');
  return { text, holds };
}

function readScenario(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`the scenario could not be read: ${error.message}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`'${path}' is no JSON: ${error.message}`);
  }
}

/** Shows on a terminal how far a long run has come. */
function progress() {
  const { stderr } = process;
  if (!stderr.isTTY) return undefined;
  const began = Date.now();
  return (share) => {
    if (share === 1) stderr.write('\r\x1b[K');
    else if (Date.now() - began > 500) stderr.write(`\r${percent(share)} `);
  };
}

/** A line for each row: its name, its totals, and their bands. */
function table(results) {
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
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column])))
      .join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function valueAt(totals, path) {
  return path.split('.').reduce((at, key) => at[key], totals);
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

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

function millis(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function whole(count) {
  return String(Math.round(count));
}
