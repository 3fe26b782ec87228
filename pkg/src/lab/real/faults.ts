/** The faults of a scenario, asked at a moment of a run for real. */

import type { Fault, Scenario } from '../scenario.js';

type Factor = Extract<Fault, { factor: number }>;

/** The conditions at a moment. Times are in milliseconds since the run began. */
export class Faults {
  private readonly faults: readonly Fault[];

  constructor({ faults = [] }: Scenario) {
    this.faults = faults;
  }

  /** The faults of a kind that are on. */
  at<K extends Fault['kind']>(kind: K, now: number): Extract<Fault, { kind: K }>[] {
    return this.faults.filter(
      (fault): fault is Extract<Fault, { kind: K }> =>
        fault.kind === kind && now >= fault.atMs && now < fault.atMs + fault.forMs,
    );
  }

  /** The product of all factors of a kind; one grows from 1 over its `rampMs`. */
  factor(kind: Factor['kind'], now: number): number {
    return (this.at(kind, now) as Factor[]).reduce((product, { factor, atMs, rampMs = 0 }) => {
      const grown = rampMs > 0 ? Math.min(1, (now - atMs) / rampMs) : 1;
      return product * (1 + (factor - 1) * grown);
    }, 1);
  }

  /** Returns when work is done that begins now and takes that long. A pause stops it. */
  done(now: number, takes: number): number {
    const pauses = this.faults.filter(({ kind }) => kind === 'pause').sort((a, b) => a.atMs - b.atMs);
    return pauses.reduce(
      (end, { atMs, forMs }) =>
        atMs < end && atMs + forMs > now ? end + atMs + forMs - Math.max(atMs, now) : end,
      now + takes,
    );
  }
}
