/** What went wrong: any thrown value, classified by the core. */

import {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  codeIndex,
  type ErrorSeverity,
  isAgentErrorCode,
  isRetryableCode,
  type ModelErrorCode,
  severityOf,
} from '../codes.js';
import { classifyLane, explainLane, hintInLane, ruleIds, saidInLane, userMessage } from '../core/errors.js';
import { onceMore } from '../core/instance.js';
import { SEVERITIES } from '../core/wire.js';
import { BRAND } from './brand.js';
import { answer, withHeaders, withThrown } from './thrown.js';
import type { Classification, ClassifyContext, ProviderErrorMetadata } from './types.js';

const LAYERS = { model: 1, tool: 2, agent: 3 } as const;
const RULES = /* @__PURE__ */ ruleIds();
/** Separates the texts that come back. */
const SEPARATOR = '\u001f';
const NO_CONTEXT: ClassifyContext = {};

/** What `classify` says, and what it saw. @internal */
export interface DetailedClassification extends Classification {
  /** Statuses, codes and names; never a text. */
  signals: Record<string, unknown>;
}

/**
 * Classifies anything that can be thrown, by structure first: status, the provider's code and type, headers, names,
 * errno, causes; wording comes last. Never throws, whatever the value: getters that throw, proxies, cycles, `null`,
 * strings, messages of 10 MB. At most 8 causes and 4 KiB of any text are read.
 *
 * @param error The thrown value, as it is.
 * @param context What the caller knows: provider, model, layer (it narrows the codes), locale (BCP 47; English by
 * default), `now` (milliseconds since the epoch, for hints that are dates; the wall clock by default).
 * @returns Code, severity, whether to try again, `retryAfterMs` (milliseconds that the provider asked to wait), a message
 * for people, and the id of the rule that decided.
 * @example
 * ```ts
 * try {
 *   await client.chat.completions.create(request);
 * } catch (error) {
 *   const { code, retryable, retryAfterMs, userMessage } = classify(error);
 * }
 * ```
 */
export function classify(error: unknown, context: ClassifyContext = NO_CONTEXT): Classification {
  return ownWord(error, context) ?? ask(error, context, false);
}

/**
 * `classify`, with what it saw: for events.
 * @internal
 */
export function classifyDetailed(
  error: unknown,
  context: ClassifyContext = NO_CONTEXT,
): DetailedClassification {
  const own = ownWord(error, context);
  return own
    ? { ...own, signals: { names: ['AgentError'] } }
    : (ask(error, context, true) as DetailedClassification);
}

/** One rule that was asked, see {@link explainClassification}. */
export interface TriedRule {
  /** The rule's id, as in `rule` of a classification and in docs/rules.md. */
  rule: string;
  /** The code that it gives. */
  code: AgentErrorCode;
  /** The page, RFC or specification that says so. */
  source: string;
  /** Whether all of its conditions held: true for the last one only. */
  decided: boolean;
  /** Whether something that it asks for was there. */
  close: boolean;
  /** Its conditions as far as they were asked, the first that does not hold being the last. */
  checks: { wanted: string; held: boolean }[];
}

/** A classification with its reasons, see {@link explainClassification}. */
export interface ClassificationExplanation {
  classification: Classification;
  /** Statuses, codes and names that were read; never a text. */
  signals: Record<string, unknown>;
  /** The rules that were asked, in their order; the last one decided. Empty for an AgentError, which says itself what it is. */
  tried: TriedRule[];
  /** What changed the deciding rule's verdict afterwards, in sentences: the layer, or the provider's own word. */
  afterwards: string[];
}

/**
 * `classify`, with its reasons: what was read, every rule that was asked and the condition at which it ended, and the
 * source of the one that decided. For people who wonder; it takes 15 to 20 times as long as `classify`, 0.1 ms for
 * a rate limit. Never throws.
 *
 * @example
 * ```ts
 * const { tried } = explainClassification(error);
 * const { rule, source, checks } = tried.at(-1)!; // the rule that decided, and what fulfilled it
 * ```
 */
export function explainClassification(
  error: unknown,
  context: ClassifyContext = NO_CONTEXT,
): ClassificationExplanation {
  const own = ownWord(error, context);
  if (own) return { classification: own, signals: { names: ['AgentError'] }, tried: [], afterwards: [] };
  const { provider, model, layer, now } = context;
  const place = layer === undefined ? 0 : (LAYERS[layer] ?? 0);
  const time = now ?? Date.now();
  const parts = onceMore(() =>
    withThrown(error, (length) => explainLane(length, place, time, provider, model)),
  );
  const [signals, tried, afterwards] = JSON.parse(parts) as [Record<string, unknown>, TriedRule[], string[]];
  return { classification: ask(error, context, false), signals, tried, afterwards };
}

/**
 * The code of a failed model call: `classify(error, { layer: 'model' }).code`.
 *
 * @example
 * ```ts
 * mapErrorToCode(Object.assign(new Error('x'), { status: 429 })); // 'RATE_LIMITED'
 * ```
 */
export function mapErrorToCode(error: unknown): ModelErrorCode {
  return classify(error, MODEL_LAYER).code as ModelErrorCode;
}
const MODEL_LAYER: ClassifyContext = { layer: 'model' };

/**
 * Milliseconds that a server asked its client to wait: `retry-after-ms`, `retry-after` in seconds, fractions or as a
 * date, and the resets of rate limits.
 *
 * @param headers `Headers`, a plain object, a Map or a list of pairs; names in any case.
 * @param now Milliseconds since the epoch from which dates count where the headers have no `date`; default: the wall clock.
 * @returns A finite number, 0 or more; `undefined` when nothing was asked for.
 * @example
 * ```ts
 * parseRetryAfter({ 'retry-after': '7' }); // 7000
 * ```
 */
export function parseRetryAfter(headers: unknown, now: number = Date.now()): number | undefined {
  const hint = onceMore(() => withHeaders(headers, (length) => hintInLane(length, now)));
  return hint >= 0 ? hint : undefined;
}

/**
 * What a thrown value and the body in it say: redacted, one line, at most 500 characters.
 * @internal
 */
export function saidBy(error: unknown): string {
  return onceMore(() => withThrown(error, saidInLane));
}

function ask(error: unknown, context: ClassifyContext, detailed: boolean): Classification {
  const { provider, model, layer, locale, now } = context;
  const place = layer === undefined ? 0 : (LAYERS[layer] ?? 0);
  const time = now ?? Date.now();
  const texts = onceMore(() =>
    withThrown(error, (length) => classifyLane(length, place, time, provider, model, locale, detailed)),
  ).split(SEPARATOR);
  const numbers = answer();
  const hint = numbers[3] as number;
  const status = numbers[4] as number;
  const about: ProviderErrorMetadata = {};
  if (texts[2]) about.provider = texts[2];
  if (texts[3]) about.model = texts[3];
  if (status >= 0) about.statusCode = status;
  if (hint >= 0) about.retryAfter = hint / 1000;
  if (texts[4]) about.requestId = texts[4];
  const found: Classification = {
    code: AGENT_ERROR_CODES[numbers[0] as number] as AgentErrorCode,
    severity: SEVERITIES[numbers[1] as number] as ErrorSeverity,
    retryable: numbers[2] === 1,
    userMessage: texts[1] as string,
    metadata: { technicalDetails: texts[0] },
    provider: withOriginal(about, error),
    rule: RULES[numbers[5] as number] ?? 'unknown',
  };
  if (hint >= 0) found.retryAfterMs = hint;
  if (detailed) (found as DetailedClassification).signals = JSON.parse(texts[5] || '{}');
  return found;
}

const HIDDEN = { value: undefined as unknown, enumerable: false, writable: true, configurable: true };

/** Keeps the thrown value where neither JSON nor a copy finds it. */
function withOriginal(provider: ProviderErrorMetadata, error: unknown): ProviderErrorMetadata {
  HIDDEN.value = error;
  Object.defineProperty(provider, 'originalError', HIDDEN);
  HIDDEN.value = undefined;
  return provider;
}

/** An AgentError is what it says itself, as far as that can be read; a code of a later version is UNKNOWN. */
function ownWord(error: unknown, context: ClassifyContext): Classification | undefined {
  if (get(error, BRAND) !== true) return undefined;
  const stated = get(error, 'code');
  const code = isAgentErrorCode(stated) ? stated : 'UNKNOWN';
  const retryable = get(error, 'retryable');
  const severity = get(error, 'severity') as ErrorSeverity;
  const found: Classification = {
    code,
    severity: (SEVERITIES as readonly unknown[]).includes(severity) ? severity : severityOf(code),
    retryable: typeof retryable === 'boolean' ? retryable : isRetryableCode(code),
    userMessage: '',
    metadata: record(get(error, 'metadata')),
    provider: withOriginal(aboutContext(record(get(error, 'provider')), context), error),
    rule: 'agent-error',
  };
  const hint = get(error, 'retryAfterMs');
  if (typeof hint === 'number' && hint >= 0 && hint < Number.POSITIVE_INFINITY) found.retryAfterMs = hint;
  found.userMessage = ownMessage(error, context.locale) ?? messageOf(found, context.locale);
  return found;
}

/** A property of whatever was thrown; `undefined` where reading it throws. */
function get(of: unknown, name: PropertyKey): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  try {
    return (of as Record<PropertyKey, unknown>)[name];
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}

/** A shallow copy of what can be read. */
function record(value: unknown): Record<string, unknown> {
  try {
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function ownMessage(error: unknown, locale: string | undefined): string | undefined {
  try {
    const said: unknown = (error as { userMessage?: (locale?: string) => unknown }).userMessage?.(locale);
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined; // A method of a subclass that throws.
  }
}

function messageOf({ code, provider, retryAfterMs }: Classification, locale = 'en'): string {
  const name = typeof provider.provider === 'string' ? provider.provider.slice(0, 200) : undefined;
  const retryAfter = retryAfterMs ?? Number.NaN;
  return userMessage(codeIndex(code), name, undefined, undefined, retryAfter, 0, String(locale));
}

function aboutContext(provider: ProviderErrorMetadata, { provider: name, model }: ClassifyContext) {
  if (name !== undefined) provider.provider ??= name;
  if (model !== undefined) provider.model ??= model;
  return provider;
}
