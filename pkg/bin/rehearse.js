// `npx halfopen rehearse`: an agent against a provider that fails as the real ones do, and its report card.
import { spawn } from 'node:child_process';
import { fstatSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { scenarios, startRehearsal } from 'halfopen/rehearse';
import { table } from './lab.js';
import { mean, page } from './rehearse-page.js';

const MARKS = ['done', 'once', 'waste', 'ended', 'clean'];
/** More output than this is no answer for a user. */
const MOST_TEXT = 1024 * 1024;
const PARENT_CHECK_MS = 500;

/** The scenarios by a line each. */
export const list = () =>
  scenarios.map(({ name, group, about }) => `${group.padEnd(12)}  ${name.padEnd(22)}  ${about}`).join('\n');

/** The names that are no scenario's. */
export const unknown = (names) => names.filter((name) => !scenarios.some((one) => one.name === name));

/** Serves one scenario until the process is ended, and prints the variables. */
export async function serve({ scenario, port, seed, speed }, print) {
  const starter = starterOf(process.ppid);
  const rehearsal = await startRehearsal({ scenario, port, seed, speed });
  const stop = () => rehearsal.close().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  for (const [name, value] of Object.entries(rehearsal.env)) print(`export ${name}='${value}'`);
  await starterEnds(starter);
  await stop();
}

/** The process that started this one. Where sh is dash, the shell of npx stays between the two and outlives npx. */
function starterOf(pid) {
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return name === 'sh' ? Number(parent) : pid;
  } catch {
    return pid; // No /proc: there, sh becomes the command itself.
  }
}

/**
 * Settles when the starter is gone: `npx`, which passes no SIGKILL on, or a program that held our standard input. Any other shell
 * may start the server in the background and end before it.
 */
function starterEnds(starter) {
  const ends = [];
  if (process.env.npm_command === 'exec') ends.push(exitOf(starter));
  const input = fstatSync(0);
  if (input.isFIFO() || input.isSocket()) ends.push(inputCloses());
  return Promise.race(ends); // Of no promises, it is pending for ever.
}

async function exitOf(pid) {
  while (isAlive(pid)) await sleep(PARENT_CHECK_MS);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function inputCloses() {
  const end = new Promise((resolve) => process.stdin.resume().once('end', resolve).once('error', resolve));
  // A pipe that was closed at the start, as some launchers pass it, has no holder whose end could matter.
  const isHeld = await Promise.race([end.then(() => false), sleep(PARENT_CHECK_MS, true)]);
  await (isHeld ? end : new Promise(() => {}));
}

/**
 * Runs a command once for each scenario.
 *
 * @returns what to print, the page, and the mean of the scores.
 */
export async function rehearse([command, ...args], { names, seed, limitS, speed, json }) {
  const results = [];
  for (const { name, group } of scenarios.filter((one) => names.length === 0 || names.includes(one.name))) {
    const rehearsal = await startRehearsal({ scenario: name, seed, speed });
    try {
      const output = await run(command, args, { ...process.env, ...rehearsal.env }, limitS * 1000);
      const { requests, effects } = rehearsal;
      results.push({
        scenario: name,
        group,
        score: rehearsal.score(output),
        output,
        requests: [...requests],
        effects: [...effects],
      });
    } finally {
      await rehearsal.close();
    }
  }
  const total = mean(results.map(({ score }) => score.total));
  return {
    total,
    results,
    text: json ? JSON.stringify({ total, speed, results }, undefined, 2) : report(results, total, speed),
    html: () => page({ total, results, speed, command: [command, ...args], date: today(), about }),
  };
}

const today = () => new Date().toISOString().slice(0, 10);
const about = (name) => scenarios.find((one) => one.name === name)?.about ?? '';

/** Runs a command until it ends or its time is up. */
function run(command, args, env, limitMs) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      if (text.length < MOST_TEXT) text += chunk;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`'${command}' could not be started: ${error.message}`));
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ text, exitCode, ms: performance.now() - began });
    });
  });
}

function report(results, total, speed) {
  const cell = (value) => value.toFixed(2);
  const rows = results.map(({ scenario, score }) => [
    scenario,
    String(score.total),
    ...MARKS.map((mark) => cell(score[mark])),
  ]);
  const groups = [...new Set(results.map(({ group }) => group))].map((name) => {
    const own = results.filter(({ group }) => group === name);
    const meanOf = (mark) => mean(own.map(({ score }) => score[mark]));
    return [name, String(own.length), meanOf('total').toFixed(1), ...MARKS.map((mark) => cell(meanOf(mark)))];
  });
  const lost = results.filter(({ score }) => score.why.length > 0);
  return [
    table([['scenario', 'total', ...MARKS], ...rows]),
    '',
    table([['group', 'scenarios', 'total', ...MARKS], ...groups]),
    '',
    ...lost.map(({ scenario, score }) => `${scenario}: ${score.why.join(' ')}`),
    ...(lost.length > 0 ? [''] : []),
    `${total.toFixed(1)} of 100, over ${results.length} scenarios. The provider's waits were ${speed} times shorter than real ones.`,
  ].join('\n');
}
