/** The state of a call between its begin and the settling of its promise. */

import type { InContext } from '../async-context.js';
import type { Timer } from '../clock.js';
import type { Attempt } from './attempt.js';

/**
 * A call is deciding, queued, running or waiting, as often as it takes; then it has failed, or a fallback runs; then it is
 * settled. A success goes from running to settled.
 */
export type CallState =
  /** The engine, or a function of the application's (`classify`, `onRetry`), decides what comes next. */
  | { readonly kind: 'deciding' }
  /** In the policy's queue, under the engine's number of the call. The context is that in which it goes on. */
  | { readonly kind: 'queued'; readonly handle: number; readonly context: InContext }
  /**
   * Only the results of these attempts count: that of any other comes too late. There are several where the call is hedged;
   * the timer is for the next of them.
   */
  | { readonly kind: 'running'; readonly attempts: Attempt[]; timer: Timer | undefined }
  /** For the next attempt. The timer is absent where the delay is zero. */
  | { readonly kind: 'waiting'; timer: Timer | undefined }
  /** For good: `onError` is called. */
  | { readonly kind: 'failed' }
  /** The context carries the fallback's signal. */
  | { readonly kind: 'falling-back'; readonly context: Attempt }
  | { readonly kind: 'settled' };

export type Running = Extract<CallState, { kind: 'running' }>;

export const DECIDING: CallState = { kind: 'deciding' };
export const FAILED: CallState = { kind: 'failed' };
export const SETTLED: CallState = { kind: 'settled' };
