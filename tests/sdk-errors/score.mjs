#!/usr/bin/env node
// node score.mjs PATH_TO_PACKAGE_ENTRY [--cases ./wider.mjs] [--json] [--wrong]
// Runs every case in order, hands each live thrown value to classify() and prints how well it did.
//   --write   renews what differing.json has of these cases: those that are not classified as they should be
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const fail = (why) => {
  console.error(`score: ${why}`);
  process.exit(2);
};
const USAGE =
  'usage: node score.mjs PATH_TO_PACKAGE_ENTRY [--cases ./wider.mjs] [--json] [--wrong] [--write]';
let args;
try {
  args = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      wrong: { type: 'boolean' },
      cases: { type: 'string', default: './cases.mjs' },
      write: { type: 'boolean' },
    },
  });
} catch (e) {
  fail(`${e.message}\n${USAGE}`);
}
const [target] = args.positionals;
const { json, wrong: listWrong, cases: file, write } = args.values;
if (!target || args.positionals.length > 1) fail(USAGE);

// ---- the classifier under test
const CONDITIONS = new Set(['node', 'import', 'module-sync', 'default']);
const pick = (x) => {
  if (typeof x === 'string') return x;
  for (const [k, v] of Object.entries(x ?? {}))
    if (Array.isArray(x) || CONDITIONS.has(k)) {
      const hit = pick(v);
      if (hit) return hit;
    }
  return null;
};
function entryOf(p) {
  const abs = path.resolve(p);
  const stat = fs.statSync(abs, { throwIfNoEntry: false });
  if (!stat) fail(`no such file or directory: ${p}`);
  if (!stat.isDirectory()) return abs;
  let pkg;
  try {
    pkg = JSON.parse(fs.readFileSync(path.join(abs, 'package.json'), 'utf8'));
  } catch (e) {
    fail(`${p} has no readable package.json (${e.code ?? e.name})`);
  }
  const sub =
    pkg.exports && typeof pkg.exports === 'object' && Object.keys(pkg.exports).some((k) => k.startsWith('.'));
  const rel = pkg.exports
    ? [pick(sub ? pkg.exports['.'] : pkg.exports)]
    : [pkg.main, pkg.main && `${pkg.main}.js`, 'index.js', 'index.mjs'];
  const found = rel
    .filter(Boolean)
    .map((r) => path.join(abs, r))
    .find((f) => fs.statSync(f, { throwIfNoEntry: false })?.isFile());
  return found ?? fail(`package.json of ${p} names no importable entry`);
}
let classify;
try {
  const m = await import(pathToFileURL(entryOf(target)));
  classify = m.classify ?? m.default?.classify;
} catch (e) {
  fail(`cannot import ${target}: ${e?.stack ?? e}`);
}
if (typeof classify !== 'function') fail(`${target} does not export classify()`);

const { cases, setup, teardown } = await import(new URL(file, import.meta.url));
const { runAll, strays } = await import('./runner.mjs');
const { SECRETS, PROMPT_MARKS } = await import('./faults.mjs');
const adapterKey = (c) => c.id.slice(0, c.id.indexOf('.'));
try {
  await setup();
} catch (e) {
  fail(`cannot start the mock server: ${e.message}`);
}

// ---- leaks
const leaky = (s) =>
  typeof s === 'string' && (SECRETS.some((k) => s.includes(k)) || PROMPT_MARKS.some((k) => s.includes(k)));
const RAW = new Set(['originalError', 'cause']);
const paths = (v, at = '') =>
  typeof v === 'string'
    ? leaky(v)
      ? [at || '(root)']
      : []
    : v && typeof v === 'object'
      ? Object.entries(v).flatMap(([k, x]) => [
          ...(leaky(k) ? [`${at}.(key)`] : []),
          ...paths(x, Array.isArray(v) ? `${at}[]` : at ? `${at}.${k}` : k),
        ])
      : [];
const peek = (o, k) => {
  try {
    return o[k];
  } catch {
    return undefined;
  }
};

// ---- run
const T = {
  run: 0,
  n: 0,
  returned: 0,
  hung: 0,
  strict: 0,
  lenient: 0,
  unambiguous: 0,
  hopeless: 0,
  givenUp: 0,
  threw: 0,
  noObject: 0,
  leaks: 0,
  unserialisable: 0,
};
const F = { statusCode: [0, 0], retryAfterMs: [0, 0], requestId: [0, 0] };
const perSdk = {},
  leakFields = {},
  hiddenLeaks = {},
  wrong = [],
  differing = {},
  leaks = [],
  threw = [],
  hung = [],
  times = [];
const show = (v) => {
  try {
    return String(typeof v === 'string' ? v : v?.message)
      .slice(0, 160)
      .replace(/\s+/g, ' ');
  } catch {
    return '(unreadable)';
  }
};
const started = performance.now();
for await (const { case: c, outcome, value } of runAll(cases)) {
  T.run++;
  if (outcome !== 'thrown') {
    T[outcome]++;
    if (outcome === 'hung') hung.push(c.id);
    continue;
  }
  const e = c.expected;
  let out,
    error = null;
  const t0 = performance.now();
  try {
    out = classify(value);
    if (typeof out?.then === 'function') out = await out;
  } catch (x) {
    error = x;
    out = undefined;
  }
  times.push([performance.now() - t0, c.id]);
  T.n++;
  if (error !== null) {
    T.threw++;
    threw.push({ id: c.id, error: show(error) });
  }
  const isObject = out !== null && typeof out === 'object';
  if (error === null && !isObject) T.noObject++;
  const o = isObject ? out : {};
  const strict = o.code === e.code,
    lenient = strict || e.accept.includes(o.code);
  if (strict) T.strict++;
  if (lenient) T.lenient++;
  perSdk[adapterKey(c)] ??= { sdk: c.sdk, version: c.sdkVersion ?? '', n: 0, strict: 0, lenient: 0 };
  const row = perSdk[adapterKey(c)];
  row.n++;
  row.strict += strict;
  row.lenient += lenient;
  const problems = [];
  if (!lenient) problems.push('code');
  if (!c.ambiguous) {
    T.unambiguous++;
    const retry = o.retryable === true;
    if (retry && !e.retryable) {
      T.hopeless++;
      problems.push('retried-but-hopeless');
    }
    if (!retry && e.retryable) {
      T.givenUp++;
      problems.push('retryable-but-given-up');
    }
  }
  const hintSeconds = o.provider?.retryAfter;
  const got = {
    statusCode: o.provider?.statusCode,
    retryAfterMs: o.retryAfterMs ?? (typeof hintSeconds === 'number' ? hintSeconds * 1000 : undefined),
    requestId: o.provider?.requestId,
  };
  const hit = {
    statusCode: got.statusCode === e.statusCode,
    retryAfterMs:
      typeof got.retryAfterMs === 'number' &&
      Math.abs(got.retryAfterMs - e.retryAfterMs) <= (e.retryAfterTolMs ?? 50),
    requestId: got.requestId === e.requestId,
  };
  for (const f of Object.keys(F))
    if (e[f] != null) {
      F[f][1]++;
      if (hit[f]) F[f][0]++;
      else problems.push(f);
    }
  let where = [];
  try {
    where = paths(JSON.parse(JSON.stringify(o, (k, v) => (RAW.has(k) ? undefined : v)) ?? 'null'));
  } catch {
    T.unserialisable++;
  }
  if (leaky(peek(o, 'userMessage')) && !where.includes('userMessage')) where.push('userMessage');
  if (where.length) {
    T.leaks++;
    leaks.push({ id: c.id, fields: where });
    problems.push('leak');
    for (const f of new Set(where)) leakFields[f] = (leakFields[f] ?? 0) + 1;
  }
  for (const f of ['message', 'stack'])
    if (!where.includes(f) && leaky(peek(o, f))) hiddenLeaks[f] = (hiddenLeaks[f] ?? 0) + 1;
  if (error !== null) problems.push('threw');
  const others = problems.filter((one) => one !== 'code');
  if (!strict || others.length) differing[c.id] = [o.code, ...others];
  if (problems.length)
    wrong.push({
      id: c.id,
      problems,
      expected: e,
      got: { code: o.code, retryable: o.retryable, ...got },
      ...(c.ambiguous ? { ambiguous: c.ambiguous } : {}),
      ...(c.why ? { why: c.why } : {}),
      message: show(value),
    });
}
const seconds = (performance.now() - started) / 1000;
await teardown();
if (!T.n) fail('no case threw');

if (write) {
  const known = new URL('./differing.json', import.meta.url);
  const renewed = { ...JSON.parse(fs.readFileSync(known)), [file]: differing };
  fs.writeFileSync(known, `${JSON.stringify(renewed, null, 2)}\n`);
}

// ---- report
const pct = (a, b) => (b ? ((100 * a) / b).toFixed(1) : 'n/a');
const frac = ([a, b]) => `${pct(a, b)}% (${a}/${b})`;
times.sort((a, b) => a[0] - b[0]);
const sdkRows = Object.entries(perSdk).sort(([, a], [, b]) => a.lenient / a.n - b.lenient / b.n);
if (json)
  console.log(
    JSON.stringify({
      ...T,
      seconds: Math.round(seconds),
      recovered: F,
      perSdk,
      leakFields,
      leakCases: leaks,
      hiddenLeaks,
      threwCases: threw,
      hungCases: hung,
      strays,
      differing,
      ...(listWrong ? { wrong } : {}),
    }),
  );
else {
  console.log(`entry ${target}   node ${process.version}   ${seconds.toFixed(0)} s`);
  console.log(
    `cases ${T.run}: thrown ${T.n} (scored), returned ${T.returned}, hung ${T.hung}${hung.length ? ` (${hung.join(', ')})` : ''}`,
  );
  console.log(`n ${T.n}`);
  console.log(`strict   ${frac([T.strict, T.n])}`);
  console.log(`lenient  ${frac([T.lenient, T.n])}`);
  console.log(
    `retried-but-hopeless ${T.hopeless}, retryable-but-given-up ${T.givenUp}   (of ${T.unambiguous} unambiguous cases)`,
  );
  console.log(
    `recovered: statusCode ${frac(F.statusCode)}, retryAfterMs ${frac(F.retryAfterMs)}, requestId ${frac(F.requestId)}`,
  );
  console.log(
    `classify() threw ${T.threw}, returned something other than an object ${T.noObject}${
      threw.length
        ? `: ${threw
            .slice(0, 10)
            .map((x) => `${x.id} (${x.error})`)
            .join('; ')}`
        : ''
    }`,
  );
  console.log(
    `leaks ${T.leaks}${
      T.leaks
        ? `, by field: ${Object.entries(leakFields)
            .map(([f, k]) => `${f} ${k}`)
            .join(', ')}; cases: ${leaks
            .slice(0, 10)
            .map((l) => l.id)
            .join(', ')}${leaks.length > 10 ? ', …' : ''}`
        : ''
    }${T.unserialisable ? `; ${T.unserialisable} classifications could not be serialised` : ''}${
      Object.keys(hiddenLeaks).length
        ? `; not counted: ${Object.entries(hiddenLeaks)
            .map(([f, k]) => `${f} ${k}`)
            .join(', ')}`
        : ''
    }`,
  );
  console.log(
    `classify() time: median ${times[times.length >> 1][0].toFixed(3)} ms, slowest ${times.at(-1)[0].toFixed(1)} ms (${times.at(-1)[1]})`,
  );
  console.log('\nper SDK, lenient (strict) of n:');
  for (const [k, r] of sdkRows)
    console.log(
      `  ${k.padEnd(14)} ${pct(r.lenient, r.n).padStart(5)}% (${pct(r.strict, r.n).padStart(5)}%) of ${String(r.n).padStart(3)}   ${r.sdk} ${r.version}`,
    );
  if (listWrong) {
    console.log(`\n${wrong.length} cases with at least one problem:`);
    for (const w of wrong)
      console.log(
        `  ${w.id} [${w.problems.join(', ')}]\n      expected ${w.expected.code}${w.expected.accept.length ? ` (or ${w.expected.accept.join(', ')})` : ''} retryable ${w.expected.retryable}${w.ambiguous ? ' (ambiguous)' : ''}; status ${w.expected.statusCode} retryAfterMs ${w.expected.retryAfterMs} requestId ${w.expected.requestId}\n      got      ${w.got.code} retryable ${w.got.retryable}; status ${w.got.statusCode} retryAfterMs ${w.got.retryAfterMs} requestId ${w.got.requestId}\n      message  ${w.message}${w.why ? `\n      why      ${w.why}` : ''}`,
      );
  }
}
console.log(
  `score: strict ${pct(T.strict, T.n)}% lenient ${pct(T.lenient, T.n)}% hopeless ${T.hopeless} givenup ${T.givenUp} status ${pct(...F.statusCode)}% retryAfter ${pct(...F.retryAfterMs)}% requestId ${pct(...F.requestId)}% threw ${T.threw} leaks ${T.leaks} n ${T.n}`,
);
process.exit(0);
