// The functions of the wasm module `run` (core/wasm/src/run.rs). Only `halfopen/run` imports it, so no other
// application carries it.

import glue from '../../wasm/run/glue.js';
import { run as instantiate } from '../entry/run.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('run', glue, instantiate);

export const runAdvice = /* @__PURE__ */ core.guarded('runAdvice');
export const runConcluded = /* @__PURE__ */ core.guarded('runConcluded');
export const runFree = /* @__PURE__ */ core.guarded('runFree');
export const runHardLimit = /* @__PURE__ */ core.guarded('runHardLimit');
export const runNew = /* @__PURE__ */ core.guarded('runNew');
export const runRepeated = /* @__PURE__ */ core.guarded('runRepeated');
export const runRestore = /* @__PURE__ */ core.guarded('runRestore');
export const runSpend = /* @__PURE__ */ core.guarded('runSpend');
export const runSpent = /* @__PURE__ */ core.guarded('runSpent');
export const runState = /* @__PURE__ */ core.guarded('runState');
export const runStep = /* @__PURE__ */ core.guarded('runStep');
export const runText = /* @__PURE__ */ core.guarded('runText');
export const runToolCall = /* @__PURE__ */ core.guarded('runToolCall');
export const runToolResult = /* @__PURE__ */ core.guarded('runToolResult');
export const runWarnings = /* @__PURE__ */ core.guarded('runWarnings');
