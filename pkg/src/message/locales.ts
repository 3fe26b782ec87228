/** The languages that a build has from the start; English, which all others fall back to, comes first. */

import { de } from './locale/de.js';
import { en } from './locale/en.js';
import { es } from './locale/es.js';
import { fr } from './locale/fr.js';
import { ja } from './locale/ja.js';
import { zh } from './locale/zh.js';

/** The templates of each language, see {@link registerLocale}. A build that has fewer takes another file in place of this one. */
export const LOCALE_TABLES: readonly (readonly string[])[] = [en, de, es, fr, ja, zh];
