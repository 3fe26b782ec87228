// docs/rehearsal.md, from the results of run.mjs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from 'halfopen/rehearse';

const GROUPS = [...new Set(scenarios.map(({ group }) => group))];
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
const count = (rows, mark) => rows.filter((row) => row[mark] === 0).length;
/** A scenario in which an agent has less is explained on the page. */
const EXPLAINED_BELOW = 90;
/** Why agents with Halfopen lose points, as far as it is known. */
const REASONS = {
  'provider-down': 'The agent has one provider.',
  'provider-dies': 'The agent has one provider.',
  'cut-off':
    "`truncated: 'fail'` makes it a failure that is not retried, because the same limit would cut the next answer.",
};

export function writePage(results, agents) {
  const rows = agents.flatMap(({ name, title, packages }) => {
    const result = results[name];
    if (result === undefined) return [];
    const own = Object.values(result.scenarios);
    const groups = GROUPS.map((group) =>
      mean(own.filter((one) => one.group === group).map(({ total }) => total)),
    );
    return [{ ...result, name, title, packages, own, groups, total: mean(own.map(({ total }) => total)) }];
  });
  rows.sort((one, other) => other.total - one.total);
  const isOurs = ({ name }) => name.endsWith('-halfopen');
  const cells = (...list) => `| ${list.join(' | ')} |`;
  const table = [
    cells('Agent', 'Total', ...GROUPS, 'Effects twice', 'Without an end', 'Raw text'),
    cells('---', ...GROUPS.map(() => '---:'), '---:', '---:', '---:', '---:'),
    ...rows.map(({ title, total, groups, own }) =>
      cells(
        title,
        total.toFixed(1),
        ...groups.map((one) => one.toFixed(0)),
        count(own, 'once'),
        count(own, 'ended'),
        count(own, 'clean'),
      ),
    ),
  ];
  const ours = rows.filter(isOurs);
  const others = rows.filter((row) => !isOurs(row));
  const better = scenarios.flatMap(({ name }) => {
    const best = others
      .map((row) => ({ row, total: row.scenarios[name]?.total ?? 0 }))
      .sort((a, b) => b.total - a.total)[0];
    const worse = ours.filter((row) => (row.scenarios[name]?.total ?? 100) < (best?.total ?? 0) - 5);
    return worse.map((row) =>
      cells(`\`${name}\``, row.title, row.scenarios[name].total, best.row.title, best.total),
    );
  });
  const ahead = GROUPS.flatMap((group, index) => {
    const best = Math.max(...others.map(({ groups }) => groups[index]));
    const worst = Math.min(...ours.map(({ groups }) => groups[index]));
    return best - worst >= 0.5 ? [`${group} (${best.toFixed(1)} to ${worst.toFixed(1)})`] : [];
  });
  const lost = ours.flatMap((row) =>
    Object.entries(row.scenarios).flatMap(([name, { total, why }]) =>
      total < EXPLAINED_BELOW
        ? [`- \`${name}\`, ${row.title} (${total}): ${why.join(' ')} ${REASONS[name] ?? ''}`.trimEnd()]
        : [],
    ),
  );
  const text = `# The rehearsal of agents

${rows.length} small agents, each in ${scenarios.length} scenarios of [\`npx halfopen rehearse\`](rehearse.md). \`node tests/rehearsal/run.mjs\` writes this page.

${table.join('\n')}

The scores go to 100; the columns in the middle are means by group. The last three columns count scenarios in which an effect happened twice, the agent did not end by
itself, or the user read raw text of a provider or of code.

- **The agents are what their documentation shows**, 15 to 60 lines each, in \`tests/rehearsal/agents\`.
  All of them ask \`gpt-4o\` for whole answers, without streams, and call the same four tools over HTTP.
- **The agents without Halfopen keep their own defaults** for retries. At their outermost they print the error's message, as most agents do.
- **The agents with Halfopen do more than one thing better**: they pass an idempotency key to the tools, have a second model, bound the length of results, and
  put a run around the loop. An agent without Halfopen can send a key as well; then nothing happens twice there either.
- **The scores are Halfopen's own.** The scenarios and the marks were written by the people who write Halfopen. \`--json\` has the evidence for each.
- **The model is scripted.** It asks for a tool that failed up to three times. A real model may give up earlier, or try something else.
- Waits of the provider were ten times shorter than real ones. An agent's own waits were not shortened: its seconds count ten times.

## Where others are better

${ahead.length === 0 ? '' : `The best agent without Halfopen has more than the worst one with it in: ${ahead.join(', ')}.\n\n`}${better.length === 0 ? 'No agent without Halfopen had five points more than one with Halfopen, in any scenario.' : [cells('Scenario', 'With Halfopen', 'Points', 'Without', 'Points'), cells('---', '---', '---:', '---', '---:'), ...better].join('\n')}

## Where agents with Halfopen lose points

${lost.length === 0 ? `None of them has less than ${EXPLAINED_BELOW} in a scenario.` : lost.join('\n')}

## Versions

${[
  cells('Agent', 'Date', 'Versions'),
  cells('---', '---', '---'),
  ...rows.map(({ title, date, versions }) =>
    cells(
      title,
      date,
      Object.entries(versions)
        .map(
          ([name, version]) =>
            `\`${name.replace(/^ai-7(-openai)?$/, (_, openai) => (openai ? '@ai-sdk/openai' : 'ai'))}\` ${version}`,
        )
        .join(', '),
    ),
  ),
].join('\n')}

## Reproduce

\`\`\`sh
make rehearse                          # all of them, about an hour on two cores
make rehearse AGENTS="openai ai-6"     # some
\`\`\`

The page of every agent, with each request and answer, is then in \`tests/rehearsal/cards\`. On a busy machine the scores
are lower: seconds count, and so does the start of a process, which must end within the limit.
`;
  writeFileSync(join(import.meta.dirname, '../../docs/rehearsal.md'), text);
}
