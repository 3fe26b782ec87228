/** The languages that messages can be made in, and the templates of each. */

import { LOCALE_TABLES } from './locales.js';

/** Separates the rows of a language's templates: ROW_END of core/src/message/table.rs. */
const ROW_END = '\u001e';

/** The templates by the language's tag, as the core takes them. */
const templates = /* @__PURE__ */ new Map<string, string>();

/**
 * Adds a language, or replaces it. `rows` are those of a file in `locale/`: the first is the language subtag (BCP 47).
 * @internal
 */
export function registerLocale(rows: readonly string[]): void {
  templates.set(rows[0] ?? '', rows.join(ROW_END));
}

/**
 * The templates of the language that a locale's name begins with: 'de-AT' and 'de_AT.UTF-8' are German. English for
 * everything else.
 * @internal
 */
export function templatesFor(locale: string): string {
  const tag = String(locale)
    .trim()
    .split(/[-_.@]/, 1)[0]
    ?.toLowerCase();
  return templatesOf(tag ?? '') ?? templatesOf(DEFAULT_LOCALE) ?? '';
}

function templatesOf(tag: string): string | undefined {
  if (!templates.has(tag)) {
    const rows = LOCALE_TABLES.find((rows) => rows[0] === tag);
    if (rows !== undefined) registerLocale(rows);
  }
  return templates.get(tag);
}

/** @internal */
export const DEFAULT_LOCALE = 'en';

/**
 * The languages that there are messages in, as BCP 47 language subtags. Regional tags such as 'de-AT' and 'zh-Hans-CN' find their
 * language; all others fall back to English.
 */
export const LOCALES: readonly string[] = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ LOCALE_TABLES.map((rows) => rows[0] ?? ''),
);
