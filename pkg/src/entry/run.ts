// Where the run's module comes from when nothing else is said, as the others in default.ts. A file of its own: bundles that do
// not import `halfopen/run` leave it out.
import runText from '../../wasm/run/inline.js';
import { inlined } from './inlined.js';

export const run = /* @__PURE__ */ inlined(runText);
