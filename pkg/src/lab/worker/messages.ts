/** The messages between the dashboard's Lab view and its worker. The page's side is `web/src/view/lab/worker.rs`. */

import type { Charted } from '../charted.js';
import type { Totals } from '../result.js';
import type { Sensitivity } from '../sensitivity.js';
import type { Report } from './report.js';

/** To the worker. The bytes of the module come first; a scenario is JSON, as the user wrote it. */
export type ToWorker =
  | { module: ArrayBuffer }
  | { id: number; check: string }
  | { id: number; compare: string }
  /** A log as a file, the policy to replace ('' replaces all), and the scenario whose policies replace it. */
  | { id: number; replay: string; log: Blob; policy: string }
  /** A scenario, the policy to vary, and a line for each option, such as `retry.maxRetries=0,1,2`. */
  | { id: number; explore: string; policy: string; vary: string }
  | { cancel: number };

/** From the worker, as JSON. Every message names its request; `done` or `error` is the last one. */
export type FromWorker = { id: number } & (
  | { stage: 'runs' | 'pauses' | 'seeds' | 'inputs' | 'replays' | 'grid'; share: number }
  | { policy: string; totals: Totals; charted: Charted; intervalMs: number; breakers: number; hash: string }
  /** The longest pause that a policy survives; null: all tried ones. */
  | { policy: string; survivesMs: number | null }
  | { policy: string; bands: Record<string, { mean: number; low: number; high: number }> }
  /**
   * How much the difference in success rate between the first two policies changes when an input changes by a tenth;
   * the largest effect comes first.
   */
  | { between: readonly [string, string]; inputs: readonly Sensitivity[] }
  | Report
  | { done: true }
  | { error: string }
);
