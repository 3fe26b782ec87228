// The demo: a devtools server, and examples/agent.ts, which brings its own faulty providers. See demo.sh.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkEvents, checkSecrets } from '../examples/laws.ts';
import { checkDashboard } from './demo-dashboard.mjs';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    screenshot: { type: 'string', default: process.env.DEMO_SCREENSHOT ?? 'target/demo.png' },
    port: { type: 'string', default: process.env.DEMO_PORT ?? '0' },
  },
});

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'halfopen-demo-'));
// Keys that look real and open nothing. No output may ever contain a piece of them.
const keys = [
  `sk-proj-${randomBytes(36).toString('base64url')}`,
  `sk-ant-api03-${randomBytes(36).toString('base64url')}`,
];
const environment = { ...process.env, HALFOPEN_HOME: directory, NODE_NO_WARNINGS: '1' };
const children = new Set();

/** Starts a program of ours; its lines go to `onLine`. Ends with this process. */
function start(args, env, onLine) {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  createInterface({ input: child.stdout }).on('line', onLine);
  return child;
}

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((done) => child.once('exit', (code) => done(code)));

/** The URL with the token that the server prints first. */
function startServer() {
  return new Promise((started, failed) => {
    const args = ['pkg/bin/halfopen.js', 'devtools', '--port', values.port, '--dir', join(directory, 'log')];
    const server = start(args, environment, (line) => {
      const url = /https?:\/\/\S+/.exec(line)?.[0];
      if (url !== undefined) started({ server, url });
    });
    server.once('exit', (code) => failed(new Error(`the devtools server ended with ${code}`)));
  });
}

async function runAgent(url) {
  const lines = [];
  const env = {
    ...environment,
    HALFOPEN_DEVTOOLS_URL: new URL(url).origin,
    OPENAI_API_KEY: keys[0],
    ANTHROPIC_API_KEY: keys[1],
  };
  const agent = start(['--import', 'tsx', 'examples/agent.ts'], env, (line) => {
    lines.push(line);
    console.log(line);
  });
  const code = await ended(agent);
  if (code !== 0) throw new Error(`the agent ended with ${code}`);
  return lines.join('\n');
}

/** The log as the server wrote it. */
async function readLog(url) {
  const { origin, searchParams } = new URL(url);
  const response = await fetch(`${origin}/events?format=jsonl`, {
    headers: { authorization: `Bearer ${searchParams.get('token')}` },
  });
  return response.text();
}

async function check(url, printed) {
  const log = await readLog(url);
  const events = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const screenshot = resolve(root, values.screenshot);
  mkdirSync(dirname(screenshot), { recursive: true });
  const dashboard = await checkDashboard(url, screenshot);
  const findings = [
    ...checkEvents(events),
    ...dashboard.findings,
    ...checkSecrets({ 'the printed log': printed, 'the events': log, 'the dashboard': dashboard.seen }, keys),
  ];
  console.log('\nChecked:');
  for (const { what, wrong } of findings)
    console.log(`  ${wrong === undefined ? '✓' : '✗'} ${what}${wrong === undefined ? '' : `: ${wrong}`}`);
  console.log(`  screenshot ${screenshot}`);
  return findings.every(({ wrong }) => wrong === undefined);
}

async function stop() {
  const last = [...children].map((child) => {
    child.kill('SIGTERM');
    const hard = setTimeout(() => child.kill('SIGKILL'), 3_000);
    return ended(child).finally(() => clearTimeout(hard));
  });
  await Promise.all(last);
  rmSync(directory, { recursive: true, force: true });
}

let interrupted = () => {};
const interruption = new Promise((resolve) => {
  interrupted = resolve;
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted);
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function run() {
  const { url } = await startServer();
  console.log(`Dashboard: ${url}\n`);
  const printed = await runAgent(url);
  if (values.check) return check(url, printed);
  console.log(`\nThe dashboard stays at ${url}\nCtrl-C ends it.`);
  await interruption;
  return true;
}

let passed = false;
try {
  passed = (await Promise.race([run(), interruption.then(() => !values.check)])) === true;
} catch (error) {
  console.error(`demo: ${error.message}`);
} finally {
  await stop();
}
process.exit(passed ? 0 : 1);
