// `docs/recognised.md` from figures of score.mjs: `node score.mjs --write` renews it, `recognised.test.ts` holds it.
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/recognised.md', import.meta.url);
const { draws } = JSON.parse(readFileSync(new URL('./split.json', import.meta.url)));
const SCORED = draws.filter(({ scored }) => scored !== undefined);
const NOT_SCORED = '| held out, no rule was written for them | | | | | |';

const share = (part, of) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`);
const columns = (row) =>
  `${row.cases} | ${share(row.strict, row.cases)} | ${share(row.neighbour, row.cases)} | ` +
  `${share(row.decided, row.clear)} | ${row.clear === 0 ? '–' : share(row.hopeless, row.clear)}`;

/** The page as it is written. */
export function written() {
  try {
    return readFileSync(PAGE, 'utf8');
  } catch {
    return '';
  }
}

/** The row of the held-out libraries that the page has, if there are any: their figures are scored once, and kept. */
export const heldOutRow = (page) =>
  SCORED.length === draws.length
    ? undefined
    : (page.split('\n').find((line) => line.startsWith('| held out')) ?? NOT_SCORED);

/** The page, from the figures of the libraries that are not held out and from the held-out row, kept or just scored. */
export function page({ total, libraries }, heldOut) {
  const rows = libraries.map((row) => `| ${row.name} | ${version(row)} | ${columns(row)} |`);
  return `# What Halfopen recognises

We made real clients fail, against stub servers and against every real server that Debian packages (killed, restarted, locked,
filled, demoted). \`tests/tool-errors/recorded\` holds each error they threw, and the reaction that an experienced engineer would
expect of an agent. We wrote these expectations before any rule. The table shows how often \`classify\` meets them.
[rules.md](rules.md) lists the rules and the vendors' lists behind them.

- *Right code*: \`classify\` returns the expected code. *Or near*: it returns that code or another acceptable one.
- *Retry right*: \`classify\` is right about whether a retry can help, counted over the cases where the answer is clear.
- *Hopeless*: \`classify\` calls the error retryable although no retry can help, as a share of the same cases.

| libraries | cases | right code | or near | retry right | hopeless |
|---|---|---|---|---|---|
| with rules (${libraries.length}) | ${columns(total)} |${heldOut ? `\n${heldOut}` : ''}

Draws measure how \`classify\` does on libraries it has no rules for. A hash draws libraries from a list of candidates. We write
their cases and expectations without looking at how \`classify\` treats them, and score them once. After that we write rules for
them, and they join the libraries with rules. The scores of the draws:

${SCORED.map((draw) => `- drawn ${draw.date}, ${draw.libraries.length} libraries: ${draw.scored}.`).join('\n')}

The right code is partly a matter of opinion. A second labeller, who saw only the thrown values, chose the expected code in
136 of 150 random cases (90.7 %, 95 % interval 84.9 to 94.4 %), and that code or a neighbour in 148 (98.7 %, 95.3 to 99.6 %). Of
the 135 cases that both call clear, the two agree about retrying in 134. \`tests/tool-errors/README.md\` describes the measurement.

## Libraries

| library | version | cases | right code | or near | retry right | hopeless |
|---|---|---|---|---|---|---|
${rows.join('\n')}

\`node tests/tool-errors/score.mjs --write\` renews this page, and \`npx tsx --test tests/tool-errors/recognised.test.ts\` holds it.
\`make test-tools\` runs the cases against the real clients and servers, and reports each error that differs from its recording.

An error that no rule matches gets the code \`UNKNOWN\` and is not retried. Its \`technicalDetails\` holds its class and its redacted
message, and [\`explainClassification\`](errors.md) lists the rules that were tried.
`;
}

/** Writes the page; the held-out row too, if its figures are given. */
export function write(figures, heldOut) {
  const row = heldOut?.libraries.length
    ? `| held out, no rule was written for them (${heldOut.libraries.length}) | ${columns(heldOut.total)} |`
    : heldOutRow(written());
  writeFileSync(PAGE, page(figures, row));
}

/** The version of the client itself, the first that was recorded. */
function version({ versions = {} }) {
  const [first] = Object.entries(versions);
  return first ? first[1] : 'of Node.js';
}
