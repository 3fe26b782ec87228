/**
 * The words of errors: the core's module of classification, messages and redaction, and the languages. In a page they are a
 * chunk that comes late, because no successful call needs them; everywhere else they are here at once.
 */

import { errors, fetchWords } from '../entry/default.js';
import type { Words } from '../entry/words-source.js';

/** How long a failure waits for the words, in milliseconds. Then first aid decides. */
const PATIENCE_MS = 3000;

let given: Words | undefined;
let fetching: Promise<void> | undefined;
let isWanted = false;
const waiting = new Set<() => void>();

/** Returns `true` if anything can be classified, redacted and said. */
export function wordsAreHere(): boolean {
  return errors !== undefined || given?.errors !== undefined;
}

export function instantiateWords(imports: WebAssembly.Imports): WebAssembly.Exports {
  const instantiate = errors ?? given?.errors;
  if (instantiate === undefined) throw new Error('halfopen: the words of errors have not been fetched');
  return instantiate(imports);
}

/** The languages that came with the words, once. */
export function newLanguages(): Words['languages'] {
  const { languages } = given ?? {};
  if (languages !== undefined) given = { errors: given?.errors, languages: undefined };
  return languages;
}

/** Takes the words of a chunk, or of an import. */
export function provideWords(words: Words): void {
  given = { errors: words.errors ?? given?.errors, languages: words.languages ?? given?.languages };
  if (!wordsAreHere()) return;
  const all = [...waiting];
  waiting.clear();
  for (const run of all) run();
}

/** Fetches the words when the page is idle, before a failure needs them. */
export function wantWords(): void {
  if (isWanted || wordsAreHere()) return;
  isWanted = true;
  if (typeof requestIdleCallback === 'function') requestIdleCallback(fetchOnce);
  else setTimeout(fetchOnce, 0);
}

/** A chunk that could not be fetched is fetched again by the next failure. */
function fetchOnce(): void {
  if (wordsAreHere() || fetchWords === undefined) return;
  fetching ??= Promise.resolve()
    .then(fetchWords)
    .then(provideWords, () => {})
    .finally(() => {
      fetching = undefined;
    });
}

/**
 * Runs `next` when the words are here: at once if they are, and after three seconds, or when they cannot be fetched, all the
 * same. `next` must not throw.
 */
export function whenWords(next: () => void): void {
  if (wordsAreHere()) {
    next();
    return;
  }
  let isDone = false;
  const once = (): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    waiting.delete(once);
    next();
  };
  const timer = setTimeout(once, PATIENCE_MS);
  waiting.add(once);
  fetchOnce();
  void fetching?.then(once);
}

/** Runs `next` when the words come, however late that is. */
export function onceWords(next: () => void): void {
  waiting.add(next);
  fetchOnce();
}

/** Makes a text that needs the words: at once, or when its event is sent. */
export function worded<T>(make: () => T): T {
  return wordsAreHere() ? make() : (make as never);
}
