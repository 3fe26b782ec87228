// What the commands of the policy lab share: files, tables, progress.
import { readFileSync, statSync } from 'node:fs';

/** A larger file is no scenario and has no policies. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a file of JSON. `what` is what it should be. */
export function readJson(path, what) {
  let text;
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new Error(`it is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`the ${what} could not be read: ${error.message}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`'${path}' is not valid JSON: ${error.message}`);
  }
}

/** Longer runs say how long they take, where no bar shows it. */
const LONG_MS = 20_000;

/** Shows how far a long run has come: a bar on a terminal, elsewhere a line when it is to take long. */
export function progress() {
  const { stderr } = process;
  const began = Date.now();
  let isTold = false;
  return (share) => {
    const elapsed = Date.now() - began;
    if (stderr.isTTY) {
      if (share === 1) stderr.write('\r\x1b[K');
      else if (elapsed > 500) stderr.write(`\r${bar(share)} ${percent(share)}, ${left(elapsed, share)} `);
    } else if (!isTold && elapsed > 3000 && share > 0 && share < 1 && elapsed / share > LONG_MS) {
      isTold = true;
      stderr.write(`halfopen: this will take about ${duration(elapsed / share)}\n`);
    }
  };
}

function bar(share) {
  const done = Math.round(share * 24);
  return `[${'='.repeat(done)}${' '.repeat(24 - done)}]`;
}

function left(elapsed, share) {
  return share > 0.01 ? `${duration((elapsed / share) * (1 - share))} left` : 'a moment';
}

function duration(ms) {
  return ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / 60_000)} min`;
}

/** Rows as lines of a table: the first column to the left, the others to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column])))
      .join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** The value at the end of a path. */
export function valueAt(totals, path) {
  return path.split('.').reduce((at, key) => at?.[key], totals);
}

export function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

export function millis(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function whole(count) {
  return String(Math.round(count));
}

export function times(factor) {
  return `${factor.toFixed(2)}x`;
}

export function money(value) {
  return value.toFixed(2);
}
