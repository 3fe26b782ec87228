/** A policy's view of a thrown value: its classification, the application's verdict on it, the resulting error. */

import { classifyDetailed } from '../classify/classify.js';
import { asRemedy } from '../classify/decision.js';
import type { Remedy } from '../classify/remedy.js';
import type { Classification, Classifier, ClassifyContext } from '../classify/types.js';
import { getUserFriendlyMessage } from '../message/user-message.js';
import { disown } from '../promises.js';
import {
  AgentError,
  type AgentErrorCode,
  type ErrorSeverity,
  fromClassification,
  isAgentErrorCode,
  isRetryableCode,
  isSound,
  SEVERITIES,
  severityOf,
} from './agent-error.js';

/** A failed attempt, read. */
export interface Failure {
  readonly error: AgentError;
  readonly rule: string;
  readonly signals: Record<string, unknown>;
  /** The value that the operation threw; absent if the policy itself ended the attempt. */
  readonly thrown?: unknown;
  /** The request was refused before it was carried out; absent if the policy itself ended the attempt. */
  readonly isRefusal?: boolean | undefined;
  /** Chunks were delivered, and the stream can neither continue nor restart. */
  readonly isBrokenStream?: boolean | undefined;
}

/** Called with a classifier's mistake, and the value that it threw or returned. */
export type ReportMisuse = (message: string, value: unknown) => void;

/** Reads a thrown value. It may run user code (getters, proxies, the classifier): do it before touching any state. */
export function readFailure(
  thrown: unknown,
  context: ClassifyContext,
  classifier?: Classifier,
  report: ReportMisuse = () => {},
): Failure {
  const { classification: built, signals, isRefusal } = classifyDetailed(thrown, context);
  const own = classifier === undefined ? undefined : ownClassification(classifier, thrown, context, report);
  const { messages, audience } = context;
  if (own === undefined) {
    const isOwn = AgentError.is(thrown) && isSound(thrown);
    return {
      error: isOwn ? thrown : fromClassification(built, thrown, { messages, audience }),
      rule: built.rule,
      signals,
      isRefusal: isRefusal ?? isRefused(built),
      thrown,
    };
  }
  const merged = merge(built, own, context, signals.wordsAlone === true);
  const error = fromClassification(merged, thrown, {
    ownMessage: own.userMessage !== undefined,
    ownDetails: own.metadata?.technicalDetails !== undefined,
    messages,
    audience,
  });
  // The application names a code, so the words no longer decide.
  if (own.code !== undefined) delete signals.wordsAlone;
  return {
    error,
    rule: merged.rule,
    signals,
    isRefusal:
      isRefusal === true || ((own.code !== undefined || isRefusal === undefined) && isRefused(merged)),
    thrown,
  };
}

/**
 * Returns the verdict of the application's classifier. If it throws, or returns a promise or no classification, that is
 * reported and otherwise ignored. The valid parts of an object count.
 */
function ownClassification(
  classifier: Classifier,
  thrown: unknown,
  context: ClassifyContext,
  report: ReportMisuse,
): Partial<Classification> | undefined {
  let said: unknown;
  try {
    said = classifier(thrown, context);
    if (said === undefined) return undefined;
    if (!isObject(said)) {
      report('classify must return an object or undefined; the built-in rules decide', said);
      return undefined;
    }
    if (disown(said)) {
      report('classify must not return a promise; the built-in rules decide', said);
      return undefined;
    }
    return parts(said as Record<string, unknown>, report);
  } catch (error) {
    report('classify threw; the built-in rules decide', error);
    return undefined;
  }
}

function parts(said: Record<string, unknown>, report: ReportMisuse): Partial<Classification> | undefined {
  const own: Record<string, unknown> = {};
  for (const [name, { can, expected }] of Object.entries(PARTS)) {
    const value = said[name];
    if (value === undefined) continue;
    if (can(value)) own[name] = value;
    else report(`classify: ${name} must be ${expected}; it is ignored`, value);
  }
  // An empty object, and one whose parts are undefined, pass as undefined does.
  if (Reflect.ownKeys(said).length > 0 && !Object.keys(PARTS).some((name) => name in said))
    report('classify returned nothing of a classification; the built-in rules decide', said);
  return Object.keys(own).length === 0 ? undefined : own;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string';

/** The valid values of each part of a classification. */
const PARTS: Readonly<Record<keyof Classification, { can: (value: unknown) => boolean; expected: string }>> =
  {
    code: { can: isAgentErrorCode, expected: 'an AgentErrorCode' },
    severity: { can: (value) => SEVERITIES.includes(value as ErrorSeverity), expected: 'an ErrorSeverity' },
    retryable: { can: (value) => typeof value === 'boolean', expected: 'a boolean' },
    userMessage: { can: isText, expected: 'a string' },
    metadata: { can: isObject, expected: 'an object' },
    provider: { can: isObject, expected: 'an object' },
    retryAfterMs: {
      can: (value) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY,
      expected: 'a finite number of milliseconds, 0 or more',
    },
    rule: { can: isText, expected: 'a string' },
    remedy: { can: (value) => asRemedy(value) !== undefined, expected: 'a Remedy' },
  };

/** Fills in the parts that the application leaves out: from its code, or without a code from the built-in rules. */
function merge(
  built: Classification,
  own: Partial<Classification>,
  context: ClassifyContext,
  hasWordsAlone: boolean,
): Classification {
  const code: AgentErrorCode = own.code ?? built.code;
  // A code that the application names is retried by its own rule, even if the built-in rules had only words for it.
  const same = code === built.code && !(own.code !== undefined && hasWordsAlone);
  const provider = { ...built.provider, ...own.provider };
  const { locale, audience } = context;
  return {
    code,
    severity: own.severity ?? (same ? built.severity : severityOf(code)),
    // The severity that the application states decides: only 'retriable' is retried.
    retryable:
      own.retryable ??
      (own.severity === undefined
        ? same
          ? built.retryable
          : isRetryableCode(code)
        : own.severity === 'retriable'),
    // Most are never read.
    get userMessage() {
      return (
        own.userMessage ??
        (same ? built.userMessage : getUserFriendlyMessage(code, provider, { locale, audience }))
      );
    },
    metadata: { ...built.metadata, ...own.metadata },
    provider,
    retryAfterMs: own.retryAfterMs ?? built.retryAfterMs,
    rule: own.rule ?? 'application',
    ...remedyPart(own.remedy ?? (same ? built.remedy : undefined)),
  };
}

/** Leaves the part out if there is no remedy. */
function remedyPart(remedy: Remedy | undefined): { remedy?: Remedy } {
  return remedy === undefined ? {} : { remedy };
}

/**
 * Codes after which a request may have been carried out all the same (RFC 9110 §9.2.2). A request that is not
 * idempotent is then not repeated.
 */
const MAYBE_CARRIED_OUT: readonly AgentErrorCode[] = [
  'TIMEOUT',
  'NETWORK_ERROR',
  'SERVER_ERROR',
  'INVALID_RESPONSE',
  'TOOL_EXECUTION_ERROR',
  'UNKNOWN',
];

/**
 * Returns `true` if an AgentError, or the application, declares a refusal. A 503 with a Retry-After was not worked on.
 * A retryable code with `retryable: false` may rest on words alone.
 */
function isRefused({ code, retryable, provider, retryAfterMs }: Classification): boolean {
  if (code === 'SERVER_ERROR') return provider.statusCode === 503 && retryAfterMs !== undefined;
  return !MAYBE_CARRIED_OUT.includes(code) && (retryable || !isRetryableCode(code));
}
