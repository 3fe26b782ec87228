/** Turns the core's decision on a copied value into a {@link Classification}. */

import {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  type ErrorSeverity,
  isAgentErrorCode,
  isRetryableCode,
  severityOf,
} from '../codes.js';
import { SEVERITIES } from '../core/wire.js';
import type { Reader } from '../message/about.js';
import { messageFor } from '../message/user-message.js';
import { isBranded } from './brand.js';
import { REMEDY_KINDS, type Remedy } from './remedy.js';
import { RULE_IDS } from './rule-ids.js';
import { numbersBack } from './thrown.js';
import type { Classification, ClassifyContext, ProviderErrorMetadata } from './types.js';

const LAYERS = { model: 1, tool: 2, agent: 3 } as const;
/** The ids of the rules by their numbers. */
export const rules = /* @__PURE__ */ RULE_IDS.split(' ');
/** Separates the texts that come back. */
const TEXT_END = '\u001f';
/** Separates the items of a text that is a list. */
export const ITEM_END = '\u001e';
/** Of the third number: words alone speak for another try; the request was refused. */
const WORDS_ALONE = 2;
const REFUSAL = 4;

/** Statuses, codes and names that were read, and `wordsAlone` where only prose speaks for another try; never a text. */
export type Signals = Record<string, unknown>;

/** The texts that came back from the core, one by one. */
export function textsOf(came: string): readonly string[] {
  return came.split(TEXT_END);
}

/** Where the texts begin that come back where the core was called for more than a classification. */
export const MORE = 7;

/**
 * Returns the arguments for the core beside the copy. A value of the wrong type is left out, because it would trap.
 */
export function crossing({ provider, model, layer, now }: ClassifyContext) {
  const place = layer === undefined ? 0 : (LAYERS[layer] ?? 0);
  return [place, typeof now === 'number' ? now : Date.now(), text(provider), text(model)] as const;
}

/** Longer than any name is: the memory of the core may not grow. */
const LONGEST_NAME = 4096;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, LONGEST_NAME) : undefined;

/** Returns the core's decision. The numbers are those of the last call, so read them at once. */
export function classificationFrom(
  texts: readonly string[],
  error: unknown,
  reader: ClassifyContext,
): Classification {
  const [details = '', name, model, requestId, remedy] = texts;
  const numbers = numbersBack();
  const [hint, status] = [numbers[3], numbers[4]];
  const provider: ProviderErrorMetadata = {};
  if (name) provider.provider = name;
  if (model) provider.model = model;
  if (isKnown(status)) provider.statusCode = status;
  if (isKnown(hint)) provider.retryAfter = hint / 1000;
  if (requestId) provider.requestId = requestId;
  const rule = rules[numbers[5] as number] ?? 'unknown';
  return withMessage(
    {
      code: AGENT_ERROR_CODES[numbers[0] as number] as AgentErrorCode,
      severity: SEVERITIES[numbers[1] as number] as ErrorSeverity,
      retryable: ((numbers[2] as number) & 1) !== 0,
    },
    {
      metadata: { technicalDetails: details },
      provider: withOriginal(provider, error),
      rule,
      retryAfterMs: isKnown(hint) ? hint : undefined,
      remedy: remedy ? remedyFrom(remedy) : undefined,
    },
    reader,
  );
}

/** A remedy as the core writes it: the number of its kind, then its details, each with a sign for its type. */
function remedyFrom(written: string): Remedy {
  const [kind, ...details] = written.split(ITEM_END);
  const remedy: Record<string, unknown> = { kind: REMEDY_KINDS[Number(kind)] };
  for (const detail of details) {
    const [, name = '', sign, text = ''] = /^(\w+)([:#?*])(.*)$/s.exec(detail) ?? [];
    remedy[name] =
      sign === '#'
        ? Number(text)
        : sign === '?'
          ? text !== ''
          : sign === '*'
            ? text
              ? text.split(',')
              : []
            : text;
  }
  return remedy as Remedy;
}

/**
 * The remedy of an AgentError of whichever copy of this package.
 * @internal
 */
export function asRemedy(value: unknown): Remedy | undefined {
  const kind = typeof value === 'object' && value !== null ? get(value, 'kind') : undefined;
  return (REMEDY_KINDS as readonly unknown[]).includes(kind) ? (value as Remedy) : undefined;
}

/** Returns the signals that the core read. As with {@link classificationFrom}, read them at once. */
export function signalsFrom(texts: readonly string[]): Signals {
  const [codes, names] = [texts[5], texts[6]];
  const numbers = numbersBack();
  const [status, rpc, shouldRetry, causes] = [numbers[6], numbers[7], numbers[8], numbers[9]];
  const signals: Signals = {};
  if (causes) signals.causes = causes;
  if (codes) signals.codes = codes.split(ITEM_END);
  if (names) signals.names = names.split(ITEM_END);
  if (rpc !== undefined && !Number.isNaN(rpc)) signals.rpc = rpc;
  if (isKnown(shouldRetry)) signals.shouldRetry = shouldRetry === 1;
  if (isKnown(status)) signals.status = status;
  if ((numbers[2] as number) & WORDS_ALONE) signals.wordsAlone = true;
  return signals;
}

/**
 * Returns `true` if structure shows that the request was refused before it was carried out. Read it at once, like the
 * others.
 */
export function isRefusalFrom(): boolean {
  return ((numbersBack()[2] as number) & REFUSAL) !== 0;
}

const isKnown = (number: number | undefined): number is number => number !== undefined && number >= 0;

/** An AgentError is what it says itself, as far as that can be read; a code of a later version is UNKNOWN. */
export function ownClassification(error: unknown, context: ClassifyContext): Classification | undefined {
  if (!isBranded(error)) return undefined;
  const stated = get(error, 'code');
  const code = isAgentErrorCode(stated) ? stated : 'UNKNOWN';
  const retryable = get(error, 'retryable');
  const severity = get(error, 'severity') as ErrorSeverity;
  const hint = get(error, 'retryAfterMs');
  return withMessage(
    {
      code,
      severity: SEVERITIES.includes(severity) ? severity : severityOf(code),
      retryable: typeof retryable === 'boolean' ? retryable : isRetryableCode(code),
    },
    {
      metadata: record(get(error, 'metadata')),
      provider: withOriginal(aboutContext(record(get(error, 'provider')), context), error),
      rule: 'agent-error',
      retryAfterMs:
        typeof hint === 'number' && hint >= 0 && hint < Number.POSITIVE_INFINITY ? hint : undefined,
      remedy: asRemedy(get(error, 'remedy')),
    },
    context,
  );
}

/** For whom messages are that are not for an owner who reads English. */
const readers = /* @__PURE__ */ new WeakMap<object, Reader>();

function setMessage(of: object, value: unknown): void {
  Object.defineProperty(of, 'userMessage', { value, writable: true, configurable: true, enumerable: true });
}

/** One pair of functions for all: with a pair for each, the engine would make each classification a class of its own. */
const LATE: PropertyDescriptor = {
  get(this: Classification): string {
    const message = messageOf(this, readers.get(this));
    setMessage(this, message);
    return message;
  },
  set(this: Classification, value: unknown) {
    setMessage(this, value);
  },
  configurable: true,
  enumerable: true,
};

/** Node prints an accessor as such: it prints the message when that has been read. */
const INSPECT = /* @__PURE__ */ Symbol.for('nodejs.util.inspect.custom');
const INSPECTED: PropertyDescriptor = {
  value(this: Classification): Classification {
    void this.userMessage;
    return this;
  },
};

type Verdict = Pick<Classification, 'code' | 'severity' | 'retryable'>;

/** The classification of what only first aid has read. @internal */
export function byFirstAid(
  {
    code,
    status,
    retryAfterMs,
  }: { code: AgentErrorCode; status?: number | undefined; retryAfterMs?: number | undefined },
  details: string,
  error: unknown,
  context: ClassifyContext,
): Classification {
  const provider: ProviderErrorMetadata = aboutContext({}, context);
  if (status !== undefined) provider.statusCode = status;
  if (retryAfterMs !== undefined) provider.retryAfter = retryAfterMs / 1000;
  return withMessage(
    { code, severity: severityOf(code), retryable: isRetryableCode(code) },
    {
      metadata: { technicalDetails: details },
      provider: withOriginal(provider, error),
      rule: 'first-aid',
      retryAfterMs,
      remedy: undefined,
    },
    context,
  );
}

/**
 * Joins the two parts of a classification around its message. The message costs more than all the rest, and most are
 * never read, so it is made when it is first read. Defining it in order, and not over an existing value, takes a third
 * of the time.
 */
function withMessage(
  verdict: Verdict,
  { metadata, provider, rule, retryAfterMs, remedy }: Omit<Classification, keyof Verdict | 'userMessage'>,
  { locale, audience }: Reader,
): Classification {
  const found = verdict as Classification;
  Object.defineProperty(found, 'userMessage', LATE);
  found.metadata = metadata;
  found.provider = provider;
  found.rule = rule;
  if (retryAfterMs !== undefined) found.retryAfterMs = retryAfterMs;
  if (remedy !== undefined) found.remedy = remedy;
  Object.defineProperty(found, INSPECT, INSPECTED);
  if (locale !== undefined || audience !== undefined) readers.set(found, { locale, audience });
  return found;
}

/** The core's numbers of how a remedy changes the sentence: `Circumstance` in core/src/message/about.rs. */
const CONVERSATION = 7;
const ATTACHMENT = 8;

/**
 * The code whose sentence a user reads of an error with that remedy, and the core's number of how the sentence changes. If a
 * request can be repaired, the conversation is at fault, and nothing that the user entered or named; `spoken` of
 * core/src/classify/remedy has the same.
 * @internal
 */
export function spoken(
  code: AgentErrorCode,
  remedy: Remedy | undefined,
): { code: AgentErrorCode; circumstance: number } {
  if (remedy === undefined || (code !== 'VALIDATION_ERROR' && code !== 'NOT_FOUND'))
    return { code, circumstance: 0 };
  return {
    code: 'VALIDATION_ERROR',
    circumstance: remedy.kind === 'drop-media' ? ATTACHMENT : CONVERSATION,
  };
}

function messageOf({ code, provider, retryAfterMs, remedy }: Classification, reader: Reader = {}): string {
  const error = provider.originalError;
  const isOwn = isBranded(error);
  const model = isOwn ? undefined : provider.model;
  const own = isOwn ? ownMessage(error, reader) : undefined;
  const said = spoken(code, remedy);
  const facts = { provider: provider.provider, model, retryAfterMs, circumstance: said.circumstance };
  return own ?? messageFor(said.code, facts, reader);
}

const HIDDEN = { value: undefined as unknown, enumerable: false, writable: true, configurable: true };

/** Keeps the thrown value where neither JSON nor a copy finds it. */
function withOriginal(provider: ProviderErrorMetadata, error: unknown): ProviderErrorMetadata {
  HIDDEN.value = error;
  Object.defineProperty(provider, 'originalError', HIDDEN);
  HIDDEN.value = undefined;
  return provider;
}

/** A property of whatever was thrown; `undefined` where reading it throws. */
export function get(of: unknown, name: PropertyKey): unknown {
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

function ownMessage(error: unknown, { locale, audience }: Reader): string | undefined {
  try {
    // A copy of an earlier version knows locales alone.
    const reader = audience === undefined ? locale : { locale, audience };
    const said = (error as { userMessage?: (reader?: unknown) => unknown }).userMessage?.(reader);
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined; // A method of a subclass that throws.
  }
}

function aboutContext(provider: ProviderErrorMetadata, { provider: name, model }: ClassifyContext) {
  if (name !== undefined) provider.provider ??= name;
  if (model !== undefined) provider.model ??= model;
  return provider;
}
