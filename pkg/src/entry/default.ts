// Where the modules come from when nothing else is said: they are in the package's own code, as texts
// (scripts/module-text.mjs).
import agentText from '../../wasm/agent/inline.js';
import errorsText from '../../wasm/errors/inline.js';
import policyText from '../../wasm/policy/inline.js';
import { inlined } from './inlined.js';

export const policy = /* @__PURE__ */ inlined(policyText);
export const errors = /* @__PURE__ */ inlined(errorsText);
export const agent = /* @__PURE__ */ inlined(agentText);
