/** The templates of messages, by language. */

import { Languages } from './language.js';
import { en } from './locale/en.js';

/** The language of a message when no locale is given. @internal */
export const DEFAULT_LOCALE = 'en';

/** By language, a function that makes the templates, so that an import of the package does not. @internal */
export const TEMPLATES = new Languages(en);

const made = new Map<() => string, string>();

/** Returns the templates in the language of a locale as one text, as the core takes them. @internal */
export function templatesOf(locale: string): string {
  const make = TEMPLATES.of(locale);
  const text = made.get(make) ?? make();
  made.set(make, text);
  return text;
}

/**
 * The languages that this door of the package has messages in, as BCP 47 language subtags: six in `halfopen`, English in
 * `halfopen/slim`. Regional tags such as 'de-AT' and 'zh-Hans-CN' find their language; all others fall back to English.
 */
export const LOCALES: readonly string[] = Object.freeze([DEFAULT_LOCALE]);
