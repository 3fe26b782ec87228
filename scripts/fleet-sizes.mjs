// The table and the curves of docs/fleet.md: how soon fleets of several sizes know, and how much load they put on their
// store, from the results of core/fleet/examples/fleet_sizes. `node scripts/fleet-sizes.mjs` simulates first, which
// takes some minutes; `node scripts/fleet-sizes.mjs core/benches/fleet-sizes.jsonl` uses existing results.
// pkg/bench/fleet-sizes.ts prints lines of the same form, from the package itself.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './building.mjs';

/** The rate of calls that the table is of: calls a second of each process. */
const OF_TABLE = 1;

/** How many processes all fleets of a size have together, calls a second of each process, the sizes. */
const RUNS = [
  ['20000', '1', '1,10,30,100'],
  ['3000', '1', '300,1000,3000'],
  ['10000', '1', '10000'],
  ['100000', '1', '100000'],
  ['900', '0.2', '10,30,100,300'],
  ['900', '10', '10,30,100,300'],
];
const RESULTS = join(root, 'core/benches/fleet-sizes.jsonl');

function simulated() {
  const outputs = RUNS.map((run) => {
    const example = ['run', '--quiet', '--release', '-p', 'halfopen-fleet', '--example', 'fleet_sizes'];
    const command = [...example, '--', ...run];
    const { status, stdout } = spawnSync('cargo', command, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`cargo ${command.join(' ')} ended with ${status}`);
    return stdout;
  });
  writeFileSync(RESULTS, outputs.join(''));
  return outputs.join('');
}

const [file] = process.argv.slice(2);
const rows = (file === undefined ? simulated() : readFileSync(file, 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The positions of a chart's lines, in pixels. */
const [WIDE, TALL, LEFT, BOTTOM, TOP, RIGHT] = [640, 300, 64, 44, 40, 120];
const COLOURS = ['#0b6bcb', '#c41c1c', '#1f7a1f', '#9a5b00'];

const text = (x, y, words, more = '') => `<text x="${x}" y="${y}" ${more}>${words}</text>`;

/** Lines over the size of a fleet, both axes logarithmic. `lines`: `[{ name, points: [[size, value]] }]`. */
function chart(title, unit, lines) {
  const points = lines.flatMap((line) => line.points);
  const tens = (values) => [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const [fromX, toX] = tens(points.map(([size]) => size));
  const [fromY, toY] = tens(points.map(([, value]) => value));
  const x = (size) => LEFT + ((Math.log10(size) - fromX) / (toX - fromX)) * (WIDE - LEFT - RIGHT);
  const y = (value) => TALL - BOTTOM - ((Math.log10(value) - fromY) / (toY - fromY)) * (TALL - BOTTOM - TOP);
  const marks = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  const short = (number) => (number < 1 ? String(+number.toFixed(3)) : number.toLocaleString('en'));
  const grid = [
    ...marks(fromX, toX).map(
      (size) =>
        `<path d="M${x(size)} ${TOP}V${TALL - BOTTOM}"/>${text(x(size), TALL - BOTTOM + 16, short(size), 'text-anchor="middle"')}`,
    ),
    ...marks(fromY, toY).map(
      (value) =>
        `<path d="M${LEFT} ${y(value)}H${WIDE - RIGHT}"/>${text(LEFT - 6, y(value) + 4, short(value), 'text-anchor="end"')}`,
    ),
  ];
  const drawn = lines.map(({ name, points: of }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = of.map(
      ([size, value], place) => `${place === 0 ? 'M' : 'L'}${x(size).toFixed(1)} ${y(value).toFixed(1)}`,
    );
    const [lastX, lastY] = of.at(-1);
    const dots = of.map(
      ([size, value]) =>
        `<circle cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="2.5" fill="${colour}"/>`,
    );
    const label = text(x(lastX) + 8, y(lastY) + 4, name, `fill="${colour}"`);
    return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE} ${TALL}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDE}" height="${TALL}" fill="#fff"/>
${text(LEFT, 20, `${title}, ${unit}`, 'font-weight="600" fill="#1a1a1a"')}
<g stroke="#d5d8de" fill="#555c68" stroke-width="1"><g style="paint-order:fill">${grid.join('').replaceAll('<text', '<text stroke="none"')}</g></g>
${drawn.join('\n')}
${text((LEFT + WIDE - RIGHT) / 2, TALL - 8, 'processes that share a policy', 'text-anchor="middle" fill="#555c68"')}
</svg>
`;
}

const rates = [...new Set(rows.map((row) => row.rate))];
const perRate = (of) =>
  rates.map((rate) => ({
    name: `${rate} calls/s each`,
    points: rows
      .filter((row) => row.rate === rate && row.size > 1 && of(row) > 0)
      .map((row) => [row.size, of(row)]),
  }));
const image = (name, svg) => writeFileSync(join(root, 'docs/images', `${name}.svg`), svg);
image(
  'fleet-known',
  chart(
    'An outage is known to 99 % of the processes after',
    'ms',
    perRate((row) => row.knownP99),
  ),
);
image(
  'fleet-wasted',
  chart(
    'Calls that the outage takes of each process',
    'calls',
    perRate((row) => row.wasted),
  ),
);
const table = rows.filter((row) => row.rate === OF_TABLE);
image(
  'fleet-load',
  chart('What one policy asks of its store', 'a second', [
    {
      name: 'syncs',
      points: table.filter((row) => row.size > 1).map((row) => [row.size, row.syncsPerFleet]),
    },
    {
      name: 'kilobytes',
      points: table.filter((row) => row.size > 1).map((row) => [row.size, row.bytesPerFleet / 1e3]),
    },
  ]),
);

const span = (ms) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
const lines = table.map((row) =>
  [
    '',
    row.size === 1 ? 'each alone' : row.size,
    row.size === 1 ? row.processes : `${row.processes / row.size} × ${row.size}`,
    row.size === 1 ? '–' : span(row.syncMs),
    row.size === 1 ? '–' : `${row.syncsPerFleet} / ${row.mostSyncs} / ${row.mostSyncsInOutage}`,
    row.size === 1 ? '–' : `${(row.bytesPerFleet / 1e6).toFixed(2)} MB/s`,
    `${span(row.knownP50)} / ${span(row.knownP99)}`,
    row.wasted.toFixed(1),
    span(row.recoveredP99),
    '',
  ]
    .join(' | ')
    .trim(),
);
const path = join(root, 'docs/fleet.md');
const [begin, end] = ['<!-- fleet-sizes -->', '<!-- /fleet-sizes -->'];
const page = readFileSync(path, 'utf8');
const [before, rest] = page.split(begin);
if (rest === undefined) throw new Error(`docs/fleet.md has no ${begin}`);
const head =
  '| processes | simulated | syncs, each every | syncs a second, steady / most / most in the outage | from the store | an outage is known to half / to 99 % | calls lost, each | closed again, 99 % |\n|---|---|---|---|---|---|---|---|';
writeFileSync(path, `${before}${begin}\n${head}\n${lines.join('\n')}\n${end}${rest.split(end)[1]}`);
console.log(lines.join('\n'));
