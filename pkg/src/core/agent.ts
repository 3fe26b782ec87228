// The functions of the wasm module `agent` (core/src/js/{response,recovery}.rs): responses and recovery.
// They have the names of the generated ones, and stand in for them: no other file imports the glue.

import * as glue from '../../wasm/agent/agent_bg.js';
import { agent as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('agent', glue, instantiate);

export const recoveryContext = /* @__PURE__ */ core.retried('recoveryContext', glue.recoveryContext);
export const recoveryDefaults = /* @__PURE__ */ core.retried('recoveryDefaults', glue.recoveryDefaults);
export const recoveryExplanationTokens = /* @__PURE__ */ core.retried(
  'recoveryExplanationTokens',
  glue.recoveryExplanationTokens,
);
export const recoveryLabels = /* @__PURE__ */ core.retried('recoveryLabels', glue.recoveryLabels);
export const recoveryPrompt = /* @__PURE__ */ core.retried('recoveryPrompt', glue.recoveryPrompt);
export const recoveryReport = /* @__PURE__ */ core.retried('recoveryReport', glue.recoveryReport);
export const recoveryRoute = /* @__PURE__ */ core.retried('recoveryRoute', glue.recoveryRoute);
export const responseFault = /* @__PURE__ */ core.retried('responseFault', glue.responseFault);
export const responseFormats = /* @__PURE__ */ core.retried('responseFormats', glue.responseFormats);
export const statusEnded = /* @__PURE__ */ core.retried('statusEnded', glue.statusEnded);
export const statusSending = /* @__PURE__ */ core.retried('statusSending', glue.statusSending);
export const statusTool = /* @__PURE__ */ core.retried('statusTool', glue.statusTool);

export const responseCalls = /* @__PURE__ */ core.guarded('responseCalls', glue.responseCalls);
export const responseChunk = /* @__PURE__ */ core.guarded('responseChunk', glue.responseChunk);
export const responseConclusion = /* @__PURE__ */ core.guarded('responseConclusion', glue.responseConclusion);
export const responseEnd = /* @__PURE__ */ core.guarded('responseEnd', glue.responseEnd);
export const responseFormat = /* @__PURE__ */ core.guarded('responseFormat', glue.responseFormat);
export const responseFree = /* @__PURE__ */ core.guarded('responseFree', glue.responseFree);
export const responseNew = /* @__PURE__ */ core.guarded('responseNew', glue.responseNew);
export const responsePreview = /* @__PURE__ */ core.guarded('responsePreview', glue.responsePreview);
export const responsePreviewIsFull = /* @__PURE__ */ core.guarded(
  'responsePreviewIsFull',
  glue.responsePreviewIsFull,
);
export const responseReset = /* @__PURE__ */ core.guarded('responseReset', glue.responseReset);
export const responseUnknownFields = /* @__PURE__ */ core.guarded(
  'responseUnknownFields',
  glue.responseUnknownFields,
);
export const responseValidate = /* @__PURE__ */ core.guarded('responseValidate', glue.responseValidate);
export const responseWhole = /* @__PURE__ */ core.guarded('responseWhole', glue.responseWhole);
