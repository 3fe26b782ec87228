#!/usr/bin/env node
// The command line: `npx halfopen devtools`, `dashboard`, `diagnose`, `mcp`, `simulate`, `replay`, `explore`, `defaults`, `fleet`, `effects` and `rehearse`.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const HELP = `Usage: npx halfopen devtools [options]
       npx halfopen dashboard <folder>
       npx halfopen diagnose <log> [options]
       npx halfopen diagnose --url <devtools> [options]
       npx halfopen mcp [<log>] [options]
       npx halfopen simulate <scenario.json> [options]
       npx halfopen replay <log> [options]
       npx halfopen explore <scenario.json> --policy <name> --vary <option>=<values>
       npx halfopen defaults [options]
       npx halfopen fleet status <fleet> [options]
       npx halfopen fleet isolate|lift <fleet> <policy> [options]
       npx halfopen effects list [options]
       npx halfopen effects settle <act> <key> happened|not-happened [options]
       npx halfopen rehearse [options] -- <command> [args]
       npx halfopen rehearse --serve|--list [options]

devtools starts a server that takes the events that connectDevtools() sends,
keeps them on disk, and shows them in a dashboard.
dashboard writes the dashboard's files into a folder, for pages that embed it
and serve it from their own origin.
diagnose prints what the dashboard finds in a log, worst first: where it is seen,
which setting to change, and the code for it. The log is a file of your own
onEvent, a folder of devtools, a running server, or PostgreSQL.
mcp serves the same to coding agents, by the Model Context Protocol on standard
input and output: findings, calls, runs, classification, replay, the policy lab,
and the documentation. It changes nothing. Without a log, it reads that of the
devtools server that you run.
simulate runs a scenario of the policy lab, its policies side by side. It exits
with 1 if the results break a limit of the scenario (\`expect\`).
replay runs a recorded log under other policies: a folder of devtools, or a file
of your own onEvent. It shows before and after side by side, and which calls
change. With --runs it shows what other limits and thresholds do to its runs.
explore runs a policy of a scenario with every combination of some options, and
prints those that no other beats, as code. It exits with 1 if none meets the
limits.
defaults compares what policies and SDKs do when nobody has configured them, over
scenarios that are drawn by chance: calls answered, and load on the provider.
fleet shows what processes share in Redis or Valkey: breakers, processes, limits.
isolate makes every process refuse the calls of a policy, until lift.
effects lists the acts of a ledger (halfopen/once) whose outcome is not known, and
settles one after you have looked whether it happened. A few characters of the
key are enough.
rehearse starts an agent once for each scenario of a provider that fails as the
real ones do, and scores what it does from 0 to 100. The agent finds the provider
and its task in its environment (--serve prints the variables).

Options of devtools:
  --port <number>   where to listen (default 4319; 0 takes a free port)
  --host <address>  listen on this address instead of 127.0.0.1
  --dir <path>      where to keep the log (default ~/.halfopen/devtools/<port>)
  --database <url>  keep the log in PostgreSQL instead; several servers may share
                    it. If the URL has a password, set HALFOPEN_DATABASE_URL:
                    other users can read the options of a running command
  --retention <n>   days for which a database keeps events (default 30)
  --otlp <file>     add the events of a file that an OpenTelemetry collector wrote
                    (OTLP/JSON; exportEvents() of halfopen/otel)
  --open            open the dashboard in a browser
  --no-token        require no token (on this machine only)
  --url             print the URLs of your running servers, the one on port 4319
                    first, and exit. With --port, print that one only; with
                    --open, open the first in a browser
Options of diagnose and mcp:
  --url <url>       the log of a running server, as 'devtools --url' prints it;
                    without a token in it, HALFOPEN_DEVTOOLS_TOKEN or the token
                    of your own server on this machine
  --database <url>  the log in PostgreSQL, or HALFOPEN_DATABASE_URL if no log is
                    named
Options of diagnose:
  --fail-on <grade> exit with 1 if there is a finding of this grade: harm, or
                    risk, which means harm too
  --json            print the findings, with everything that they are seen in
Options of simulate:
  --seeds <number>  how many times to run each policy, each time with a new seed;
                    the table then shows means and the range of 95 % of the runs
  --json            print the results as JSON
  --real            also send real requests, to a provider in this process that
                    fails as the scenario says (at most 200 clients for 60 s)
  --watch           run again whenever the file changes
Options of replay:
  --policy <file>   JSON: for each policy name in the log, the policy to use
  --runs <file>     JSON: for each name of a run in the log, its limits, loops and
                    ladder. The result says which runs these would have advised
                    and stopped, what that saves, and which it cuts off wrongly
  --seeds <number>  how many times to simulate the attempts that are not in the
                    log (default 30)
  --json            print the result as JSON, with every call that changes
Options of explore:
  --policy <name>   the policy of the scenario
  --vary <option>=<values>  for example retry.maxRetries=0,1,2; values are JSON or
                    plain words. Repeat it for each option
  --seeds <number>  how many times to run each combination (default 1)
  --json            print every combination as JSON
Options of defaults:
  --seed <number>   draws the scenarios: the same seed draws the same ones (default 1)
  --scenarios <number>  how many, at most 10000 (default 60)
  --json            print each scenario's results as JSON
Options of fleet:
  --redis <url>     where the store is (default: REDIS_URL, or redis://127.0.0.1:6379)
  --prefix <text>   the prefix that redisStore() uses
  --json            print the status as JSON
Options of effects:
  --redis <url>     where the store is (default: HALFOPEN_LEDGER_URL, REDIS_URL, or
                    redis://127.0.0.1:6379)
  --database <url>  the store is in PostgreSQL. If the URL has a password, set
                    HALFOPEN_LEDGER_URL instead
  --ledger <name>   the \`name\` of the ledger (default once)
  --prefix <text>   the prefix that redisStore() uses
  --table <name>    the table that postgresStore() uses (default halfopen_once)
  --result <json>   with settle … happened: what later calls get
  --json            print the list as JSON, with whole keys
Options of rehearse:
  --scenario <name> run this one only; repeat it for several
  --seed <number>   the ids and signatures of the provider (default 1)
  --limit-s <n>     seconds for which the agent may run in a scenario (default 30)
  --speed <n>       divide the provider's waits by this (default 10): a wait of
                    20 s takes 2 s
  --html <file>     also write a page that shows every request and answer
  --fail-under <n>  exit with 1 if the mean of the scores is below it
  --json            print scores, requests and effects as JSON
  --serve           serve one scenario until it is ended, and print the variables
  --port <number>   with --serve: where to listen (default 0, a free port)
  --list            print the scenarios, and exit

  --version         print the version, and exit
  --help            print this text, and exit

Environment:
  HALFOPEN_DEVTOOLS_TOKEN  the token to use; agents read it too (with --host: at
                           least 16 characters)
  HALFOPEN_DEVTOOLS_URL    where agents find the server, if not on port 4319
  HALFOPEN_DATABASE_URL    the database that keeps the log, as --database
  HALFOPEN_LEDGER_URL      the store of a ledger: redis://… or postgres://…
  HALFOPEN_HOME            the folder to use instead of ~/.halfopen
  REDIS_URL                where the store of the fleet or of the ledger is

In the agent:
  import { connectDevtools } from 'halfopen/devtools';
  connectDevtools();
`;

/** A mistake in how the command was called: printed with a pointer to the help, exit code 2. */
class Misuse extends Error {}

const OPTIONS = /** @type {const} */ ({
  port: { type: 'string' },
  host: { type: 'string' },
  dir: { type: 'string' },
  otlp: { type: 'string' },
  database: { type: 'string' },
  retention: { type: 'string' },
  open: { type: 'boolean' },
  'no-token': { type: 'boolean' },
  url: { type: 'boolean' },
  'fail-on': { type: 'string' },
  seeds: { type: 'string' },
  seed: { type: 'string' },
  scenarios: { type: 'string' },
  policy: { type: 'string' },
  runs: { type: 'string' },
  vary: { type: 'string', multiple: true },
  watch: { type: 'boolean' },
  json: { type: 'boolean' },
  real: { type: 'boolean' },
  redis: { type: 'string' },
  scenario: { type: 'string', multiple: true },
  'limit-s': { type: 'string' },
  'fail-under': { type: 'string' },
  speed: { type: 'string' },
  html: { type: 'string' },
  serve: { type: 'boolean' },
  list: { type: 'boolean' },
  prefix: { type: 'string' },
  ledger: { type: 'string' },
  table: { type: 'string' },
  result: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** The options that each command has beside --version and --help. */
const OPTIONS_OF = {
  devtools: ['port', 'host', 'dir', 'otlp', 'database', 'retention', 'open', 'no-token', 'url'],
  dashboard: [],
  diagnose: ['url', 'database', 'fail-on', 'json'],
  mcp: ['url', 'database'],
  simulate: ['seeds', 'watch', 'json', 'real'],
  replay: ['seeds', 'policy', 'runs', 'json'],
  explore: ['seeds', 'policy', 'vary', 'json'],
  defaults: ['seed', 'scenarios', 'json'],
  fleet: ['redis', 'prefix', 'json'],
  effects: ['redis', 'database', 'ledger', 'prefix', 'table', 'result', 'json'],
  rehearse: ['scenario', 'seed', 'limit-s', 'speed', 'html', 'fail-under', 'json', 'serve', 'port', 'list'],
};

async function main() {
  const { values, positionals } = parse();
  if (values.version) return print(version());
  if (values.help || (positionals.length === 0 && process.argv.length === 2)) return print(HELP.trimEnd());
  const [command, ...rest] = positionals;
  if (command === 'dashboard') return writeDashboard(rest, Object.keys(values));
  if (command === 'diagnose') return diagnose(rest, values);
  if (command === 'mcp') return mcp(rest, values);
  if (command === 'simulate') return simulate(rest, values);
  if (command === 'replay') return replay(rest, values);
  if (command === 'explore') return explore(rest, values);
  if (command === 'defaults') return defaults(rest, values);
  if (command === 'fleet') return fleet(rest, values);
  if (command === 'effects') return effects(rest, values);
  if (command === 'rehearse') return rehearse(rest, values);
  if (command !== 'devtools' || rest.length > 0) {
    throw new Misuse(
      `expected the command 'devtools', 'dashboard', 'diagnose', 'mcp', 'simulate', 'replay', 'explore', 'defaults', 'fleet', 'effects' or 'rehearse', got ${positionals.map((word) => `'${word}'`).join(' ') || 'none'}`,
    );
  }
  const others = Object.keys(values).filter((name) => !OPTIONS_OF.devtools.includes(name));
  forbid(values, others, 'devtools');
  const port = readPort(values.port ?? '4319');
  if (values.url) return printRunning(values.port === undefined ? undefined : port, values.open);
  await serve(port, values);
}

/** The commands whose --url takes a value: where the server is that has their log. */
const WITH_URL = new Set(['diagnose', 'mcp']);

function parse() {
  const [first] = process.argv.slice(2).filter((word) => Object.hasOwn(OPTIONS_OF, word));
  const options = WITH_URL.has(first) ? { ...OPTIONS, url: { type: 'string' } } : OPTIONS;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    // Node's own message speaks of positional arguments, which is no help here.
    const unknown = /^Unknown option '([^']+)'/.exec(error.message)?.[1];
    if (unknown === undefined) throw new Misuse(inWords(error.message));
    const command = process.argv.slice(2).find((word) => Object.hasOwn(OPTIONS_OF, word));
    const names = command ? [...OPTIONS_OF[command], 'version', 'help'] : Object.keys(OPTIONS);
    const flags = names.map((name) => `--${name}`);
    throw new Misuse(
      `unknown option '${unknown}'; ${command ? `'${command}' has` : 'there are'} ${flags.slice(0, -1).join(', ')} and ${flags.at(-1)}`,
    );
  }
}

/** Node's messages for `--port` without its value and for `--open` with one, in words of this command line. */
function inWords(message) {
  const [, flag, fault] =
    /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' (argument|does not)/.exec(message) ?? [];
  if (flag === undefined) return message;
  return fault === 'argument' ? `${flag} expects a value` : `${flag} takes no value`;
}

/** Refuses options that are another command's. */
function forbid(values, names, command) {
  const name = names.find((name) => values[name] !== undefined);
  if (name !== undefined) throw new Misuse(`'${command}' has no option --${name}`);
}

async function simulate(paths, { seeds, json, real, watch, ...others }) {
  forbid(others, Object.keys(others), 'simulate');
  const path = oneFile(paths, 'simulate', 'a scenario');
  const count = readSeeds(seeds, 1);
  const { simulateFile } = await import('./simulate.js');
  const run = async () => {
    const { text, holds } = await simulateFile(path, { seeds: count, json, real });
    print(text);
    process.exitCode = holds ? 0 : 1;
  };
  if (!watch) return run();
  for (;;) {
    // A scenario that is being edited may not fit yet.
    await run().catch((error) =>
      process.stderr.write(`halfopen: ${error.message.replace(/^halfopen: /, '')}\n`),
    );
    await changeOf(path);
    print('');
  }
}

/** Waits until a file changes: by looking, because editors replace files rather than write them. */
function changeOf(path) {
  return new Promise((resolve) => {
    watchFile(path, { interval: 200 }, (now, before) => {
      if (now.mtimeMs === before.mtimeMs) return;
      unwatchFile(path);
      resolve();
    });
  });
}

async function diagnose(paths, { url, database, json, 'fail-on': failOn, ...others }) {
  forbid(others, Object.keys(others), 'diagnose');
  if (failOn !== undefined && failOn !== 'harm' && failOn !== 'risk')
    throw new Misuse(`--fail-on expects 'harm' or 'risk', got '${failOn}'`);
  const { diagnose, sourceOf } = await import('./diagnose.js');
  const { text, fails } = await diagnose(sourceOf(...(await logOf('diagnose', paths, { url, database }))), {
    json,
    failOn,
  });
  print(text);
  if (fails) process.exitCode = 1;
}

async function mcp(paths, { url, database, ...others }) {
  forbid(others, Object.keys(others), 'mcp');
  const places = { url, database };
  const named = [...paths, url, database, process.env.HALFOPEN_DATABASE_URL || undefined];
  const isNamed = named.some((one) => one !== undefined);
  const { sourceOf } = await import('./diagnose.js');
  const source = isNamed ? sourceOf(...(await logOf('mcp', paths, places))) : undefined;
  const server = await import('./mcp.js');
  await server.mcp(source, version());
}

/** The one log that a command is about: a path, or where a server or a database is. */
async function logOf(command, paths, { url, database }) {
  const named = paths.length + Number(url !== undefined) + Number(database !== undefined);
  const places = named > 0 ? { url, database } : { database: process.env.HALFOPEN_DATABASE_URL || undefined };
  if (named > 1 || (named === 0 && places.database === undefined))
    throw new Misuse(
      `'${command}' expects one log: a file, a folder, --url or --database, got ${named === 0 ? 'none' : named}`,
    );
  if (
    places.url !== undefined &&
    !(URL.canParse(places.url) && /^https?:$/.test(new URL(places.url).protocol))
  )
    throw new Misuse(`--url expects the URL of a devtools server, got '${places.url}'`);
  if (places.database !== undefined && !(await isPostgresUrl(places.database)))
    throw new Misuse(
      '--database expects a URL that begins with postgres://; it is not shown, as it may have a password',
    );
  return [paths[0], places];
}

async function isPostgresUrl(url) {
  return (await import('../dist/esm/diagnose-node.js')).isPostgresUrl(url);
}

async function replay(paths, { seeds, json, policy, runs, ...others }) {
  forbid(others, Object.keys(others), 'replay');
  const path = oneFile(paths, 'replay', 'a log');
  const count = readSeeds(seeds, 30);
  const { replayFile } = await import('./replay.js');
  print(await replayFile(path, { policy, runs, seeds: count, json }));
}

async function explore(paths, { seeds, json, policy, vary = [], ...others }) {
  forbid(others, Object.keys(others), 'explore');
  const path = oneFile(paths, 'explore', 'a scenario');
  if (policy === undefined) throw new Misuse("'explore' expects --policy with the name of a policy");
  if (vary.length === 0) throw new Misuse("'explore' expects --vary with an option and its values");
  const count = readSeeds(seeds, 1);
  const { exploreFile } = await import('./explore.js');
  const options = { policy, vary: Object.fromEntries(vary.map(readVary)), seeds: count, json };
  const { text, meets } = await exploreFile(path, options);
  print(text);
  if (!meets) process.exitCode = 1;
}

/** `retry.maxRetries=0,1,2`: values are JSON where they can be, else words. */
function readVary(text) {
  const [, option, values] = /^([\w.]+)=(.+)$/.exec(text) ?? [];
  if (option === undefined) throw new Misuse(`--vary expects <option>=<value>,<value>…, got '${text}'`);
  try {
    return [option, JSON.parse(`[${values}]`)];
  } catch {
    return [option, values.split(',').map(jsonOrWord)];
  }
}

function jsonOrWord(word) {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

function oneFile(paths, command, what) {
  if (paths.length === 1) return paths[0];
  throw new Misuse(
    `'${command}' expects one file with ${what}, got ${paths.map((word) => `'${word}'`).join(' ') || 'none'}`,
  );
}

function readSeeds(seeds, otherwise) {
  return seeds === undefined ? otherwise : readWhole('seeds', seeds, 1, 100_000);
}

function readWhole(name, text, least, most) {
  if (!(/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most))
    throw new Misuse(`--${name} expects a whole number from ${least} to ${most}, got '${text}'`);
  return Number(text);
}

async function defaults(paths, { seed = '1', scenarios = '60', json, ...others }) {
  forbid(others, Object.keys(others), 'defaults');
  if (paths.length > 0) throw new Misuse(`'defaults' expects no files, got '${paths[0]}'`);
  const { compareDefaults } = await import('./defaults.js');
  print(
    await compareDefaults({
      seed: readWhole('seed', seed, 0, Number.MAX_SAFE_INTEGER),
      scenarios: readWhole('scenarios', scenarios, 1, 10_000),
      json,
    }),
  );
}

async function fleet([verb, name, policy, ...more], { redis, prefix, json, ...others }) {
  forbid(others, Object.keys(others), 'fleet');
  const isStatus = verb === 'status';
  const isComplete = isStatus ? policy === undefined : policy !== undefined;
  if (!['status', 'isolate', 'lift'].includes(verb) || name === undefined || !isComplete || more.length > 0) {
    throw new Misuse("'fleet' expects: status <fleet>, isolate <fleet> <policy>, or lift <fleet> <policy>");
  }
  const url = readRedisUrl(redis);
  const { fleetCommand } = await import('./fleet.js');
  print(await fleetCommand(verb, name, policy, { url, prefix, json }));
}

function readRedisUrl(redis) {
  const url = redis ?? (process.env.REDIS_URL || 'redis://127.0.0.1:6379');
  if (!/^rediss?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new Misuse('--redis expects a URL that begins with redis:// or rediss://');
  return url;
}

const OUTCOMES = ['happened', 'not-happened'];

async function effects([verb, ...rest], { redis, database, ledger, prefix, table, result, json, ...others }) {
  forbid(others, Object.keys(others), 'effects');
  const [name, key, outcome] = rest;
  const isSettle = verb === 'settle' && rest.length === 3 && OUTCOMES.includes(outcome) && key !== '';
  if (!isSettle && !(verb === 'list' && rest.length === 0))
    throw new Misuse("'effects' expects: list, or settle <act> <key> happened|not-happened");
  if (result !== undefined && outcome !== 'happened')
    throw new Misuse('--result is only for settle … happened');
  if (json && isSettle) throw new Misuse('--json is only for list');
  const url = await readLedgerUrl(redis, database);
  const place = { url, ledger, prefix, table };
  const command = await import('./effects.js');
  if (!isSettle) return print(await command.list(place, json));
  const happened = outcome === 'happened';
  print(
    await command.settle(place, name, key, { happened, ...(happened && { result: readResult(result) }) }),
  );
}

async function readLedgerUrl(redis, database) {
  if (redis !== undefined && database !== undefined)
    throw new Misuse('a ledger has one store: --redis or --database');
  const url = database ?? (redis === undefined ? process.env.HALFOPEN_LEDGER_URL || undefined : undefined);
  if (url === undefined || (database === undefined && url.startsWith('redis')))
    return readRedisUrl(redis ?? url);
  if (!(await isPostgresUrl(url)))
    throw new Misuse(
      database === undefined
        ? 'HALFOPEN_LEDGER_URL expects a URL that begins with redis://, rediss:// or postgres://'
        : '--database expects a URL that begins with postgres://',
    );
  return url;
}

function readResult(text) {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Misuse(`--result expects JSON, such as '{"id":"re_1"}'`);
  }
}

async function rehearse(command, values) {
  const others = Object.keys(values).filter((name) => !OPTIONS_OF.rehearse.includes(name));
  forbid(values, others, 'rehearse');
  const { scenario: names = [], serve: isServed, list: isList, json } = values;
  const seed = readWhole('seed', values.seed ?? '1', 0, Number.MAX_SAFE_INTEGER);
  const limitS = readWhole('limit-s', values['limit-s'] ?? '30', 1, 3600);
  const speed = readWhole('speed', values.speed ?? '10', 1, 1000);
  const least = readWhole('fail-under', values['fail-under'] ?? '0', 0, 100);
  const rehearsal = await import('./rehearse.js');
  if (isList) return print(rehearsal.list());
  const [unknown] = rehearsal.unknown(names);
  if (unknown !== undefined) throw new Misuse(`there is no scenario '${unknown}'; --list prints them`);
  if (isServed) {
    if (names.length > 1) throw new Misuse('--serve expects one --scenario');
    return rehearsal.serve({ scenario: names[0], port: readPort(values.port ?? '0'), seed, speed }, print);
  }
  if (command.length === 0) throw new Misuse("'rehearse' expects a command after --");
  const { text, total, html } = await rehearsal.rehearse(command, { names, seed, limitS, speed, json });
  print(text);
  if (values.html !== undefined) writeFileSync(values.html, html());
  if (total < least) process.exitCode = 1;
}

function readPort(text) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Misuse(`--port expects a whole number from 0 to 65535, got '${text}'`);
  return port;
}

function readRetention(text) {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw new Misuse(`--retention expects a whole number of days from 1 to 36500, got '${text}'`);
  return Number(text);
}

function version() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/** Writes the files that a page names by `src` of `mountDevtools`. */
async function writeDashboard(folders, flags) {
  if (flags.length > 0) throw new Misuse(`'dashboard' has no options, got --${flags[0]}`);
  const [folder] = folders;
  if (folders.length !== 1 || folder === '') {
    throw new Misuse(
      `'dashboard' expects one folder to write to, got ${folders.map((word) => `'${word}'`).join(' ') || 'none'}`,
    );
  }
  const { files } = await import('../dist/embedded/dashboard.js');
  const lab = await import('../dist/esm/lab-files.js');
  try {
    mkdirSync(folder, { recursive: true });
    // A link that stands in the folder is replaced: written through, it would change a file elsewhere.
    const write = (name, content) => {
      const path = join(folder, name);
      rmSync(path, { force: true });
      writeFileSync(path, content, { flag: 'wx' });
    };
    for (const [name, packed] of Object.entries(files))
      write(name, gunzipSync(Buffer.from(packed, 'base64')));
    write('lab-worker.js', lab.script);
    write('lab.wasm', lab.module());
  } catch (error) {
    throw new Error(`the dashboard's files could not be written to '${folder}': ${error.message}`);
  }
  print(`${Object.keys(files).length + 2} files in ${folder}; the page is ${join(folder, 'index.html')}`);
}

async function serve(port, { host, dir, otlp, open, retention, 'no-token': noToken, ...values }) {
  const { startDevtoolsServer } = await import('halfopen/devtools');
  const token = noToken ? false : process.env.HALFOPEN_DEVTOOLS_TOKEN || undefined;
  const database = values.database ?? (process.env.HALFOPEN_DATABASE_URL || undefined);
  let starting;
  try {
    starting = startDevtoolsServer({
      ...{ port, host, directory: dir, token, otlp, database },
      retentionDays: readRetention(retention),
    });
  } catch (error) {
    throw new Misuse(inFlags(error.message));
  }
  const server = await starting;
  print(`Halfopen devtools  ${server.dashboardUrl}`);
  print(`  log              ${server.log}`);
  print(
    `  agents           connectDevtools() from 'halfopen/devtools'${port === 4319 ? '' : `, with HALFOPEN_DEVTOOLS_URL=${server.url}`}`,
  );
  if (noToken) print('  no token         every program on this machine can read and write these events');
  print('  stop             Ctrl-C');
  if (open) await openInBrowser(server.dashboardUrl);

  let stopping = false;
  const stop = async () => {
    // A second Ctrl-C does not wait.
    if (stopping) process.exit(130);
    stopping = true;
    await server.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
}

/** What the function says of its options, said of the command's. */
function inFlags(message) {
  return message
    .replace(/^halfopen: /, '')
    .replace("option 'token' may be false only on", '--no-token is only for')
    .replace("option 'token'", 'HALFOPEN_DEVTOOLS_TOKEN')
    .replace("option 'directory'", '--dir')
    .replace("option 'otlp'", '--otlp')
    .replace("option 'retentionDays'", '--retention')
    .replace("'database'", 'database')
    .replace("option 'host'", '--host');
}

/** Prints where servers of this user run: on one port, or on any. */
async function printRunning(port, open) {
  const { findDevtoolsServer, findDevtoolsServers } = await import('halfopen/devtools');
  const found = await (port === undefined ? findDevtoolsServers() : findDevtoolsServer(port));
  const urls = [found ?? []].flat();
  if (urls.length === 0) {
    const where = port === undefined ? '' : ` on port ${port}`;
    throw new Error(`you have no devtools server running${where}. Start one: npx halfopen devtools`);
  }
  for (const url of urls) print(url);
  if (open) await openInBrowser(urls[0]);
}

/** Every user of the machine can see how the browser is started: with a code that opens the dashboard once, not with the token. */
async function openInBrowser(dashboardUrl) {
  const url = new URL(dashboardUrl);
  const token = url.searchParams.get('token');
  if (token !== null) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(new URL('/code', url), { method: 'POST', headers });
    if (!answer.ok) return print('  the dashboard could not be opened: open the URL above yourself');
    url.search = `?code=${(await answer.json()).code}`;
  }
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? [
    'xdg-open',
  ];
  spawn(command, [...args, url.href], { detached: true, stdio: 'ignore' })
    .on('error', () => print(`  ${command} could not be started: open the URL above yourself`))
    .unref();
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

main().catch((error) => {
  process.stderr.write(`halfopen: ${error.message.replace(/^halfopen: /, '')}\n`);
  if (error instanceof Misuse) process.stderr.write('Try `npx halfopen --help`.\n');
  process.exitCode = error instanceof Misuse ? 2 : 1;
});
