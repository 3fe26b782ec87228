/** Deltas and views as TypeScript writes and reads them: numbers with their names. */

import { fleetDelta, fleetNames, fleetView } from '../core/fleet.js';
import { numbersOf } from '../core/option-numbers.js';
import { type BreakerState, FLEET_DELTA, FLEET_LIMIT, FLEET_VIEW, STATES } from '../core/wire.js';
import { misfit } from './misfit.js';

/** The reasons for sending a delta. */
export const REPORT = 0;
export const LEAVE = 1;
export const ISOLATE = 2;
export const LIFT = 3;

export type DeltaValues = { [name in (typeof FLEET_DELTA)[number]]?: number | undefined };
export type LimitValues = { [name in (typeof FLEET_LIMIT)[number]]: number };

/** Returns a delta as bytes. */
export function deltaOf(
  values: DeltaValues,
  limits: readonly LimitValues[] = [],
  names: readonly string[] = [],
): Uint8Array {
  const numbers = [numbersOf(FLEET_DELTA, values), ...limits.map((limit) => numbersOf(FLEET_LIMIT, limit))];
  return fleetDelta(Float64Array.of(...numbers.flatMap((some) => [...some])), names.join('\0'));
}

/** One limit in a view. */
interface LimitView {
  granted: number;
  limit: number;
  windowMs: number;
  ofTokens: boolean;
  used: number;
  resetMs: number;
}

/** The view that a process reads: `View` of core/fleet/src/view.rs. */
export interface View extends Record<Exclude<(typeof FLEET_VIEW)[number], 'state'>, number> {
  state: BreakerState;
  limits: readonly LimitView[];
}

/** The number of numbers that each limit of a view has. */
const LIMIT_NUMBERS = 6;

/** @throws TypeError for bytes that are not a state. */
export function viewOf(state: Uint8Array, node: number, now: number): View {
  const numbers = fleetView(state, node, now);
  if (numbers.length === 0) throw misfit();
  const view = {} as Record<string, unknown>;
  for (const [place, name] of FLEET_VIEW.entries()) view[name] = numbers[place];
  view.state = STATES[view.state as number];
  const limits: LimitView[] = [];
  for (let at = FLEET_VIEW.length; at < numbers.length; at += LIMIT_NUMBERS) {
    const [granted = 0, limit = 0, windowMs = 0, ofTokens = 0, used = 0, resetMs = 0] = numbers.slice(at);
    limits.push({ granted, limit, windowMs, ofTokens: ofTokens === 1, used, resetMs });
  }
  view.limits = limits;
  return view as unknown as View;
}

/** Returns the names that a state lists. */
export function namesIn(state: Uint8Array): readonly string[] {
  const names = fleetNames(state);
  return names === '' ? [] : names.split('\0');
}

/** Returns 52 random bits, so that no other process has the same number. */
export function randomNode(): number {
  return Math.floor(Math.random() * 2 ** 26) * 2 ** 26 + Math.floor(Math.random() * 2 ** 26) + 1;
}
