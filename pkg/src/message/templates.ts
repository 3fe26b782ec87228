/** The templates of messages, by language. */

import { Languages } from './language.js';
import { en } from './locale/en.js';

/** The language of a message when no locale is given. @internal */
export const DEFAULT_LOCALE = 'en';

/** The templates of each language as one text, as the core takes them. @internal */
export const TEMPLATES = new Languages(en);

/**
 * The languages that this door of the package has messages in, as BCP 47 language subtags: six in `halfopen`, English in
 * `halfopen/slim`. Regional tags such as 'de-AT' and 'zh-Hans-CN' find their language; all others fall back to English.
 */
export const LOCALES: readonly string[] = Object.freeze([DEFAULT_LOCALE]);
