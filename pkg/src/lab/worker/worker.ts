/**
 * The worker of the dashboard's Lab view: compares the policies of a scenario, replays a log and explores options with the
 * functions of `halfopen/lab`. Results go out as they come, the ones that take long last. Between two steps of work it
 * takes messages, so that it can be cancelled.
 */

import type { Charted } from '../charted.js';
import { misfitOf } from '../check.js';
import { explore } from '../explore.js';
import { asJson } from '../pace.js';
import { longestSurvivedPause } from '../pause.js';
import { RecordedLog } from '../recorded-log.js';
import { type FullReplay, replay } from '../replay.js';
import type { PolicyResult } from '../result.js';
import type { LabPolicy, Scenario } from '../scenario.js';
import { sensitivity } from '../sensitivity.js';
import { simulate } from '../simulate.js';
import { simulateMany } from '../simulate-many.js';
import type { FromWorker, ToWorker } from './messages.js';
import { load } from './module.js';
import { exploreReport, replayReport, varied } from './report.js';

/** How many seeds a band is of. */
const SEEDS = 30;
/** Least time between two reports of progress. */
const REPORT_MS = 100;

type Stage = Extract<FromWorker, { stage: unknown }>['stage'];
type Request = Extract<ToWorker, { id: number }>;
type Said = FromWorker extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never;

const running = new Map<number, AbortController>();
let ready: Promise<void> = Promise.resolve();

globalThis.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('module' in data) ready = load(data.module);
  else if ('cancel' in data) running.get(data.cancel)?.abort();
  else void answer(data);
};

async function answer(request: Request): Promise<void> {
  const { id } = request;
  const abort = new AbortController();
  running.set(id, abort);
  const say = (message: Said) => globalThis.postMessage(JSON.stringify({ id, ...message }));
  try {
    await ready;
    const scenario = JSON.parse(scenarioOf(request)) as Scenario;
    const misfit = misfitOf(asJson(scenario));
    if (misfit !== undefined) say({ error: misfit });
    else await work(request, scenario, abort.signal, say);
    if (misfit === undefined) say({ done: true });
  } catch (error) {
    say({ error: abort.signal.aborted ? 'cancelled' : plain(error) });
  } finally {
    running.delete(id);
  }
}

function scenarioOf(request: Request): string {
  if ('check' in request) return request.check;
  if ('compare' in request) return request.compare;
  return 'replay' in request ? request.replay : request.explore;
}

type Say = (message: Said) => void;
/** Runs a stage, the `index`th `of` that number. It can be cancelled, and reports its progress. */
type Staged = (
  name: Stage,
  index?: number,
  of?: number,
) => {
  signal: AbortSignal;
  onProgress: (share: number) => void;
};

async function work(request: Request, scenario: Scenario, signal: AbortSignal, say: Say): Promise<void> {
  const stage: Staged = (name, index = 0, of = 1) => {
    let reported = 0;
    return {
      signal,
      onProgress(share: number) {
        if (performance.now() - reported < REPORT_MS) return;
        reported = performance.now();
        say({ stage: name, share: (index + share) / of });
      },
    };
  };
  if ('compare' in request) await compare(scenario, stage, say);
  else if ('replay' in request) await replayLog(request, scenario, stage, say);
  else if ('explore' in request) await exploreOptions(request, scenario, stage, say);
}

/** Replays a log under each policy of a scenario. */
async function replayLog(
  { log, policy: replaced }: Extract<Request, { replay: string }>,
  { policies, cost }: Scenario,
  stage: Staged,
  say: Say,
): Promise<void> {
  const names = replaced === '' ? await namesIn(log) : [replaced];
  const replays: { policy: string; options: LabPolicy; replay: FullReplay }[] = [];
  for (const [index, [policy, options]] of Object.entries(policies).entries()) {
    const others = Object.fromEntries(names.map((name) => [name, options]));
    const run = stage('replays', index, Object.keys(policies).length);
    const prices = { perAttempt: cost?.perAttempt, perToken: cost?.perToken };
    replays.push({
      policy,
      options,
      replay: await replay(lines(log), { ...run, policies: others, seeds: SEEDS, cost: prices }),
    });
    say(replayReport(replays));
  }
}

/** The names of the policies in a log. */
async function namesIn(log: Blob): Promise<string[]> {
  const recorded = new RecordedLog({});
  for await (const text of lines(log)) {
    recorded.text(text);
    recorded.take();
  }
  return [...recorded.names];
}

/** Whole lines of a file, many at a time. */
async function* lines(log: Blob): AsyncGenerator<string> {
  const reader = log.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const text = rest + value;
    const end = done ? text.length : text.lastIndexOf('\n') + 1;
    if (end > 0) yield text.slice(0, end);
    if (done) return;
    rest = text.slice(end);
  }
}

/** Explores a policy of a scenario, under the limits of the scenario. */
async function exploreOptions(
  request: Extract<Request, { explore: string }>,
  scenario: Scenario,
  stage: Staged,
  say: Say,
): Promise<void> {
  const { policy } = request;
  const vary = varied(request.vary);
  const explored = await explore(scenario, { ...stage('grid'), policy, vary, seeds: SEEDS });
  say(exploreReport(policy, Object.keys(vary), scenario.expect ?? {}, explored));
}

async function compare(scenario: Scenario, stage: Staged, say: Say): Promise<void> {
  const names = Object.keys(scenario.policies);
  for (const [index, policy] of names.entries()) {
    const { policies } = await simulate(only(scenario, policy), stage('runs', index, names.length));
    const result = policies[policy];
    if (result !== undefined) say({ policy, ...charted(scenario, result) });
  }
  // Clients that arrive once have no goodput to come back to.
  if (scenario.clients.arrivals.kind !== 'once') {
    for (const [index, policy] of names.entries()) {
      const survivesMs = await longestSurvivedPause(scenario, policy, stage('pauses', index, names.length));
      say({ policy, survivesMs });
    }
  }
  const bands = await simulateMany(scenario, { ...stage('seeds'), seeds: SEEDS });
  for (const [policy, ofPolicy] of Object.entries(bands)) say({ policy, bands: ofPolicy });
  const [first, second] = names;
  if (first === undefined || second === undefined) return;
  const between = [first, second] as const;
  const inputs = await sensitivity(scenario, { ...stage('inputs'), policies: between, total: 'successRate' });
  say({ between, inputs });
}

function only(scenario: Scenario, policy: string): Scenario {
  return { ...scenario, policies: { [policy]: scenario.policies[policy] ?? {} } };
}

/**
 * Returns the part of a result that charts show: without anything after the last arrival, and the breakers as plain
 * numbers.
 */
function charted(
  { durationMs, intervalMs = Math.max(1000, durationMs / 100_000) }: Scenario,
  result: PolicyResult,
) {
  const { totals, hash, series } = result;
  const shown = Math.ceil(durationMs / intervalMs);
  const cut = <T>(values: readonly T[]) => values.slice(0, shown);
  const states = cut(series.breaker);
  const all = Object.values(states[0] ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    totals,
    hash,
    intervalMs,
    breakers: all,
    charted: {
      offered: cut(series.offered),
      attempts: cut(series.attempts),
      succeeded: cut(series.succeeded),
      failed: cut(series.failed),
      rejected: cut(series.rejected),
      inFlight: cut(series.inFlight),
      queued: cut(series.queued),
      waiting: cut(series.waiting),
      userP95Ms: cut(series.userP95Ms),
      open: states.map((state) => state.open),
      halfOpen: states.map((state) => state.half_open),
    } satisfies Charted,
  };
}

/** An error's text without the package's name before it: the view is the package's. */
function plain(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^halfopen: /, '');
}
