// The words for exports that can wait for them: package.json names it `#words-late`. They are late in pages only.
export { errors, languages } from './languages.js';
