/** What a thrown value means to a policy: its classification, the application's word on it, the error it becomes. */

import type { Classification, Classifier, ClassifyContext } from './classification.js';
import { classifyDetailed } from './classify.js';
import {
  AgentError,
  type AgentErrorCode,
  type ErrorSeverity,
  fromClassification,
  isAgentErrorCode,
  isRetryableCode,
  SEVERITIES,
  severityOf,
} from './errors.js';
import { getUserFriendlyMessage } from './message.js';

/** A failed attempt, read. */
export interface Failure {
  readonly error: AgentError;
  readonly rule: string;
  readonly signals: Record<string, unknown>;
}

/** Reads a thrown value. It may run user code (getters, proxies, the classifier): do it before touching any state. */
export function readFailure(thrown: unknown, context: ClassifyContext, classifier?: Classifier): Failure {
  const built = classifyDetailed(thrown, context);
  const own = classifier === undefined ? undefined : ask(classifier, thrown, context);
  if (own === undefined) {
    const error = AgentError.is(thrown) ? thrown : fromClassification(built, thrown);
    return { error, rule: built.rule, signals: built.signals };
  }
  const merged = merge(built, own, context);
  return {
    error: fromClassification(merged, thrown, { ownMessage: own.userMessage !== undefined }),
    rule: merged.rule,
    signals: built.signals,
  };
}

/** A classifier that throws passes, as one that says nothing; what it says that cannot be is as if it were left out. */
function ask(
  classifier: Classifier,
  thrown: unknown,
  context: ClassifyContext,
): Partial<Classification> | undefined {
  try {
    const said: unknown = classifier(thrown, context);
    if (typeof said !== 'object' || said === null) return undefined;
    const own: Record<string, unknown> = {};
    for (const [name, can] of Object.entries(CAN_BE)) {
      const value = (said as Record<string, unknown>)[name];
      if (can(value)) own[name] = value;
    }
    return Object.keys(own).length === 0 ? undefined : own;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string';

/** What each part of a classification can be. */
const CAN_BE: Readonly<Record<keyof Classification, (value: unknown) => boolean>> = {
  code: isAgentErrorCode,
  severity: (value) => SEVERITIES.includes(value as ErrorSeverity),
  retryable: (value) => typeof value === 'boolean',
  userMessage: isText,
  metadata: isObject,
  provider: isObject,
  retryAfterMs: (value) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY,
  rule: isText,
};

/** What the application leaves out follows from its code, and where that is left out too, from the built-in rules. */
function merge(
  built: Classification,
  own: Partial<Classification>,
  context: ClassifyContext,
): Classification {
  const code: AgentErrorCode = own.code ?? built.code;
  const same = code === built.code;
  const provider = { ...built.provider, ...own.provider };
  return {
    ...built,
    ...own,
    code,
    severity: own.severity ?? (same ? built.severity : severityOf(code)),
    retryable: own.retryable ?? (same ? built.retryable : isRetryableCode(code)),
    userMessage:
      own.userMessage ??
      (same ? built.userMessage : getUserFriendlyMessage(code, provider, { locale: context.locale })),
    metadata: { ...built.metadata, ...own.metadata },
    provider,
    rule: own.rule ?? 'application',
  };
}

/**
 * The codes after which a request may have been worked on all the same, RFC 9110 §9.2.2: what is not idempotent is
 * then not repeated. A refused or unresolved connection never got that far.
 */
export function mayHaveReachedProvider(failure: Failure): boolean {
  const { code } = failure.error;
  if (code === 'TIMEOUT') return true;
  return code === 'NETWORK_ERROR' && !NEVER_SENT.test(JSON.stringify(failure.signals));
}

const NEVER_SENT =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_|_CERT|ERR_TLS/;
