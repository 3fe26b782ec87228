/** The texts that a user reads, in their language. */

import { type AgentErrorCode, codeIndex } from '../codes.js';
import { redactText, userMessage } from '../core/errors.js';
import type { Audience, ProviderErrorMetadata, Reader } from './about.js';
import { DEFAULT_LOCALE, templatesOf } from './templates.js';

/** The facts that a message can mention beside the code. */
export interface MessageFacts {
  provider?: unknown;
  model?: unknown;
  tool?: string | undefined;
  /** NaN or absent if nothing is known. */
  retryAfterMs?: number | undefined;
  /** By the core's numbers: `Circumstance` in core/src/message/about.rs. */
  circumstance?: number | undefined;
}

/**
 * Returns the message for a code: what happened and what to do next, with the provider's name and a duration in words.
 * No jargon, no codes, no secrets. Several lines for an owner's INVALID_RESPONSE.
 *
 * @param options `locale`: a BCP 47 tag (default: English). `audience`: who reads it (default: 'owner').
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
  options?: Reader,
): string {
  const { provider, model, retryAfter } = metadata ?? {};
  const retryAfterMs = typeof retryAfter === 'number' ? retryAfter * 1000 : undefined;
  return messageFor(error, { provider, model, retryAfterMs }, options);
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

/** The message for a code and what is known beside it. @internal */
export function messageFor(
  code: AgentErrorCode,
  { provider, model, tool, retryAfterMs, circumstance }: MessageFacts,
  { locale, audience }: Reader = {},
): string {
  return userMessage(
    templatesOf(locale ?? DEFAULT_LOCALE),
    codeIndex(code),
    shortText(provider),
    shortText(model),
    tool,
    retryAfterMs ?? Number.NaN,
    circumstance ?? 0,
    audienceIndex(audience),
  );
}

/** The core's number of an audience. @internal */
export function audienceIndex(audience: Audience | undefined): number {
  return audience === 'visitor' ? 1 : 0;
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 200) : undefined;
}
