import { fleetMisfit } from '../core/fleet.js';

/** Bytes that are no state or no delta. */
export const misfit = (): TypeError =>
  new TypeError(`halfopen: ${fleetMisfit() || 'these bytes are no state of a fleet'}`);
