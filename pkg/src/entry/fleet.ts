// Where the fleet's module comes from when nothing else is said, as the others in default.ts. A file of its own: nobody who does
// not import the fleet carries it.
import fleetText from '../../wasm/fleet/inline.js';
import { inlined } from './inlined.js';

export const fleet = /* @__PURE__ */ inlined(fleetText);
