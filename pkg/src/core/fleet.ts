// The functions of the wasm module `fleet` (core/wasm/src/fleet.rs): states and deltas of shared resources. Only the
// fleet's entry points import it, so an application without `halfopen/fleet` does not carry the module.

import glue from '../../wasm/fleet/glue.js';
import { fleet as instantiate } from '../entry/fleet.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
const core = /* @__PURE__ */ new CoreModule('fleet', glue, instantiate);

export const fleetDelta = /* @__PURE__ */ core.retried('fleetDelta');
export const fleetMerge = /* @__PURE__ */ core.retried('fleetMerge');
/** Why the last bytes were no state or delta; a fresh instance does not know. */
export const fleetMisfit = /* @__PURE__ */ core.retried('fleetMisfit');
export const fleetNames = /* @__PURE__ */ core.retried('fleetNames');
export const fleetView = /* @__PURE__ */ core.retried('fleetView');
