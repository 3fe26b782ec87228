// The functions of the wasm module `errors` (core/src/js/{classify,message}.rs): classification, messages, redaction.
// They have the names of the generated ones, and stand in for them: no other file imports the glue.

import * as glue from '../../wasm/errors/errors_bg.js';
import { errors as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('errors', glue, instantiate);

export const emptyResponseMessage = /* @__PURE__ */ core.retried(
  'emptyResponseMessage',
  glue.emptyResponseMessage,
);
export const firstHeaderKey = /* @__PURE__ */ core.retried('firstHeaderKey', glue.firstHeaderKey);
export const invalidResponseMessage = /* @__PURE__ */ core.retried(
  'invalidResponseMessage',
  glue.invalidResponseMessage,
);
export const locales = /* @__PURE__ */ core.retried('locales', glue.locales);
export const namesSecret = /* @__PURE__ */ core.retried('namesSecret', glue.namesSecret);
export const redactText = /* @__PURE__ */ core.retried('redactText', glue.redactText);
export const ruleIds = /* @__PURE__ */ core.retried('ruleIds', glue.ruleIds);
export const technicalDetails = /* @__PURE__ */ core.retried('technicalDetails', glue.technicalDetails);
export const thrownKeys = /* @__PURE__ */ core.retried('thrownKeys', glue.thrownKeys);
export const userMessage = /* @__PURE__ */ core.retried('userMessage', glue.userMessage);

export const classifyLane = /* @__PURE__ */ core.guarded('classifyLane', glue.classifyLane);
export const coreMemory = /* @__PURE__ */ core.guarded('coreMemory', glue.coreMemory);
export const explainLane = /* @__PURE__ */ core.guarded('explainLane', glue.explainLane);
export const hintInLane = /* @__PURE__ */ core.guarded('hintInLane', glue.hintInLane);
export const limitsInLane = /* @__PURE__ */ core.guarded('limitsInLane', glue.limitsInLane);
export const saidInLane = /* @__PURE__ */ core.guarded('saidInLane', glue.saidInLane);
export const thrownLane = /* @__PURE__ */ core.guarded('thrownLane', glue.thrownLane);
