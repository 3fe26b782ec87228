// The functions of the wasm module `agent` (core/wasm/src/{response,recovery}.rs): responses and recovery. They wrap
// the generated functions under the same names, and no other file calls the glue.

import glue from '../../wasm/agent/glue.js';
import { agent as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('agent', glue, instantiate);

export const recoveryContext = /* @__PURE__ */ core.retried('recoveryContext');
export const recoveryExplanationTokens = /* @__PURE__ */ core.retried('recoveryExplanationTokens');
export const recoveryPrompt = /* @__PURE__ */ core.retried('recoveryPrompt');
export const recoveryReport = /* @__PURE__ */ core.retried('recoveryReport');
export const recoveryRoute = /* @__PURE__ */ core.retried('recoveryRoute');

export const responseCalls = /* @__PURE__ */ core.guarded('responseCalls');
export const responseChunk = /* @__PURE__ */ core.guarded('responseChunk');
export const responseConclusion = /* @__PURE__ */ core.guarded('responseConclusion');
export const responseEnd = /* @__PURE__ */ core.guarded('responseEnd');
export const responseFormat = /* @__PURE__ */ core.guarded('responseFormat');
export const responseFree = /* @__PURE__ */ core.guarded('responseFree');
export const responseNew = /* @__PURE__ */ core.guarded('responseNew');
export const responsePreview = /* @__PURE__ */ core.guarded('responsePreview');
export const responsePreviewIsFull = /* @__PURE__ */ core.guarded('responsePreviewIsFull');
export const responseProvider = /* @__PURE__ */ core.guarded('responseProvider');
export const responseReset = /* @__PURE__ */ core.guarded('responseReset');
export const responseUnknownFields = /* @__PURE__ */ core.guarded('responseUnknownFields');
export const responseValidate = /* @__PURE__ */ core.guarded('responseValidate');
export const responseWhole = /* @__PURE__ */ core.guarded('responseWhole');
