/** Which language a locale asks for, among those that there are texts in. */

/**
 * Returns the texts of a table in the language of a locale, by its language subtag: `de-AT` and `de_AT.UTF-8` are `de`. A
 * language that the table does not have is English.
 *
 * @param locale A BCP 47 tag, or the name of a POSIX locale.
 */
export function inLanguage<T>(table: { readonly en: T } & Readonly<Record<string, T>>, locale: string): T {
  const [language = ''] = locale
    .trim()
    .toLowerCase()
    .split(/[-_.@]/, 1);
  return Object.hasOwn(table, language) ? (table[language] ?? table.en) : table.en;
}
