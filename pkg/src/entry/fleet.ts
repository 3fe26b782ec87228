// Where the fleet's module comes from when nothing else is said, as the others in default.ts. A file of its own: bundles that do
// not import the fleet leave it out.
import fleetText from '../../wasm/fleet/inline.js';
import { inlined } from './inlined.js';

export const fleet = /* @__PURE__ */ inlined(fleetText);
