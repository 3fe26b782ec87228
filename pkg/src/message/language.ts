/** Texts of one kind, in the languages that are registered. */

/** Texts of one kind by language. English is always there. */
export class Languages<T> {
  private readonly english: T;
  private readonly others = new Map<string, T>();

  constructor(english: T) {
    this.english = english;
  }

  /** Adds languages by their tags (BCP 47 language subtags), or replaces them. */
  register(languages: Readonly<Record<string, T>>): void {
    for (const [tag, texts] of Object.entries(languages)) this.others.set(tag, texts);
  }

  /**
   * The texts in the language of a locale, by its language subtag: `de-AT` and `de_AT.UTF-8` are `de`. A language that is
   * not registered is English.
   *
   * @param locale A BCP 47 tag, or the name of a POSIX locale.
   */
  of(locale: string): T {
    const [language = ''] = String(locale)
      .trim()
      .toLowerCase()
      .split(/[-_.@]/, 1);
    return this.others.get(language) ?? this.english;
  }
}
