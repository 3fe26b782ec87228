/** What the core decides of a copied value, as a {@link Classification}. */

import {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  type ErrorSeverity,
  isAgentErrorCode,
  isRetryableCode,
  severityOf,
} from '../codes.js';
import { SEVERITIES } from '../core/wire.js';
import { messageFor } from '../message/user-message.js';
import { isBranded } from './brand.js';
import { RULE_IDS } from './rule-ids.js';
import { numbersBack } from './thrown.js';
import type { Classification, ClassifyContext, ProviderErrorMetadata } from './types.js';

const LAYERS = { model: 1, tool: 2, agent: 3 } as const;
const rules = /* @__PURE__ */ RULE_IDS.split(' ');
/** Separates the texts that come back. */
const TEXT_END = '\u001f';
/** Separates the items of a text that is a list. */
export const ITEM_END = '\u001e';
/** Of the third number: the rule recognises the error. */
const RECOGNISED = 2;

/** Statuses, codes and names that were read; never a text. */
export type Signals = Record<string, unknown>;

/** What the core says of a copy. */
export interface Decision {
  classification: Classification;
  signals: Signals;
  /** Further texts, where the core was called for more. */
  more: readonly string[];
}

/** What crosses into the core beside the copy. */
export function crossing({ provider, model, layer, now }: ClassifyContext) {
  const place = layer === undefined ? 0 : (LAYERS[layer] ?? 0);
  return [place, now ?? Date.now(), provider, model] as const;
}

/** Reads what came back. The numbers are those of the last call: read it at once. */
export function decisionFrom(texts: string, error: unknown, { locale }: ClassifyContext): Decision {
  const [details, provider, model, requestId, codes, names, ...more] = texts.split(TEXT_END);
  const numbers = numbersBack();
  const [flags, hint, status] = [numbers[2] as number, numbers[3], numbers[4]];
  const about: ProviderErrorMetadata = {};
  if (provider) about.provider = provider;
  if (model) about.model = model;
  if (isKnown(status)) about.statusCode = status;
  if (isKnown(hint)) about.retryAfter = hint / 1000;
  if (requestId) about.requestId = requestId;
  const id = rules[numbers[5] as number] ?? 'unknown';
  const recognised = (flags & RECOGNISED) !== 0;
  const classification: Classification = {
    code: AGENT_ERROR_CODES[numbers[0] as number] as AgentErrorCode,
    severity: SEVERITIES[numbers[1] as number] as ErrorSeverity,
    retryable: (flags & 1) !== 0,
    userMessage: '',
    metadata: { technicalDetails: recognised ? withRule(details ?? '', id) : details },
    provider: withOriginal(about, error),
    rule: id,
  };
  if (isKnown(hint)) classification.retryAfterMs = hint;
  renderWhenRead(classification, (of) => messageOf(of, of.provider.model, locale));
  return { classification, signals: signalsFrom(numbers, codes, names), more };
}

function signalsFrom(numbers: Float64Array, codes: string | undefined, names: string | undefined): Signals {
  const [status, rpc, shouldRetry, causes] = [numbers[6], numbers[7], numbers[8], numbers[9]];
  const signals: Signals = {};
  if (causes) signals.causes = causes;
  if (codes) signals.codes = codes.split(ITEM_END);
  if (names) signals.names = names.split(ITEM_END);
  if (rpc !== undefined && !Number.isNaN(rpc)) signals.rpc = rpc;
  if (isKnown(shouldRetry)) signals.shouldRetry = shouldRetry === 1;
  if (isKnown(status)) signals.status = status;
  return signals;
}

const isKnown = (number: number | undefined): number is number => number !== undefined && number >= 0;

function withRule(details: string, rule: string): string {
  return details === '' ? `rule ${rule}` : `${details} · rule ${rule}`;
}

/** An AgentError is what it says itself, as far as that can be read; a code of a later version is UNKNOWN. */
export function ownClassification(error: unknown, context: ClassifyContext): Classification | undefined {
  if (!isBranded(error)) return undefined;
  const stated = get(error, 'code');
  const code = isAgentErrorCode(stated) ? stated : 'UNKNOWN';
  const retryable = get(error, 'retryable');
  const severity = get(error, 'severity') as ErrorSeverity;
  const found: Classification = {
    code,
    severity: SEVERITIES.includes(severity) ? severity : severityOf(code),
    retryable: typeof retryable === 'boolean' ? retryable : isRetryableCode(code),
    userMessage: '',
    metadata: record(get(error, 'metadata')),
    provider: withOriginal(aboutContext(record(get(error, 'provider')), context), error),
    rule: 'agent-error',
  };
  const hint = get(error, 'retryAfterMs');
  if (typeof hint === 'number' && hint >= 0 && hint < Number.POSITIVE_INFINITY) found.retryAfterMs = hint;
  const { locale } = context;
  renderWhenRead(found, (of) => ownMessage(error, locale) ?? messageOf(of, undefined, locale));
  return found;
}

type Render = (of: Classification) => string;
const renders = /* @__PURE__ */ new WeakMap<object, Render>();

function setMessage(of: object, value: unknown): void {
  renders.delete(of);
  Object.defineProperty(of, 'userMessage', { value, writable: true, configurable: true, enumerable: true });
}

/** One pair of functions for all: with a pair for each, the engine would make each classification a class of its own. */
const LATE: PropertyDescriptorMap = {
  userMessage: {
    get(this: Classification): string {
      const message = renders.get(this)?.(this) ?? '';
      setMessage(this, message);
      return message;
    },
    set(this: Classification, value: unknown) {
      setMessage(this, value);
    },
    configurable: true,
    enumerable: true,
  },
  // Node prints an accessor as such: it prints the message when that has been read.
  [Symbol.for('nodejs.util.inspect.custom')]: {
    value(this: Classification): Classification {
      void this.userMessage;
      return this;
    },
  },
};

/** The message costs more than all the rest, and most are never read: it is made when it is first read. */
function renderWhenRead(classification: Classification, render: Render): void {
  renders.set(classification, render);
  Object.defineProperties(classification, LATE);
}

function messageOf(
  { code, provider, retryAfterMs }: Classification,
  model: string | undefined,
  locale: string | undefined,
): string {
  return messageFor(code, { provider: provider.provider, model, retryAfterMs }, locale);
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
function get(of: unknown, name: PropertyKey): unknown {
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

function aboutContext(provider: ProviderErrorMetadata, { provider: name, model }: ClassifyContext) {
  if (name !== undefined) provider.provider ??= name;
  if (model !== undefined) provider.model ??= model;
  return provider;
}
