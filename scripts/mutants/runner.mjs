// A test runner for Stryker that stays in one process: the tests are loaded once, and a mutant meets those tests alone that
// reach it, the quickest first. A process for each would cost more than the tests.
//
// A mutant may leave something behind that breaks a later test. So a test that fails counts only if it passes at once without
// the mutant, and fails again with it. If it fails without, the process is given up, and the mutant meets a new one, where
// every failure counts.

import { resolve } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
} from '@stryker-mutator/api/test-runner';

/** A test that runs this long hangs, in milliseconds: of processor time and waiting, on a machine that others use too. */
const PATIENCE = 20_000;
/** A test that waits for nothing counts too: after this number of checks, this many milliseconds apart. */
const IDLE_LOOKS = 8;
const LOOK_MS = 15;

/** The variable that instrumented code reads and writes. */
globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

/** @type {{ id: string, name: string, file: object, run: (t: object) => unknown }[]} */
const tests = [];

/** node:test for one file. */
globalThis.testsOf = (path) => {
  const file = { before: [], after: [] };
  const suites = [];
  const test = (name, run) => {
    const full = [...suites, name].join(' > ');
    const same = tests.filter((other) => other.name === full && other.file === file).length;
    tests.push({ id: `${path}: ${full}${same > 0 ? ` (${same + 1})` : ''}`, name: full, file, run });
  };
  const describe = (name, body) => {
    suites.push(name);
    body();
    suites.pop();
  };
  return { test, describe, before: (hook) => file.before.push(hook), after: (hook) => file.after.push(hook) };
};

const failures = [];
process.on('unhandledRejection', (error) => failures.push(error ?? new Error('an unhandled rejection')));
process.on('uncaughtException', (error) => failures.push(error ?? new Error('an uncaught exception')));

const { setTimeout, setImmediate } = globalThis;
const turn = () => new Promise((done) => setImmediate(done));

/** Rejects when a test waits for nothing that could come, or for too long. */
function hangs(signal) {
  const open = process.getActiveResourcesInfo();
  const begun = performance.now();
  const { eventLoopUtilization } = performance;
  let since = eventLoopUtilization();
  return new Promise((_, reject) => {
    let idle = 0;
    const look = () => {
      if (signal.aborted) return;
      const left = [...open];
      const { utilization } = eventLoopUtilization(since);
      since = eventLoopUtilization();
      const isIdle =
        utilization < 0.3 &&
        process.getActiveResourcesInfo().every((name) => {
          const at = left.indexOf(name);
          if (at >= 0) left.splice(at, 1);
          return at >= 0;
        });
      idle = isIdle ? idle + 1 : 0;
      if (idle > IDLE_LOOKS || performance.now() - begun > PATIENCE) reject(new Error('the test hangs'));
      else setTimeout(look, LOOK_MS).unref();
    };
    setTimeout(look, LOOK_MS).unref();
  });
}

/** Runs a test; returns what it failed with. */
async function failureOf({ file, run }) {
  failures.length = 0;
  const over = new AbortController();
  const after = [];
  const t = {
    mock,
    diagnostic() {},
    after: (hook) => after.push(hook),
    test: async (_name, inner) => inner(t),
  };
  try {
    for (const hook of file.before) await hook();
    await Promise.race([run(t), hangs(over.signal)]);
  } catch (error) {
    failures.unshift(error ?? new Error('a test that threw nothing'));
  }
  over.abort();
  try {
    for (const hook of [...after, ...file.after]) await hook();
  } catch (error) {
    failures.push(error);
  }
  mock.reset();
  await turn();
  await turn();
  return failures[0];
}

class InProcessRunner {
  loaded = undefined;
  /** Nothing ran before in this process that could have left anything. */
  isNew = true;

  capabilities() {
    return { reloadEnvironment: false };
  }

  load() {
    process.setSourceMapsEnabled(true);
    this.loaded ??= import(pathToFileURL(resolve('pkg/mutants/tests.mjs')).href);
    return this.loaded;
  }

  async dryRun() {
    await this.load();
    this.isNew = false;
    const results = [];
    for (const test of tests) {
      stryker.currentTestId = test.id;
      const begun = performance.now();
      const error = await failureOf(test);
      const timeSpentMs = performance.now() - begun;
      stryker.currentTestId = undefined;
      if (error) console.error(test.id, error);
      results.push({
        ...{ id: test.id, name: test.name, timeSpentMs },
        ...(error
          ? { status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) }
          : { status: TestStatus.Success }),
      });
    }
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, mutantActivation, hitLimit }) {
    const isStatic = mutantActivation === 'static';
    const activate = (id) => {
      stryker.activeMutant = id;
      if (id) process.env.__STRYKER_ACTIVE_MUTANT__ = id;
      else delete process.env.__STRYKER_ACTIVE_MUTANT__;
    };
    if (isStatic) activate(activeMutant.id);
    try {
      await this.load();
    } catch (error) {
      if (!isStatic) throw error;
      return {
        status: MutantRunStatus.Killed,
        killedBy: [],
        failureMessage: `at import: ${error}`,
        nrOfTests: 0,
      };
    }
    const { isNew } = this;
    this.isNew = false;
    const chosen = tests.filter(({ id }) => testFilter?.includes(id) ?? true);
    chosen.sort((a, b) => weightOf(a) - weightOf(b));
    stryker.hitCount = hitLimit === undefined ? undefined : 0;
    stryker.hitLimit = hitLimit;
    let nrOfTests = 0;
    try {
      for (const test of chosen) {
        nrOfTests++;
        activate(activeMutant.id);
        const error = await failureOf(test);
        const limit = determineHitLimitReached(stryker.hitCount, hitLimit);
        if (limit) return { status: MutantRunStatus.Timeout, reason: limit.reason };
        if (error === undefined) continue;
        if (!isStatic && !isNew) {
          activate(undefined);
          const without = await failureOf(test);
          if (without) throw new Error(`${test.id} fails without a mutant`, { cause: without });
          activate(activeMutant.id);
          if (!(await failureOf(test))) continue;
        }
        return {
          status: MutantRunStatus.Killed,
          killedBy: [test.id],
          failureMessage: String(error?.message ?? error),
          nrOfTests,
        };
      }
      return { status: MutantRunStatus.Survived, nrOfTests };
    } finally {
      activate(undefined);
    }
  }

  async dispose() {}
}

/** Files whose tests take long go last: many random cases, servers, other processes. */
const SLOW = /^call\/(?:hedge|fetch|fetch-body|time|unref|settle|stream-interleavings)\.test/;
const weightOf = ({ id }) => (SLOW.test(id) ? (/^call\/(?:settle|stream-inter)/.test(id) ? 2 : 1) : 0);

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)];
