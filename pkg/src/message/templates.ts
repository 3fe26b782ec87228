/** The templates of messages, by language. */

import { newLanguages } from '../core/words.js';
import { Languages } from './language.js';
import { en } from './locale/en.js';

/** The language of a message when no locale is given. @internal */
export const DEFAULT_LOCALE = 'en';

/** By language, a function that makes the templates, so that an import of the package does not. @internal */
export const TEMPLATES = new Languages(en);

const made = new Map<() => string, string>();

/** Returns the templates in the language of a locale as one text, as the core takes them. @internal */
export function templatesOf(locale: string): string {
  const late = newLanguages();
  if (late !== undefined) TEMPLATES.register(late);
  const make = TEMPLATES.of(locale);
  const text = made.get(make) ?? make();
  made.set(make, text);
  return text;
}

/**
 * The languages of the messages, as BCP 47 language subtags. Regional tags such as 'de-AT' and 'zh-Hans-CN' find their language; all others fall
 * back to English.
 */
export const LOCALES: readonly string[] = Object.freeze([DEFAULT_LOCALE, 'de', 'es', 'fr', 'ja', 'zh']);
