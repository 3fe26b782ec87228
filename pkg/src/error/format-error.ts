/** A message for users of anything that was thrown, with technical details on demand. */

import { technicalDetails } from '../core/errors.js';
import type { Reader } from '../message/about.js';
import { DEFAULT_LOCALE, templatesOf } from '../message/templates.js';
import { sentenceOf } from './as-response.js';
import { steadyError } from './final-error.js';
import { technicalDetailsOf } from './technical-details.js';
import { explainedMessageOf } from './user-message.js';

/** More of a text than this does not cross into the core. */
const MOST_DETAILS = 4096;

/**
 * Returns the text to show a user for anything that was thrown. An answer that was empty or of the wrong shape is
 * explained in several lines, with the missing or expected part: for an owner, not for a visitor.
 *
 * @param options.technicalDetails Appends an engineer's details, redacted and on one line: the error's class and text
 * (not a provider's text, which may quote the prompt), statuses and codes. Default: false.
 * @param options.locale A BCP 47 tag. Default: 'en'.
 * @param options.audience Who reads it. Default: 'owner'.
 * @example
 * ```ts
 * formatErrorMessage(new EmptyResponseError('no candidates in response'), { locale: 'en' });
 * // 'The AI service sent back an empty answer. This can happen if:\n• …\n\nTechnical details: no candidates in response'
 * ```
 */
export function formatErrorMessage(
  error: unknown,
  options: Reader & { technicalDetails?: boolean | undefined } = {},
): string {
  const { locale = DEFAULT_LOCALE, audience } = options;
  const found = steadyError(error, { locale, audience });
  const explained = audience === 'visitor' ? undefined : explainedMessageOf(found, locale);
  if (explained !== undefined) return explained;
  const message = sentenceOf(found, { locale, audience });
  if (options.technicalDetails !== true) return message;
  return message + technicalDetails(templatesOf(locale), technicalDetailsOf(found).slice(0, MOST_DETAILS));
}
