/** The words of an error: for the developer who reads its message, and for the model that called a tool. */

import { isBranded } from '../classify/brand.js';
import { classifyDetailed, type Spoken, spokenBy } from '../classify/classify.js';
import type { Classification } from '../classify/types.js';
import { wordsAreHere } from '../core/words.js';
import { textForLog, wordsOf } from '../message/for-log.js';

/** The most characters of an application's own text. The core cuts a server's text to 300. */
const MOST_WORDS = 500;

/**
 * Returns the message of an `AgentError` that is made of another value. An application's own words stay unchanged. A
 * server's response gives status, codes and parameter, then its words, `HTTP 400 · invalid_value · temperature: must be
 * at most 2`. With 'private' its words, which may quote the prompt, are left out.
 */
export function messageOf(
  classification: Pick<Classification, 'metadata' | 'provider' | 'userMessage'>,
  thrown: unknown,
  messages: 'private' | 'provider' = 'provider',
): string {
  return saidBy(classification, thrown, messages) || detailsOf(classification);
}

function saidBy(
  { provider }: Pick<Classification, 'provider'>,
  thrown: unknown,
  messages: 'private' | 'provider',
): string {
  if (!wordsAreHere()) return '';
  if (isBranded(thrown) || isPlain(thrown)) return wordsOf(thrown, MOST_WORDS);
  const { head, words, answered } = spoken(thrown);
  const isAnswer = answered || (provider.statusCode !== undefined && provider.provider !== undefined);
  if (isAnswer && messages === 'private') return '';
  const said = isAnswer ? words : wordsOf(thrown, MOST_WORDS) || words;
  return said === '' || head === '' || said.includes(head) ? said : `${head}: ${said}`;
}

/** The message for users costs more than all the rest, so it is read only if nothing else is known. */
function detailsOf(classification: Pick<Classification, 'metadata' | 'userMessage'>): string {
  const details: unknown = classification.metadata.technicalDetails;
  return (typeof details === 'string' ? details : '') || classification.userMessage;
}

/**
 * Returns the text that a model reads about a tool's failure: the words of the error that the tool threw, or of the
 * server's response to it. Never a status, a code or a rule. If nothing was thrown but the policy gave up, it is the
 * policy's own sentence.
 */
export function wordsForModel(thrown: unknown): string {
  const origin = thrownFirst(thrown);
  if (isBranded(origin) || isPlain(origin)) return wordsOf(origin, MOST_WORDS);
  const { words, answered } = spoken(origin);
  return answered ? words : wordsOf(origin, MOST_WORDS) || words;
}

/**
 * Returns `true` if an error has only words, and no status or code of a provider or a system. The words are then the
 * application's, and a user may read them.
 */
export function hasOwnWords(error: { readonly provider: Classification['provider'] }): boolean {
  const { statusCode, requestId } = error.provider;
  if (statusCode !== undefined || requestId !== undefined) return false;
  const origin = thrownFirst(error);
  return isBranded(origin) || classifyDetailed(origin).signals.codes === undefined;
}

/** Returns the value that was thrown first, beneath the errors that policies made of it. */
function thrownFirst(thrown: unknown): unknown {
  let origin = thrown;
  try {
    for (let depth = 0; isBranded(origin) && depth < DEEPEST; depth++) {
      const { provider } = origin as { provider?: { originalError?: unknown } };
      if (provider?.originalError === undefined) break;
      origin = provider.originalError;
    }
  } catch {
    // A getter or a proxy that throws: the error speaks for itself.
  }
  return origin;
}

/** The server's text in the body of a response. The message of its error has the status and its text before it. */
const answers = /* @__PURE__ */ new WeakMap<object, string>();
/** The most characters of it, the same number as the core keeps. */
const MOST_OF_ANSWER = 300;

/** Keeps the server's words for an error that replaces its response. */
export function noteWords(thrown: object, words: string): void {
  if (words !== '') answers.set(thrown, words);
}

function spoken(thrown: unknown): Spoken {
  const read = spokenBy(thrown);
  const answer = typeof thrown === 'object' && thrown !== null ? answers.get(thrown) : undefined;
  return answer === undefined ? read : { ...read, words: textForLog(answer, MOST_OF_ANSWER).trim() };
}

/** Policies around policies. */
const DEEPEST = 8;

/** A text, or an error that has only its message: there is nothing more to read in it. */
function isPlain(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return true;
  try {
    return thrown instanceof Error && thrown.cause === undefined && Object.keys(thrown).length === 0;
  } catch {
    return false; // A proxy whose prototype or keys cannot be had.
  }
}

/** Appends the changes that did not help to the words of an error. */
export function withTried(message: string, tried: readonly string[] | undefined): string {
  return tried === undefined ? message : `${message} (tried: ${tried.join(', ')})`;
}
