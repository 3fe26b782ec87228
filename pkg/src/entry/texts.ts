// The modules that every call and every response needs, as texts (scripts/module-text.mjs) in the package's own code.
import agentText from '../../wasm/agent/inline.js';
import policyText from '../../wasm/policy/inline.js';
import { inlined } from './inlined.js';

export const policy = /* @__PURE__ */ inlined(policyText);
export const agent = /* @__PURE__ */ inlined(agentText);
