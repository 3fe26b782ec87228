// The history of a run, as lines of JSON: written by the workers, the provider and the harness, read by the checker.
// All times are the store's, in milliseconds: the machine's clock, which no worker's policy sees if clocks are skewed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The harness's faults, and their targets. */
export type Fault =
  | 'pause'
  | 'resume'
  | 'kill'
  | 'partition'
  | 'heal'
  | 'store-down'
  | 'store-up'
  /** The store has lost what it kept: flushed, or a replica took over that had not got everything. */
  | 'data-lost'
  /** The provider fails from now on, and does not any more. */
  | 'outage'
  | 'outage-over'
  | 'steady-from'
  | 'steady-to'
  | 'end';

export type Entry = { at: number } & (
  | { kind: 'started'; process: string }
  /** A process's own report on whether it reaches the store, and why not. */
  | { kind: 'status'; process: string; status: 'joined' | 'degraded'; reason?: string | undefined }
  /** A probe lease as the process holds it. A renewal repeats it with a later `until`. */
  | { kind: 'probe'; process: string; resource: string; lease: number; epoch: number; until: number }
  /** An attempt runs as a probe, under that lease. */
  | { kind: 'probing'; process: string; resource: string; lease?: number | undefined }
  /** The result of a probe is known to its process. */
  | { kind: 'probe-ended'; process: string; resource: string; lease: number }
  /** A process's part of a limit from now on. It replaces the earlier grant. */
  | {
      kind: 'part';
      process: string;
      resource: string;
      version: number;
      limit: number;
      amount: number;
      epoch: number;
      until: number;
    }
  /** A request reached the provider. */
  | { kind: 'call'; process: string; resource: string; failed: boolean; tokens: number; retry: boolean }
  /** A request failed on its way, or was given up: the provider may not know of it. */
  | { kind: 'unanswered'; process: string; resource: string }
  /** A call ended without its operation: refused by the breaker, a limit or the fleet. */
  | { kind: 'refused'; process: string; code: string }
  /** A process lets an operation run, which was decided at most `decidedMs` before. */
  | { kind: 'admitted'; process: string; resource: string; decidedMs: number }
  /** A process's view of a shared breaker: since `since`, in the store's time. */
  | {
      kind: 'state';
      process: string;
      resource: string;
      state: string;
      generation: number;
      epoch: number;
      version: number;
      since: number;
    }
  /** From the begin of a call until its operation ran, or it was refused, in milliseconds. */
  | { kind: 'waited'; process: string; ms: number }
  /** How many commands of the fleet the store has carried out since it began. */
  | { kind: 'load'; commands: number }
  | { kind: 'fault'; fault: Fault; process?: string }
);

export type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

/** The entries of one kind, in the order of their times. */
export function of<K extends Entry['kind']>(history: readonly Entry[], kind: K): Of<K>[] {
  return (history.filter((entry) => entry.kind === kind) as Of<K>[]).sort((a, b) => a.at - b.at);
}

/** Reads every history of a folder. A process that was killed may have torn its last line. */
export function readHistories(folder: string): Entry[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    })
    .sort((a, b) => a.at - b.at);
}
