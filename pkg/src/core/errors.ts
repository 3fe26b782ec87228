// The functions of the wasm module `errors` (core/wasm/src/{classify,message}.rs): classification, messages, redaction.
// They wrap the generated functions under the same names, and no other file calls the glue.

import glue from '../../wasm/errors/glue.js';
import { CoreModule } from './instance.js';
import { instantiateWords, wordsAreHere } from './words.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('errors', glue, instantiateWords);

/** The message for users until the words are here. It is made each time that it is read. */
const SENTENCE = 'Something went wrong. Please try again in a moment.';
/** A text that no pattern of a secret fits. */
const PLAIN = /^[a-z]{0,12}(?:[-_.][a-z]{1,12}){0,3}$/i;

const inCore = {
  emptyResponseMessage: core.retried('emptyResponseMessage'),
  invalidResponseMessage: core.retried('invalidResponseMessage'),
  namesSecret: core.retried('namesSecret'),
  redactText: core.retried('redactText'),
  technicalDetails: core.retried('technicalDetails'),
  userMessage: core.retried('userMessage'),
};

/** As the core's function, or `instead` while the words are not here. */
function orElse<F extends keyof typeof inCore>(name: F, instead: (typeof inCore)[F]): (typeof inCore)[F] {
  const late = (...args: unknown[]): unknown =>
    ((wordsAreHere() ? inCore[name] : instead) as (...args: unknown[]) => unknown)(...args);
  return late as (typeof inCore)[F];
}

export const emptyResponseMessage = /* @__PURE__ */ orElse('emptyResponseMessage', () => SENTENCE);
export const invalidResponseMessage = /* @__PURE__ */ orElse('invalidResponseMessage', () => SENTENCE);
export const namesSecret = /* @__PURE__ */ orElse('namesSecret', () => true);
export const redactText = /* @__PURE__ */ orElse('redactText', (text) =>
  PLAIN.test(text) ? text : '[redacted]',
);
export const technicalDetails = /* @__PURE__ */ orElse('technicalDetails', () => '');
export const userMessage = /* @__PURE__ */ orElse('userMessage', () => SENTENCE);

export const classifyCopy = /* @__PURE__ */ core.guarded('classifyCopy');
export const explainCopy = /* @__PURE__ */ core.guarded('explainCopy');
export const hintInCopy = /* @__PURE__ */ core.guarded('hintInCopy');
export const limitsInCopy = /* @__PURE__ */ core.guarded('limitsInCopy');
export const spokenInCopy = /* @__PURE__ */ core.guarded('spokenInCopy');
export const thrownBuffer = /* @__PURE__ */ core.guarded('thrownBuffer');
