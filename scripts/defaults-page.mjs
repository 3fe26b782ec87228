// The comparison of defaults in docs/defaults.md, and its picture: three draws of what `npx halfopen defaults` draws and runs.
// `node scripts/defaults-page.mjs`, after a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareDefaults, POLICIES, summed } from '../pkg/bin/defaults.js';
import { root } from './building.mjs';

/** Drawn after the table of defaults was finished. */
const SEEDS = [101, 102, 103];
const SCENARIOS = 60;

const draws = [];
for (const seed of SEEDS) {
  draws.push(JSON.parse(await compareDefaults({ seed, scenarios: SCENARIOS, json: true })));
}
const all = draws.flatMap(({ seed, scenarios }) => scenarios.map((scenario) => ({ ...scenario, seed })));
const names = Object.keys(POLICIES);
const whole = Object.fromEntries(names.map((name) => [name, summed(name, all)]));

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const none = whole['no policy'].answered;
const rows = names.map((name) => {
  const { answered, worse, worst, load, mostLoad } = whole[name];
  const more = (answered - none) * 100;
  return `| ${name} | ${percent(answered)} | ${more >= 0 ? '+' : ''}${more.toFixed(1)} | ${worse} | ${(worst * 100).toFixed(1)} | ${load.toFixed(2)} | ${mostLoad.toFixed(2)} |`;
});
const perDraw = draws.map(({ seed, summary }) => {
  const { answered, worse, worst, load, mostLoad } = summary.halfopen;
  return `| ${seed} | ${percent(summary['no policy'].answered)} | ${percent(answered)} | ${worse} | ${(worst * 100).toFixed(1)} | ${load.toFixed(2)} | ${mostLoad.toFixed(2)} |`;
});
const lost = draws.flatMap(({ seed, lost }) => lost.map((one) => ({ ...one, seed })));
const worst = lost
  .sort((a, b) => b.answered - b.ours - (a.answered - a.ours))
  .map(
    ({ seed, index, name, best, answered, ours }) =>
      `| ${seed}, ${index} | ${name} | ${percent(ours)} | ${percent(answered)} | ${best} |`,
  );
const written = `| Defaults of | Answered | Points more than no policy | Scenarios in which it is worse by more than 2 points | By at most | Load | At most |
|---|---|---|---|---|---|---|
${rows.join('\n')}

Draw by draw, halfopen beside no policy:

| Seed | No policy | Halfopen | Worse in | By at most | Load | At most |
|---|---|---|---|---|---|---|
${perDraw.join('\n')}

<details>
<summary>In ${lost.length} of ${all.length} scenarios another default answers over 2 points more</summary>

| Draw | Scenario | Halfopen | Best | Whose |
|---|---|---|---|---|
${worst.join('\n')}

</details>`;

const page = join(root, 'docs/defaults.md');
const [begin, end] = ['<!-- defaults -->', '<!-- /defaults -->'];
const markdown = readFileSync(page, 'utf8');
const [head, rest] = markdown.split(begin);
const [, tail] = rest.split(end);
writeFileSync(page, `${head}${begin}\n\n${written}\n\n${end}${tail}`);

/** Share answered against load, a point for each. */
const [WIDE, TALL, LEFT, BOTTOM, TOP, RIGHT] = [640, 320, 64, 44, 40, 40];
const text = (x, y, words, more = '') => `<text x="${x}" y="${y}" ${more}>${words}</text>`;
const loads = names.map((name) => whole[name].load);
const shares = names.map((name) => whole[name].answered * 100);
const [toX, fromY, toY] = [
  Math.ceil(Math.max(...loads) * 10) / 10 + 0.05,
  Math.floor(Math.min(...shares)) - 0.5,
  Math.ceil(Math.max(...shares)) + 0.5,
];
const fromX = Math.floor(Math.min(...loads) * 20) / 20 - 0.05;
const x = (load) => LEFT + ((load - fromX) / (toX - fromX)) * (WIDE - LEFT - RIGHT);
const y = (share) => TALL - BOTTOM - ((share - fromY) / (toY - fromY)) * (TALL - BOTTOM - TOP);
const lines = [];
for (let load = Math.ceil(fromX * 10) / 10; load < toX; load += 0.1)
  lines.push(
    `<path d="M${x(load).toFixed(1)} ${TOP}V${TALL - BOTTOM}"/>${text(x(load).toFixed(1), TALL - BOTTOM + 16, load.toFixed(1), 'stroke="none" text-anchor="middle"')}`,
  );
for (let share = Math.ceil(fromY); share < toY; share++)
  lines.push(
    `<path d="M${LEFT} ${y(share).toFixed(1)}H${WIDE - RIGHT}"/>${text(LEFT - 6, y(share) + 4, `${share} %`, 'stroke="none" text-anchor="end"')}`,
  );
const points = names.map((name) => {
  const [at, up] = [x(whole[name].load), y(whole[name].answered * 100)];
  const colour = name === 'halfopen' ? '#0b6bcb' : '#555c68';
  const weight = name === 'halfopen' ? 'font-weight="600" ' : '';
  const isRight = at > WIDE - RIGHT - 80;
  return `<circle cx="${at.toFixed(1)}" cy="${up.toFixed(1)}" r="5" fill="${colour}"/>${text((isRight ? at - 9 : at + 9).toFixed(1), (up + 4).toFixed(1), name, `${weight}fill="${colour}"${isRight ? ' text-anchor="end"' : ''}`)}`;
});
writeFileSync(
  join(root, 'docs/images/defaults.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE} ${TALL}" role="img" aria-label="Calls answered by each default, against the load on the provider" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDE}" height="${TALL}" fill="#fff"/>
${text(LEFT, 20, `Calls answered, mean of ${all.length} drawn scenarios`, 'font-weight="600" fill="#1a1a1a"')}
<g stroke="#d5d8de" fill="#555c68" stroke-width="1">${lines.join('')}</g>
${points.join('\n')}
${text((LEFT + WIDE - RIGHT) / 2, TALL - 8, 'requests to the provider, for each without a policy', 'text-anchor="middle" fill="#555c68"')}
</svg>
`,
);
