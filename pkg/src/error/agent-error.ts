/** AgentError: the one class of error that this package throws. */

import { BRAND, isBranded, unwrapped } from '../classify/brand.js';
import { classify } from '../classify/classify.js';
import { asRemedy, get } from '../classify/decision.js';
import type { Remedy } from '../classify/remedy.js';
import { targetOf } from '../classify/target.js';
import type {
  Classification,
  ClassifyContext,
  ErrorMetadata,
  GivenMetadata,
  ProviderErrorMetadata,
} from '../classify/types.js';
import {
  type AgentErrorCode,
  type ErrorSeverity,
  isAgentErrorCode,
  isRetryableCode,
  severityOf,
} from '../codes.js';
import type { Audience, Reader } from '../message/about.js';
import { providerForLog, textForLog, valueForLog } from '../message/for-log.js';
import { DEFAULT_LOCALE } from '../message/templates.js';
import { copied } from './copied.js';
import { hide, show } from './properties.js';
import { noteStack, showStack, stackOver, withoutStack } from './stack.js';
import { userMessageOf } from './user-message.js';
import { messageOf, withTried } from './words.js';

export type * from '../classify/types.js';
export * from '../codes.js';

/** Set on an error whose user message was written by an application. */
const OWN_MESSAGE = Symbol.for('halfopen.userMessage');
/** Set on an error whose `technicalDetails` were written by an application. */
const OWN_DETAILS = Symbol.for('halfopen.technicalDetails');
/** Set on an error that was classified for a locale: the default language of `userMessage()`. */
const LOCALE = Symbol.for('halfopen.locale');
/** Set on an error that was classified for an audience: the default reader of `userMessage()`. */
const AUDIENCE = Symbol.for('halfopen.audience');

/** The fields of an AgentError beside its code and its message. */
export interface AgentErrorOptions {
  /** The error that led to this one. Default: none. */
  cause?: unknown;
  /** The known facts about the provider. Default: nothing. */
  provider?: ProviderErrorMetadata | undefined;
  /** `suggestions` may be one string, which becomes a list of one. */
  metadata?: GivenMetadata | undefined;
  /** How long to wait, in milliseconds. Default: `provider.retryAfter`, which is in seconds. */
  retryAfterMs?: number | undefined;
  /** Default: by the code. */
  severity?: ErrorSeverity | undefined;
  /** Default: by the code. */
  retryable?: boolean | undefined;
  /** The change that would make the request acceptable. Default: unknown. */
  remedy?: Remedy | undefined;
}

/** An agent's error as a value. `message` is for the user. */
export interface AgentErrorResponse {
  /** Always `false`: distinguishes it from a success. */
  success: false;
  /** The code of the failure. */
  error: AgentErrorCode;
  /** For the user: plain language, without secrets. */
  message: string;
  /** The known facts about the provider. */
  metadata?: ProviderErrorMetadata | undefined;
  /** `true` if a retry may succeed. */
  retryable?: boolean | undefined;
  /** The wait that the provider requested, in milliseconds. */
  retryAfterMs?: number | undefined;
  /**
   * From `respond`, `onError` and `toolResult`'s `onError`: the error itself, with its stack. Not enumerable, so no
   * JSON and no copy contains it.
   */
  readonly cause?: AgentError | undefined;
}

/** @internal */
export const SEVERITIES: readonly ErrorSeverity[] = [
  // From the least to the most severe, for `aggregate`.
  'retriable',
  'reclassification',
  'replanning',
  'critical',
  'fatal',
];

/**
 * The one class of error that this package throws. It works across realms and copies of the package: use
 * `AgentError.is`, not `instanceof`.
 *
 * @example
 * ```ts
 * try {
 *   await policy.execute(() => client.chat.completions.create(request));
 * } catch (error) {
 *   if (AgentError.is(error)) console.log(error.code, error.userMessage('de'));
 * }
 * ```
 */
export class AgentError extends Error {
  // This is an initializer and not a statement after the class, because a bundler may drop an unused class only then.
  /** @internal */
  static readonly marked: unknown = /* @__PURE__ */ marked(this);

  /** The kind of failure. */
  declare readonly code: AgentErrorCode;
  /** The next step: retry, make a new plan, classify again, or stop ('critical', 'fatal'). */
  declare readonly severity: ErrorSeverity;
  /** `true` if a retry may succeed. */
  declare readonly retryable: boolean;
  /** The origin. `provider.originalError`, the thrown value, is not enumerable. */
  declare readonly provider: ProviderErrorMetadata;
  /** Redacted details, suggestions, and the context for a new plan. */
  declare readonly metadata: ErrorMetadata;
  /** The wait that the provider or the breaker requested, in milliseconds. */
  declare readonly retryAfterMs?: number | undefined;
  /** The change that would make the request acceptable, or its answer usable; absent if the error names none. */
  declare readonly remedy?: Remedy | undefined;
  /** How often the operation was called; 0 if the call was refused. */
  declare readonly attempts: number;
  /** One error for each failed attempt, oldest first. */
  declare readonly errors: readonly AgentError[];

  /**
   * @throws TypeError for an unknown code or severity, a message that is no string, a provider that is no object, a hint
   * that is negative, NaN or infinite.
   */
  constructor(code: AgentErrorCode, message: string, options: AgentErrorOptions = {}) {
    if (!isAgentErrorCode(code)) throw wrong('code', 'an AgentErrorCode', code);
    if (typeof message !== 'string') throw wrong('message', 'a string', message);
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    const { severity, retryable, provider } = options;
    if (severity !== undefined && !SEVERITIES.includes(severity))
      throw wrong('severity', 'an ErrorSeverity', severity);
    if (retryable !== undefined && typeof retryable !== 'boolean')
      throw wrong('retryable', 'a boolean', retryable);
    if (provider !== undefined && (typeof provider !== 'object' || provider === null))
      throw wrong('provider', "an object such as { provider: 'openai' }", provider);
    this.code = code;
    this.severity = severity ?? severityOf(code);
    this.retryable = retryable ?? isRetryableCode(code);
    this.provider = withHiddenOriginal(provider);
    this.metadata = asList(options.metadata);
    const retryAfterMs = options.retryAfterMs ?? inMilliseconds(this.provider.retryAfter);
    if (retryAfterMs !== undefined) {
      if (!(retryAfterMs >= 0 && retryAfterMs < Number.POSITIVE_INFINITY)) {
        throw wrong('retryAfterMs', 'a finite number of milliseconds, 0 or more', retryAfterMs);
      }
      this.retryAfterMs = retryAfterMs;
    }
    const remedy = asRemedy(options.remedy);
    if (remedy !== undefined) this.remedy = remedy;
    this.attempts = 0;
    this.errors = NONE;
  }

  /**
   * Returns `true` if the value is an AgentError, of any realm or copy of this package.
   *
   * @example
   * ```ts
   * AgentError.is(new AgentError('TIMEOUT', 'took too long')); // true
   * ```
   */
  static is(value: unknown): value is AgentError {
    return isBranded(value);
  }

  /**
   * Returns any thrown value, classified and wrapped once. An AgentError is returned unchanged, unless
   *
   * - `context` names an audience or a locale that it does not address: the result is then a copy for that reader, of the
   *   same class, with the same code, cause and attempts;
   * - it lacks a part that this version needs: one of a later version with an unknown code is wrapped as UNKNOWN.
   *
   * Never throws, whatever the value.
   *
   * @example
   * ```ts
   * AgentError.from(Object.assign(new Error('slow down'), { status: 429 })).code; // 'RATE_LIMITED'
   * AgentError.from(thrown, { audience: 'visitor', locale: 'de' }).userMessage(); // in German, for a visitor
   * ```
   */
  static from(error: unknown, context?: ClassifyContext): AgentError {
    return asAgentError(error, context);
  }

  /**
   * Joins several failures: the code of the most severe (the first of several equal ones), the longest wait, and all of
   * them in `errors`; UNKNOWN for an empty list.
   *
   * @example
   * ```ts
   * const all = AgentError.aggregate([new AgentError('TIMEOUT', 'a'), new AgentError('AUTHENTICATION_ERROR', 'b')]);
   * all.code; // 'AUTHENTICATION_ERROR'
   * ```
   */
  static aggregate(errors: readonly unknown[], message?: string): AgentError {
    return aggregated(errors, message);
  }

  /**
   * Returns the message for users: what happened and what to do next, without jargon, codes and secrets.
   *
   * @param reader A BCP 47 tag, such as 'de-AT', or `{ locale, audience }`. Default: those it was classified for, else English
   * for an owner.
   * @example
   * ```ts
   * const error = new AgentError('AUTHENTICATION_ERROR', 'x', { provider: { provider: 'openai' } });
   * error.userMessage();
   * // 'OpenAI did not accept the API key. Check the key in the settings: it may be mistyped, expired or switched off.'
   * error.userMessage({ audience: 'visitor' });
   * // 'The assistant cannot answer right now. Trying again does not help until the people who run it have looked at this.'
   * ```
   */
  userMessage(reader?: string | Reader): string {
    const hidden = this as unknown as Record<symbol, unknown>;
    const own = hidden[OWN_MESSAGE];
    if (typeof own === 'string') return textForLog(own);
    const { locale, audience } = typeof reader === 'object' ? (reader ?? {}) : { locale: reader };
    if (typeof own === 'function') return own(locale ?? hidden[LOCALE]);
    return userMessageOf(this, {
      locale: locale ?? (hidden[LOCALE] as string | undefined),
      audience: audience ?? (hidden[AUDIENCE] as Audience | undefined),
    });
  }

  /** Returns the error as a value, with the message for users. */
  toResponse(): AgentErrorResponse {
    return {
      success: false,
      error: this.code,
      message: this.userMessage(),
      ...(Object.keys(this.provider).length > 0 || 'originalError' in this.provider
        ? { metadata: responseMetadata(this.provider) }
        : {}),
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
    };
  }

  /**
   * Returns a form that is safe to log: no originalError, no cause, no stack; texts are redacted and cut, `errors` go
   * one level deep.
   */
  toJSON(): Record<string, unknown> {
    return {
      ...flat(this),
      ...(this.errors.length > 0 && { errors: this.errors.slice(0, MOST_ERRORS).map(flat) }),
    };
  }
}

/** Gives an error a message for users in each language, where its code and its facts do not say enough. */
export function withUserMessage(error: AgentError, text: (locale?: string) => string): AgentError {
  hide(error, OWN_MESSAGE, text);
  return error;
}

// The class does not refer to itself by name: a bundler would then call it `_AgentError`, which every printed error
// shows.

function asAgentError(error: unknown, context?: ClassifyContext): AgentError {
  const own = unwrapped(error);
  if (AgentError.is(own) && isSound(own)) return addressed(own, context ?? {});
  const { locale, audience, messages } = context ?? {};
  const made = fromClassification(classify(error, context), error, { locale, audience, messages });
  showStack(made);
  return made;
}

/** Returns a copy of the error for that reader, or the error itself if it addresses that reader already. */
function addressed(error: AgentError, { locale, audience }: Reader): AgentError {
  const isForReader =
    (locale ?? localeOf(error)) === localeOf(error) && (audience ?? audienceOf(error)) === audienceOf(error);
  const copy = isForReader ? undefined : copied(error);
  if (copy === undefined) return error;
  setReader(copy, { locale, audience });
  return copy;
}

const localeOf = (error: AgentError) => (get(error, LOCALE) as string | undefined) ?? DEFAULT_LOCALE;
const audienceOf = (error: AgentError) => (get(error, AUDIENCE) as Audience | undefined) ?? 'owner';

function aggregated(errors: readonly unknown[], message: string | undefined): AgentError {
  const all = errors.map((error) => asAgentError(error));
  const worst = all.reduce<AgentError | undefined>(
    (found, next) => (found === undefined || rank(next) > rank(found) ? next : found),
    undefined,
  );
  const hints = all.flatMap((error) => error.retryAfterMs ?? []);
  const text =
    message ??
    (all.length === 1 ? all[0]?.message : all.map((error) => `${error.code}: ${error.message}`).join('; '));
  const made = new AgentError(worst?.code ?? 'UNKNOWN', text || 'No errors', {
    ...(worst && {
      provider: worst.provider,
      metadata: worst.metadata,
      severity: worst.severity,
      retryable: worst.retryable,
      remedy: worst.remedy,
    }),
    ...(hints.length > 0 && { retryAfterMs: Math.max(...hints) }),
  });
  show(made, 'errors', Object.freeze(all));
  show(
    made,
    'attempts',
    all.reduce((sum, error) => sum + error.attempts, 0),
  );
  return made;
}

function marked(made: { prototype: object }): object {
  return Object.defineProperties(made.prototype, {
    [BRAND]: { value: true },
    name: { value: 'AgentError', writable: true, configurable: true },
  });
}

const NONE: readonly AgentError[] = Object.freeze([]);
/** The most errors in one JSON, because an endless loop of retries must not make an endless log line. */
const MOST_ERRORS = 32;

/**
 * Returns `true` if an AgentError, of any copy or version, has all fields that a policy reads, and they can be read.
 * `stack` is left out: reading it makes the engine format it.
 *
 * @internal
 */
export function isSound(error: AgentError): boolean {
  try {
    const { code, message, severity, retryable, provider, metadata, retryAfterMs, attempts, errors } = error;
    void error.cause;
    return (
      isAgentErrorCode(code) &&
      typeof message === 'string' &&
      SEVERITIES.includes(severity) &&
      typeof retryable === 'boolean' &&
      isRecord(provider) &&
      isRecord(metadata) &&
      (retryAfterMs === undefined || isHint(retryAfterMs)) &&
      typeof attempts === 'number' &&
      Array.isArray(errors) &&
      typeof error.userMessage === 'function' &&
      typeof error.toResponse === 'function'
    );
  } catch {
    return false; // A getter or a proxy that throws.
  }
}

/** Returns `true` for an object whose fields can be listed and read. */
function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).length >= 0;
}

function isHint(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms < Number.POSITIVE_INFINITY;
}

/**
 * Returns the CANCELLED error of an abort: its reason, if that is one.
 *
 * @internal
 */
export function cancellation(reason: unknown, message = 'The call was cancelled'): AgentError {
  try {
    if (AgentError.is(reason) && isSound(reason) && reason.code === 'CANCELLED') return reason;
  } catch {
    // A getter that throws now and then.
  }
  return cheapError('CANCELLED', message, { cause: reason });
}

/**
 * Creates an AgentError without a captured stack, which is three quarters of an error's cost. For refusals, timeouts
 * and cancellation, whose stack would not help.
 *
 * @internal
 */
export function cheapError(code: AgentErrorCode, message: string, options?: AgentErrorOptions): AgentError {
  return withoutStack(() => new AgentError(code, message, options));
}

/**
 * Returns the AgentError of a call under a disposed policy. Its message for users depends on `metadata.disposed`,
 * because such a call cannot be sent again.
 *
 * @internal
 */
export function disposedError(policy: string): AgentError {
  return cheapError('CANCELLED', `Policy '${policy}' is disposed`, { metadata: { disposed: true } });
}

/**
 * Creates the AgentError of a thrown value that is classified already. A copy of it that ends a call, and one that
 * leaves by `AgentError.from`, has the frames of the thrown one. `ownMessage` means that an application wrote
 * `classification.userMessage` itself.
 *
 * @internal
 */
export function fromClassification(
  classification: Classification,
  thrown: unknown,
  options: { ownMessage?: boolean | undefined; ownDetails?: boolean | undefined } & Pick<
    ClassifyContext,
    'locale' | 'audience' | 'messages'
  > = {},
): AgentError {
  const { code, severity, retryable, metadata, retryAfterMs, remedy } = classification;
  const provider = { ...classification.provider, originalError: thrown };
  const message = withTried(messageOf(classification, thrown, options.messages), targetOf(thrown)?.tried);
  const made = cheapError(code, message, {
    cause: thrown,
    provider,
    metadata,
    retryAfterMs,
    severity,
    retryable,
    remedy,
  });
  noteStack(made, () => stackOver(made, thrown));
  if (options.ownMessage === true) hide(made, OWN_MESSAGE, classification.userMessage);
  if (options.ownDetails === true) hide(made, OWN_DETAILS, true);
  setReader(made, options);
  return made;
}

/**
 * Returns `true` if the application wrote the error's `technicalDetails`, which then stay as given.
 *
 * @internal
 */
export function hasOwnDetails(error: AgentError): boolean {
  return (error as unknown as Record<symbol, unknown>)[OWN_DETAILS] === true;
}

/**
 * Returns `true` if the error knows the reader of its message.
 *
 * @internal
 */
export function hasAudience(error: AgentError): boolean {
  return (error as unknown as Record<symbol, unknown>)[AUDIENCE] !== undefined;
}

/**
 * Says who reads the error's message: of an error that was made for this call.
 *
 * @internal
 */
export function setReader(error: object, { locale, audience }: Reader): void {
  if (locale !== undefined) hide(error, LOCALE, locale);
  if (audience !== undefined) hide(error, AUDIENCE, audience);
}

function flat(error: AgentError): Record<string, unknown> {
  return {
    name: error.name,
    code: error.code,
    message: textForLog(error.message),
    severity: error.severity,
    retryable: error.retryable,
    provider: providerForLog(error.provider),
    metadata: valueForLog(error.metadata),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    attempts: error.attempts,
  };
}

/** Returns a copy with the suggestions as a list. */
function asList(given: GivenMetadata | undefined): ErrorMetadata {
  const { suggestions } = given ?? {};
  return {
    ...given,
    ...(typeof suggestions === 'string' && { suggestions: [suggestions] }),
  } as ErrorMetadata;
}

function rank(error: AgentError): number {
  return SEVERITIES.indexOf(error.severity);
}

function inMilliseconds(seconds: unknown): number | undefined {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Number.NaN;
  return ms >= 0 && ms < Number.POSITIVE_INFINITY ? ms : undefined;
}

/** Returns a copy in which the thrown value is not shown when the error is printed or serialised. */
function withHiddenOriginal(provider: ProviderErrorMetadata | undefined): ProviderErrorMetadata {
  if (provider === undefined) return {};
  if (!('originalError' in provider)) return { ...provider };
  const { originalError, ...rest } = provider;
  hide(rest, 'originalError', originalError);
  return rest;
}

/** Returns the provider's metadata for a response: texts without secrets, and the same object if nothing changes. */
function responseMetadata(provider: ProviderErrorMetadata): ProviderErrorMetadata {
  const clean = providerForLog(provider) as ProviderErrorMetadata;
  const names = Object.keys(provider) as (keyof ProviderErrorMetadata)[];
  if (Object.keys(clean).length === names.length && names.every((name) => clean[name] === provider[name]))
    return provider;
  return withHiddenOriginal({ ...clean, ...originalOf(provider) });
}

/** Returns the hidden property, which no spread copies. */
function originalOf(provider: ProviderErrorMetadata): { originalError?: unknown } {
  return 'originalError' in provider ? { originalError: provider.originalError } : {};
}

function wrong(name: string, expected: string, got: unknown): TypeError {
  const shown =
    typeof got === 'string' ? `'${got.slice(0, 60)}'` : typeof got === 'number' ? String(got) : typeof got;
  return new TypeError(`halfopen: AgentError: ${name}: expected ${expected}, got ${shown}`);
}
