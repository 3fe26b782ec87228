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

/** The row of the held-out libraries, if there are any, that the page has: their figures are not taken by the way. */
export const heldOutRow = (page) =>
  SCORED.length === draws.length
    ? undefined
    : (page.split('\n').find((line) => line.startsWith('| held out')) ?? NOT_SCORED);

/** The page from the figures of the libraries that are not held out, and the held-out row as it stands or was scored. */
export function page({ total, libraries }, heldOut) {
  const rows = libraries.map((row) => `| ${row.name} | ${version(row)} | ${columns(row)} |`);
  return `# What Halfopen recognises

Real clients were made to fail: against stub servers, and against the real servers where Debian has them (killed, restarted,
locked, filled, demoted). What they threw is recorded in \`tests/tool-errors/recorded\`, with the reaction that an
experienced engineer would want of an agent. These expectations were written before any rule. The table shows how often
\`classify\` meets them. [rules.md](rules.md) lists the rules and the vendors' lists behind it.

- *Right code*: the one right code. *Or near*: that one, or another that is acceptable too.
- *Retry right*: whether another try can help, of the cases where that is clear. *Hopeless*: the share of those that are retried although no retry can help.

| libraries | cases | right code | or near | retry right | hopeless |
|---|---|---|---|---|---|
| with rules (${libraries.length}) | ${columns(total)} |${heldOut ? `\n${heldOut}` : ''}

How it does on libraries for which no rule was written is measured by draws: a hash draws libraries from a list of
candidates, their cases and what is right about them are written, and they are scored once. Until then nobody looks at how they
are classified. After that they are learnt from, and count among those with rules. The draws, as they were scored:

${SCORED.map((draw) => `- drawn ${draw.date}, ${draw.libraries.length} libraries: ${draw.scored}.`).join('\n')}

What is right is partly a matter of opinion. A second labeller, who saw only the thrown values, named the same code as the
expectation in 136 of 150 random cases (90.7 %, 95 % interval 84.9 to 94.4 %), that or a neighbour in 148 (98.7 %, 95.3 to 99.6 %),
and decided the same about retrying in 134 of the 135 that both call clear. \`tests/tool-errors/README.md\` says how that was measured.

## Libraries

| library | version | cases | right code | or near | retry right | hopeless |
|---|---|---|---|---|---|---|
${rows.join('\n')}

\`node tests/tool-errors/score.mjs --write\` renews this page, and \`npx tsx --test tests/tool-errors/recognised.test.ts\` holds it.
\`make test-tools\` runs the cases against the real clients and servers, and says where one throws something else than is
recorded.

What no rule recognises is \`UNKNOWN\` and is not retried. \`technicalDetails\` says its class and its redacted message, and
[\`explainClassification\`](errors.md) which rules were asked.
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
