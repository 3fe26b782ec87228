// The functions of the wasm module `errors` (core/src/js/{classify,message}.rs): classification, messages, redaction.
// They have the names of the generated ones, and stand in for them: no other file calls the glue.

import glue from '../../wasm/errors/glue.js';
import { errors as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('errors', glue, instantiate);

export const emptyResponseMessage = /* @__PURE__ */ core.retried('emptyResponseMessage');
export const firstHeaderKey = /* @__PURE__ */ core.retried('firstHeaderKey');
export const invalidResponseMessage = /* @__PURE__ */ core.retried('invalidResponseMessage');
export const locales = /* @__PURE__ */ core.retried('locales');
export const namesSecret = /* @__PURE__ */ core.retried('namesSecret');
export const redactText = /* @__PURE__ */ core.retried('redactText');
export const ruleIds = /* @__PURE__ */ core.retried('ruleIds');
export const technicalDetails = /* @__PURE__ */ core.retried('technicalDetails');
export const thrownKeys = /* @__PURE__ */ core.retried('thrownKeys');
export const userMessage = /* @__PURE__ */ core.retried('userMessage');

export const classifyLane = /* @__PURE__ */ core.guarded('classifyLane');
export const coreMemory = /* @__PURE__ */ core.guarded('coreMemory');
export const explainLane = /* @__PURE__ */ core.guarded('explainLane');
export const hintInLane = /* @__PURE__ */ core.guarded('hintInLane');
export const limitsInLane = /* @__PURE__ */ core.guarded('limitsInLane');
export const saidInLane = /* @__PURE__ */ core.guarded('saidInLane');
export const thrownLane = /* @__PURE__ */ core.guarded('thrownLane');
