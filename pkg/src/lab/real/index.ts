/**
 * Runs a scenario for real: real requests over HTTP to a provider in this process, which fails as the scenario says,
 * with real timers and the shipped policies. Its measurements can be compared with the simulation. For Node.
 */

import { AgentError } from '../../error/agent-error.js';
import type { PolicyOptions } from '../../policy/options.js';
import { createPolicy, type Policy } from '../../policy/policy.js';
import type { Charted } from '../charted.js';
import type { RunOptions } from '../pace.js';
import type { Totals } from '../result.js';
import type { LabPolicy, Scenario } from '../scenario.js';
import { Faults } from './faults.js';
import { checkReal, MOST_UNDER_WAY } from './limits.js';
import { Measure } from './measure.js';
import { drawn, RealProvider, type Refusal } from './provider.js';

/** The result of one policy. */
export interface RealResult {
  policy: string;
  totals: Totals;
  charted: Charted;
  intervalMs: number;
  breakers: number;
}

/** How long calls may go on after the last arrival. */
const LAST_MS = 3000;

/**
 * Runs all policies of a scenario at the same time, each with a provider of its own. It takes the scenario's duration
 * and a few seconds.
 *
 * @throws TypeError where the scenario does not fit, or is too large: at most 200 clients for 60 s, 200 calls a second, and
 * 2000 calls of a policy under way at once.
 */
export async function runForReal(
  scenario: Scenario,
  { signal, onProgress }: Pick<RunOptions, 'signal' | 'onProgress'> = {},
  mostUnderWay = MOST_UNDER_WAY,
): Promise<RealResult[]> {
  checkReal(scenario);
  signal?.throwIfAborted();
  const began = performance.now();
  const now = () => performance.now() - began;
  const progress = setInterval(() => onProgress?.(Math.min(1, now() / scenario.durationMs)), 250);
  const abort = new AbortController();
  const end = () => abort.abort();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const runs = Object.entries(scenario.policies).map(([name, options]) =>
      runPolicy(scenario, name, options, now, abort, mostUnderWay),
    );
    const results = await Promise.all(runs);
    signal?.throwIfAborted();
    return results;
  } finally {
    end();
    clearInterval(progress);
    signal?.removeEventListener('abort', end);
  }
}

async function runPolicy(
  scenario: Scenario,
  name: string,
  options: LabPolicy,
  now: () => number,
  abort: AbortController,
  mostUnderWay: number,
): Promise<RealResult> {
  const { clients, durationMs, intervalMs = Math.max(1000, durationMs / 100_000), cost } = scenario;
  const provider = new RealProvider(scenario, now);
  const processes =
    clients.shared === undefined ? Math.min(clients.count, clients.processes ?? clients.count) : 1;
  const policies = Array.from({ length: processes }, () => createPolicy(plainOptions(options)));
  const stats = () => policies.map((policy) => policy.stats());
  const measure = new Measure();
  let intervals = 0;
  const tick = setInterval(() => {
    if ((intervals + 1) * intervalMs > durationMs) return;
    intervals += 1;
    measure.interval(stats(), provider.queued);
  }, intervalMs);
  const stop = new AbortController();
  abort.signal.addEventListener('abort', () => stop.abort(), { once: true });
  try {
    const url = await provider.listen();
    const open = new Set<Promise<void>>();
    const call = (client: number): Promise<void> => {
      if (open.size >= mostUnderWay) {
        const seconds = (now() / 1000).toFixed(1);
        throw new TypeError(
          `halfopen: more than ${mostUnderWay} calls of '${name}' are under way after ${seconds} s, too many for a run for real: let fewer begin, or give them a shorter timeout.attemptMs`,
        );
      }
      measure.offered += 1;
      const called = userCall(policies[client % processes] as Policy<string>, url, measure, stop.signal);
      open.add(called);
      return called.finally(() => open.delete(called));
    };
    await arrivals(scenario, call, now, stop.signal);
    const patience = setTimeout(() => stop.abort(), LAST_MS);
    while (open.size > 0) await Promise.all(open);
    clearTimeout(patience);
    const given = {
      seconds: durationMs / 1000,
      perAttempt: cost?.perAttempt ?? 0,
      wastedServiceMs: provider.wastedServiceMs,
    };
    const breakers = options.breaker === false ? 0 : processes;
    return { policy: name, ...measure.finish(stats(), given), intervalMs, breakers };
  } finally {
    clearInterval(tick);
    stop.abort();
    provider.close();
    for (const policy of policies) void policy.dispose();
  }
}

/** Returns a policy's options, with values that JSON cannot express. */
function plainOptions(options: LabPolicy): PolicyOptions<string> {
  const { fallback, ...others } = JSON.parse(JSON.stringify(options), (_, value: unknown) =>
    value === 'Infinity' ? Number.POSITIVE_INFINITY : value,
  ) as LabPolicy;
  return {
    ...(others as PolicyOptions<string>),
    name: 'lab',
    ...(fallback === true ? { fallback: () => 'fallback' } : {}),
  };
}

/** Makes one call of a user. It never rejects, because the policy counts how the call ended. */
async function userCall(
  policy: Policy<string>,
  url: string,
  measure: Measure,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  await policy.execute((attempt) => request(url, attempt.signal), { signal }).catch(() => {});
  measure.ended(performance.now() - began);
}

async function request(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: '{}', signal });
  if (response.ok) return response.text();
  const { code, retryAfterMs } = (await response.json()) as Refusal;
  throw new AgentError(code, 'The provider refused the request.', { retryAfterMs });
}

/** Lets clients call as the scenario says, until arrivals end. */
async function arrivals(
  { clients, durationMs, ...scenario }: Scenario,
  call: (client: number) => Promise<void>,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  const faults = new Faults({ clients, durationMs, ...scenario });
  const until = (at: number) => sleep(Math.min(at, durationMs) - now(), signal);
  const { arrivals, count } = clients;
  const all = Array.from({ length: count }, (_, client) => client);
  if (arrivals.kind === 'once') {
    for (const client of all) void call(client);
    await until(durationMs);
    return;
  }
  if (arrivals.kind === 'closed') {
    const think = () => drawn(arrivals.think) / faults.factor('load', now());
    const live = async (client: number) => {
      await until(now() + think());
      while (now() < durationMs && !signal.aborted) {
        await call(client);
        await until(now() + think());
      }
    };
    await Promise.race([Promise.all(all.map(live)), until(durationMs)]);
    return;
  }
  let at = 0;
  let yieldedAt = now();
  for (let number = 0; !signal.aborted; number += 1) {
    const mean = 1000 / (arrivals.perSecond * faults.factor('load', at));
    at += arrivals.process === 'constant' ? mean : drawn({ kind: 'exponential', mean });
    if (at >= durationMs) break;
    // Late arrivals must not block the process, which may be a server that others use.
    if (at > now() || now() - yieldedAt > YIELD_MS) {
      await until(at);
      yieldedAt = now();
    }
    if (signal.aborted) break;
    void call(number % count);
  }
  await until(durationMs);
}

/** After so long without a wait others are let in, in milliseconds. */
const YIELD_MS = 5;

/** Waits, unless the run is over. Without a time to wait for, it still yields to other tasks. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      setImmediate(resolve);
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
