/** Runs that let others run too: a few milliseconds of work, then the next task of the host. */

import { restart, type Trap, unlessTrapped } from '../core/instance.js';
import {
  labAdvance,
  labFree,
  labMisfit,
  labNew,
  labResult,
  labShare,
  lastTrap,
  presentInstance,
} from '../core/lab.js';
import { misuse } from '../options.js';
import type { PolicyResult } from './result.js';
import type { Scenario } from './scenario.js';

/** How a simulation is run. */
export interface RunOptions {
  /** Ends the run; the promise is rejected with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
  /** Called between steps with the progress, from 0 to 1. Default: none. */
  onProgress?: ((share: number) => void) | undefined;
  /** How many seeds, from the scenario's on. Default: 1. */
  seeds?: number | undefined;
}

/** How long one step of work may take, and how many events are processed between two readings of the clock. */
export const STEP_MS = 8;
const EVENTS = 2000;

/** One run: a policy of a scenario. `seed` undefined is the scenario's own. */
export interface Job {
  readonly scenario: Scenario;
  readonly policy: string;
  readonly seed?: number | undefined;
}

/**
 * Serialises a scenario for the core. Values that JSON would hide are passed by name: NaN, infinities and functions.
 */
export function asJson(scenario: Scenario): string {
  if (typeof scenario !== 'object' || scenario === null) throw misuse('scenario', 'an object', scenario);
  return plain(scenario);
}

/** Returns any value as JSON, with a name for each value that JSON would hide. */
function plain(given: object): string {
  return JSON.stringify(given, (_, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    return typeof value === 'function' ? 'a function' : value;
  });
}

/** Returns the names of a scenario's policies. Without any, the core gets an empty list, and reports the error. */
export function policiesOf(scenario: Scenario): string[] {
  const names = Object.keys((scenario as Partial<Scenario> | null | undefined)?.policies ?? {});
  return names.length > 0 ? names : [''];
}

/** Runs jobs one after the other, and yields to the host between steps. `use` gets each result as it comes. */
export async function runJobs(
  jobs: readonly Job[],
  { signal, onProgress }: RunOptions,
  use: (result: PolicyResult, job: Job, index: number) => void,
): Promise<void> {
  for (const [index, job] of jobs.entries()) {
    use(
      await runJob(job, async (share) => {
        onProgress?.((index + share) / jobs.length);
        await nextTask();
        if (signal?.aborted) throw signal.reason;
      }),
      job,
      index,
    );
  }
  onProgress?.(1);
}

async function runJob(
  { scenario, policy, seed = Number.NaN }: Job,
  pause: (share: number) => Promise<void>,
): Promise<PolicyResult> {
  const run = begun(scenario, policy, seed);
  let isOver = false;
  try {
    do {
      await pause(run.call(labShare));
      const until = performance.now() + STEP_MS;
      isOver = run.call((handle) => {
        let over = labAdvance(handle, EVENTS);
        while (!over && performance.now() < until) over = labAdvance(handle, EVENTS);
        return over;
      });
    } while (!isOver);
    return JSON.parse(run.call(labResult)) as PolicyResult;
  } finally {
    if (!isOver) run.free();
  }
}

/** Checks that a scenario fits its schema, without running it. */
export function check(scenario: Scenario): void {
  const [name = ''] = Object.keys(scenario.policies);
  begun(scenario, name, Number.NaN).free();
}

function begun(scenario: Scenario, policy: string, seed: number): Held {
  const run = hold(() => labNew(asJson(scenario), policy, seed), labFree);
  if (run === undefined) throw new TypeError(`halfopen: ${untrapped(labMisfit)}`);
  return run;
}

/** A run or a replay that one instance of the module holds. */
export interface Held {
  /** Calls a function of the module with the handle. */
  call<T>(work: (handle: number) => T): T;
  /** Gives its memory back. */
  free(): void;
}

/**
 * Keeps the run that `make` begins; `undefined` if the module refuses it. If the module traps for lack of memory,
 * everything in its instance ends, because the next instance uses the same handles for other runs.
 */
export function hold(make: () => number, free: (handle: number) => void): Held | undefined {
  const handle = untrapped(make);
  if (handle === 0) return undefined;
  const instance = presentInstance();
  return {
    call(work) {
      if (instance !== presentInstance()) throw outOfMemory(lastTrap());
      return untrapped(() => work(handle));
    },
    free() {
      if (instance === presentInstance()) unlessTrapped(() => free(handle));
    },
  };
}

/** The module traps when no memory is left. */
export function untrapped<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw outOfMemory(restart(error));
  }
}

function outOfMemory(cause: Trap | undefined): RangeError {
  return new RangeError(
    'halfopen: the lab has run out of memory: use fewer clients, a smaller queue or a shorter log',
    { cause },
  );
}

/** Node's global, without its types. */
const host = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Runs after the host's other tasks. Timers of 0 ms would take 4 each in browsers. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (host.setImmediate !== undefined) {
      host.setImmediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
