import { fleetMisfit } from '../core/fleet.js';

/** Bytes that are neither a state nor a delta. */
export const misfit = (): TypeError =>
  new TypeError(`halfopen: ${fleetMisfit() || 'these bytes are no state of a fleet'}`);
