// The words of errors for pages, a chunk of its own: the module `errors` as a text, and every language.
import errorsText from '../../wasm/errors/inline.js';
import { inlined } from './inlined.js';
import type { Words } from './words-source.js';

export { languages } from './languages.js';
export const errors: Words['errors'] = /* @__PURE__ */ inlined(errorsText);
