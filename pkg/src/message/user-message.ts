/** What a person reads, in their language. */

import type { ProviderErrorMetadata } from '../classify/types.js';
import { type AgentErrorCode, codeIndex } from '../codes.js';
import {
  technicalDetails as detailsParagraph,
  emptyResponseMessage,
  invalidResponseMessage,
  locales,
  redactText,
  userMessage,
} from '../core/errors.js';
import { AgentError } from '../error/agent-error.js';
import { sentenceOf } from '../error/as-response.js';
import { technicalDetailsOf } from '../error/technical-details.js';

/**
 * The languages that there are messages in, as BCP 47 language subtags. Regional tags such as 'de-AT' and 'zh-Hans-CN' find their
 * language; all others fall back to English.
 */
export const LOCALES: readonly string[] = Object.freeze(locales());

/** @internal */
export const DEFAULT_LOCALE = 'en';

/**
 * What to tell a person about a code: what happened and what to do next, with the provider's name and a duration as
 * people say it. No jargon, no codes, no secrets. Several lines for INVALID_RESPONSE and UNKNOWN.
 *
 * @example
 * ```ts
 * getUserFriendlyMessage('RATE_LIMITED', { provider: 'openai', retryAfter: 432 });
 * // 'Too many requests were sent to OpenAI in a short time. Please try again in about 7 minutes.'
 * ```
 * @throws TypeError for what is no code.
 */
export function getUserFriendlyMessage(
  error: AgentErrorCode,
  metadata?: ProviderErrorMetadata,
  options?: { locale?: string | undefined },
): string {
  const retryAfterMs = typeof metadata?.retryAfter === 'number' ? metadata.retryAfter * 1000 : Number.NaN;
  return messageFor(error, metadata ?? {}, undefined, retryAfterMs, 0, options?.locale ?? DEFAULT_LOCALE);
}

/**
 * What to tell a person about anything that was thrown. An answer that was empty or of the wrong shape is explained
 * in several lines, with what was missing or expected.
 *
 * @param options.technicalDetails Appends what an engineer needs, redacted and on one line: the error's class and text (not
 * what a provider answered, which may quote the prompt), statuses, codes, the rule that decided. Default: false.
 * @param options.locale A BCP 47 tag. Default: 'en'.
 * @example
 * ```ts
 * formatErrorMessage(new EmptyResponseError('no candidates in response'), { locale: 'en' });
 * // 'The AI service sent back an empty answer. This can happen if:\n• …\n\nTechnical details: no candidates in response'
 * ```
 */
export function formatErrorMessage(
  error: unknown,
  options: { locale?: string | undefined; technicalDetails?: boolean | undefined } = {},
): string {
  const locale = options.locale ?? DEFAULT_LOCALE;
  const found = AgentError.from(error, { locale });
  const { provider } = found.provider;
  const shape = shapeOf(found);
  if (shape.kind === 'empty') return emptyResponseMessage(clip(shape.reason), provider, locale);
  if (shape.kind === 'invalid')
    return invalidResponseMessage(clip(shape.expected), clip(shape.got), provider, locale);
  const message = sentenceOf(found, locale);
  if (options.technicalDetails !== true) return message;
  return message + detailsParagraph(clip(technicalDetailsOf(found)), locale);
}

/**
 * Removes keys, bearer tokens, cookies, e-mail addresses, long base64 and URL credentials. Linear in the text's
 * length; idempotent.
 *
 * @example
 * ```ts
 * redact('mail jane@example.com'); // 'mail [redacted]'
 * ```
 */
export function redact(text: string): string {
  if (typeof text !== 'string')
    throw new TypeError(`halfopen: redact: expected a string, got ${typeof text}`);
  return redactText(text);
}

/** @internal What an AgentError says to a person when the application has not said it itself. */
export function userMessageOf(error: AgentError, locale: string): string {
  const shape = shapeOf(error);
  if (shape.kind === 'empty') return emptyResponseMessage('', error.provider.provider, locale);
  const tool = shape.kind === 'tool' ? shape.name : undefined;
  const hintMs = error.retryAfterMs ?? Number.NaN;
  return messageFor(error.code, error.provider, tool, hintMs, circumstanceOf(error), locale);
}

/** What the code alone does not say, by the core's numbers: 1, a part of the answer had arrived; 2, the policy is disposed. */
function circumstanceOf({ metadata }: AgentError): number {
  if (metadata.disposed === true) return 2;
  return typeof metadata.received === 'number' && metadata.received > 0 ? 1 : 0;
}

function messageFor(
  code: AgentErrorCode,
  about: ProviderErrorMetadata,
  tool: string | undefined,
  retryAfterMs: number,
  circumstance: number,
  locale: string,
): string {
  return userMessage(
    codeIndex(code),
    text(about.provider),
    text(about.model),
    tool,
    retryAfterMs,
    circumstance,
    String(locale),
  );
}

type Shape =
  | { kind: 'empty'; reason: string }
  | { kind: 'invalid'; expected: string; got: string }
  | { kind: 'tool'; name: string }
  | { kind: 'plain' };

/** Told by the fields that the response errors have, not by their classes: an error may be of another copy. */
function shapeOf(error: AgentError): Shape {
  const { reason, expected, got, toolName } = error as unknown as Record<string, unknown>;
  if (error.code === 'INVALID_RESPONSE' && typeof reason === 'string') return { kind: 'empty', reason };
  if (error.code === 'INVALID_RESPONSE' && typeof expected === 'string' && typeof got === 'string') {
    return { kind: 'invalid', expected, got };
  }
  if (typeof toolName === 'string') return { kind: 'tool', name: toolName };
  return { kind: 'plain' };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 200) : undefined;
}

/** Long texts are cut before they cross into the core. */
function clip(details: string): string {
  return details.slice(0, 4096);
}
