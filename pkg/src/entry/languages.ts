// The messages in every language but English, where the module `errors` is at hand: everywhere but in pages.
import { de } from '../message/locale/de.js';
import { es } from '../message/locale/es.js';
import { fr } from '../message/locale/fr.js';
import { ja } from '../message/locale/ja.js';
import { zh } from '../message/locale/zh.js';
import type { Words } from './words-source.js';

export const languages: Words['languages'] = { de, es, fr, ja, zh };
/** Comes with the other modules. */
export const errors: Words['errors'] = undefined;
