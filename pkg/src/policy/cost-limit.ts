/** A cap on what calls cost: `costLimit`. */

import { misuseReport } from '../call/failures.js';
import { cheapError } from '../error/agent-error.js';
import { isCount, type Usage } from '../event/usage.js';
import { UsageOnce } from '../event/usage-once.js';
import * as is from '../options.js';
import { Policy } from './policy.js';

/** How much the calls of the policies may cost together. */
export interface CostLimitOptions {
  /** The most that answers may cost within any `windowMs`, in the unit of `costOf`. */
  max: number;
  /** The length of the time range, in milliseconds. */
  windowMs: number;
  /**
   * Returns the cost of an answer, 0 or more: in a currency, in tokens. `usage` also has the model and the provider,
   * because prices differ.
   */
  costOf: (usage: Usage) => number;
}

/** A cap that is in force. */
export interface CostLimit {
  /** The cost of the answers of the last `windowMs`. */
  readonly spent: number;
  /** Lifts the cap. */
  stop(): void;
}

const shape: is.Shape = {
  max: is.kind('a finite number above 0', (value) => isCount(value) && value > 0),
  windowMs: is.finiteSpan,
  costOf: is.syncCallback,
};

/**
 * Refuses calls with CAPACITY_EXCEEDED once the answers of the last `windowMs` have cost `max`, until enough of them
 * are older. Several policies can share one budget; an answer that passes several of them, one around the other, costs once. A fallback still returns its value. The cost of an answer is known
 * only afterwards, so calls that run together may exceed `max` by their cost.
 *
 * The usage is read from the answers of the common SDKs, or passed to `context.observe({ usage })`. An answer that
 * `validate` refuses, and a stream that breaks, is closed or aborted, cost the tokens they used. A body of
 * `policy.fetch` costs the usage that it states when it has been read: events, lines of JSON, and JSON of at most a
 * mebibyte. An answer without usage costs nothing.
 *
 * @param policies - One policy or several; the clock is that of the first.
 * @returns what is spent, and how to lift the cap.
 * @throws TypeError for a wrong option, or where one of them is not given.
 *
 * @example
 * ```ts
 * const perMillion = { input: 2.5, cached: 1.25, output: 10 }; // US dollars
 * const cap = costLimit([policy, other], {
 *   max: 5,
 *   windowMs: 3_600_000,
 *   costOf: ({ inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 }) =>
 *     ((inputTokens - cachedInputTokens) * perMillion.input +
 *       cachedInputTokens * perMillion.cached +
 *       outputTokens * perMillion.output) /
 *     1e6,
 * });
 * ```
 */
export function costLimit(
  policies: Policy<unknown> | readonly Policy<unknown>[],
  options: CostLimitOptions,
): CostLimit {
  const all = Array.isArray(policies) ? [...(policies as readonly Policy<unknown>[])] : [policies];
  const wrong = all.find((policy) => !(policy instanceof Policy));
  if (wrong !== undefined || all.length === 0) {
    throw is.misuse('policies', 'a Policy, or an array of one or more', wrong ?? policies);
  }
  const given = is.readOptions<CostLimitOptions>(shape, options, 'costLimit');
  for (const [name, kind] of Object.entries(shape)) {
    if (!(name in given)) throw is.misuse(name, kind.expected, undefined);
  }
  const hosts = new Set((all as Policy<unknown>[]).map(({ host }) => host));
  const { time } = (all[0] as Policy<unknown>).host;
  const spending = new Spending(given);
  const usages = new UsageOnce();
  const stops = [...hosts].map((host) => {
    const stopListening = host.onEvent((event) => {
      // Failed attempts have it too: a refused answer costs the same as any other, and so does the result of a broken
      // or closed stream.
      const usage = usages.uncounted(event);
      if (usage === undefined) return;
      const report = misuseReport(host.settings);
      try {
        const cost: unknown = given.costOf(usage);
        if (isCount(cost)) spending.add(cost, time.now());
        else report('costOf must return a number, 0 or more; the answer counts as free', cost);
      } catch (thrown) {
        report('costOf threw; the answer counts as free', thrown);
      }
    });
    const gate = () => {
      const waitMs = spending.waitMs(time.now());
      if (waitMs === 0) return undefined;
      const text = `Cost limit is reached: policy '${host.name}'; try again in ${waitMs} ms`;
      return cheapError('CAPACITY_EXCEEDED', text, { retryAfterMs: waitMs, metadata: { by: 'cost' } });
    };
    host.gates.add(gate);
    return () => {
      stopListening();
      host.gates.delete(gate);
    };
  });
  return {
    get spent() {
      return spending.sum(time.now());
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** The number of parts of the time range in which costs are added up, so that a busy policy's list stays short. */
const PARTS = 100;

/** The spending within a sliding time range. */
class Spending {
  /** Oldest first. `at` is the last time of a part, so a part is dropped late rather than early. */
  private parts: { readonly since: number; at: number; cost: number }[] = [];
  private readonly max: number;
  private readonly windowMs: number;

  constructor({ max, windowMs }: CostLimitOptions) {
    this.max = max;
    this.windowMs = windowMs;
  }

  add(cost: number, at: number): void {
    this.forget(at);
    const last = this.parts.at(-1);
    if (last === undefined || at - last.since >= this.windowMs / PARTS) {
      this.parts.push({ since: at, at, cost });
    } else {
      last.at = at;
      last.cost += cost;
    }
  }

  sum(now: number): number {
    this.forget(now);
    return this.parts.reduce((sum, { cost }) => sum + cost, 0);
  }

  /** Returns how long until less than `max` is spent, in milliseconds. */
  waitMs(now: number): number {
    let rest = this.sum(now);
    let waitMs = 0;
    for (const { at, cost } of this.parts) {
      if (rest < this.max) break;
      rest -= cost;
      waitMs = Math.ceil(at + this.windowMs - now);
    }
    return waitMs;
  }

  private forget(now: number): void {
    const isOld = ({ at }: { at: number }): boolean => now - at >= this.windowMs;
    while (this.parts[0] !== undefined && isOld(this.parts[0])) this.parts.shift();
  }
}
