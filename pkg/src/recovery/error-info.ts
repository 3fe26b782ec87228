/** The error information of the router and the error step, and how they read it. */

import type { Classification, Classifier, ClassifyContext } from '../classify/types.js';
import { AgentError, isSound } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { readFailure } from '../error/failure.js';
import { hasOwnWords } from '../error/words.js';
import { textForLog } from '../message/for-log.js';
import { readOptions, syncCallback } from '../options.js';

/** An error on its way to the router or the error step, with what its capability knows of it. */
export interface ErrorInfo {
  /** The thrown value. */
  error: unknown;
  /** The capability that failed: where a retry goes. */
  capabilityName?: string | undefined;
  /** The application's own classification. Absent parts follow from its code, or from the error. */
  classification?: Partial<Classification> | undefined;
  /**
   * The capability's own classifier. It receives the error, the capability, the task, and the provider and model where the error
   * has them. A field of `classification` outranks the same field of what it returns.
   */
  classify?: Classifier | undefined;
  /** When a retriable error is retried. */
  retryPolicy?:
    | {
        /** How many retries there may be: a `retryCount` below it retries. Default: 3. */
        maxAttempts?: number | undefined;
        /** The wait before the first retry, in seconds. Default: 1. */
        delaySeconds?: number | undefined;
        /** Each further wait is multiplied by this. Default: 1.5. */
        backoffFactor?: number | undefined;
        /**
         * The longest wait that the provider may ask for, in milliseconds. A retry waits as long as the provider asked at least;
         * beyond this, the error step follows. Default: 60,000.
         */
        maxRetryAfterMs?: number | undefined;
      }
    | undefined;
  /** How long the capability ran, in seconds. */
  executionTime?: number | undefined;
  /** The graph's node that failed. It is used where the capability has no name. */
  nodeName?: string | undefined;
}

const OWN = { classify: syncCallback };

/** Receives what is wrong with a classifier. */
export type Report = (thrown: unknown) => void;

/** An error in the form that recovery uses. */
export interface ReadErrorInfo {
  readonly error: AgentError;
  readonly classification: Classification;
  /** `true` if its words are the application's own, and no protocol's or system's, so that a user may read them. */
  readonly hasOwnWords: boolean;
}

/** Classifies the error, with the application's classifier and classification over the built-in rules. */
export function readErrorInfo(info: ErrorInfo, task: string | undefined, report?: Report): ReadErrorInfo {
  const context: ClassifyContext = { capability: capabilityOf(info), task };
  if (AgentError.is(info.error) && isSound(info.error)) {
    const { provider, model } = info.error.provider;
    Object.assign(context, { provider, model });
  }
  const { error, rule } = readFailure(info.error, context, ownClassifier(info, report));
  const { code, severity, retryable, metadata, provider, retryAfterMs } = error;
  const userMessage = info.classification?.userMessage ?? responseFor(error).message;
  const classification: Classification = { code, severity, retryable, userMessage, metadata, provider, rule };
  if (retryAfterMs !== undefined) classification.retryAfterMs = retryAfterMs;
  if (error.remedy !== undefined) classification.remedy = error.remedy;
  return { error, classification, hasOwnWords: hasOwnWords(error) };
}

/** One classifier of both: what the capability's classifier returns, and over it the classification of this error. */
function ownClassifier(info: ErrorInfo, report: Report | undefined): Classifier | undefined {
  const { classification } = info;
  let { classify: classifier } = info;
  try {
    readOptions(OWN, { classify: classifier }, 'ErrorInfo');
  } catch (wrong) {
    if (report === undefined) throw wrong;
    report(wrong);
    classifier = undefined;
  }
  if (classifier === undefined) return classification && (() => classification);
  return (error, context) => {
    const own: Record<string, unknown> = {};
    try {
      const result: unknown = classifier(error, context);
      if (result instanceof Promise) result.catch(() => {});
      const usable = typeof result === 'object' && result !== null && !('then' in result);
      if (usable) Object.assign(own, result);
      else if (result !== undefined)
        report?.(new TypeError('halfopen: a classifier must return a classification or undefined'));
    } catch (thrown) {
      report?.(thrown);
    }
    for (const [name, value] of Object.entries(classification ?? {})) {
      if (value !== undefined) own[name] = value;
    }
    return own;
  };
}

/** The name of what a retry calls again. */
export function capabilityOf(info: ErrorInfo): string | undefined {
  return [info.capabilityName, info.nodeName].find((name) => string(name)?.trim());
}

/** Returns the error's message, without secrets; `undefined` if it is missing. */
export function messageOf(error: unknown): string | undefined {
  try {
    const message =
      typeof error === 'object' && error !== null
        ? (error as { message?: unknown }).message
        : (error ?? undefined);
    return message === undefined ? undefined : textForLog(String(message));
  } catch {
    return undefined;
  }
}

/** Returns the value if it is a string. */
export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
