// The functions of the wasm module `errors` (core/wasm/src/{classify,message}.rs): classification, messages, redaction.
// They wrap the generated functions under the same names, and no other file calls the glue.

import glue from '../../wasm/errors/glue.js';
import { errors as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('errors', glue, instantiate);

export const emptyResponseMessage = /* @__PURE__ */ core.retried('emptyResponseMessage');
export const invalidResponseMessage = /* @__PURE__ */ core.retried('invalidResponseMessage');
export const namesSecret = /* @__PURE__ */ core.retried('namesSecret');
export const redactText = /* @__PURE__ */ core.retried('redactText');
export const technicalDetails = /* @__PURE__ */ core.retried('technicalDetails');
export const userMessage = /* @__PURE__ */ core.retried('userMessage');

export const classifyCopy = /* @__PURE__ */ core.guarded('classifyCopy');
export const explainCopy = /* @__PURE__ */ core.guarded('explainCopy');
export const hintInCopy = /* @__PURE__ */ core.guarded('hintInCopy');
export const limitsInCopy = /* @__PURE__ */ core.guarded('limitsInCopy');
export const spokenInCopy = /* @__PURE__ */ core.guarded('spokenInCopy');
export const thrownBuffer = /* @__PURE__ */ core.guarded('thrownBuffer');
