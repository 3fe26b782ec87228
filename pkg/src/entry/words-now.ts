// The words for exports that use them at once: package.json names it `#words-now`.
export { errors, languages } from './languages.js';
