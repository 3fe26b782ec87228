/** What is known of an error when it comes to the router or the error step, and how it is read. */

import type { Classification, Classifier, ClassifyContext } from '../classify/types.js';
import { AgentError, isSound } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { readFailure } from '../error/failure.js';
import { textForLog } from '../message/for-log.js';
import { readOptions, syncCallback } from '../options.js';

/** What is known of an error when it has come to the router. */
export interface ErrorInfo {
  error: unknown;
  /** The capability that failed: where a retry goes. */
  capabilityName?: string | undefined;
  /** The application's own word on the error; what it leaves out follows from its code, or from the error. */
  classification?: Partial<Classification> | undefined;
  /**
   * The capability's own classifier. It gets the error, and with it the capability, the task, and the provider and model where the
   * error has them. `classification` outranks what it returns, field by field.
   */
  classify?: Classifier | undefined;
  /** Defaults 3, 1.0, 1.5. maxAttempts counts retries: a retryCount below it retries. */
  retryPolicy?:
    | {
        maxAttempts?: number | undefined;
        delaySeconds?: number | undefined;
        backoffFactor?: number | undefined;
      }
    | undefined;
  /** Seconds. */
  executionTime?: number | undefined;
  /** The graph's node that failed: stands for the capability where that has no name. */
  nodeName?: string | undefined;
}
const OWN = { classify: syncCallback };

/** Receives what is wrong with a classifier. */
export type Report = (thrown: unknown) => void;
/** The error with the application's word on it. */
export function readErrorInfo(
  info: ErrorInfo,
  task: string | undefined,
  report?: Report,
): { error: AgentError; classification: Classification } {
  const context: ClassifyContext = { capability: capabilityOf(info), task };
  if (AgentError.is(info.error) && isSound(info.error)) {
    const { provider, model } = info.error.provider;
    Object.assign(context, { provider, model });
  }
  const { error, rule } = readFailure(info.error, context, ownWord(info, report));
  const { code, severity, retryable, metadata, provider, retryAfterMs } = error;
  const userMessage = info.classification?.userMessage ?? responseFor(error).message;
  const classification: Classification = { code, severity, retryable, userMessage, metadata, provider, rule };
  if (retryAfterMs !== undefined) classification.retryAfterMs = retryAfterMs;
  return { error, classification };
}

/** The classifier's word, and over it the application's on this very error. */
function ownWord(info: ErrorInfo, report: Report | undefined): Classifier | undefined {
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
    const said: Record<string, unknown> = {};
    try {
      const result: unknown = classifier(error, context);
      if (result instanceof Promise) result.catch(() => {});
      const usable = typeof result === 'object' && result !== null && !('then' in result);
      if (usable) Object.assign(said, result);
      else if (result !== undefined)
        report?.(new TypeError('halfopen: a classifier must return a classification or undefined'));
    } catch (thrown) {
      report?.(thrown);
    }
    for (const [name, value] of Object.entries(classification ?? {})) {
      if (value !== undefined) said[name] = value;
    }
    return said;
  };
}

/** Where a retry goes. */
export function capabilityOf(info: ErrorInfo): string | undefined {
  return [info.capabilityName, info.nodeName].find((name) => string(name)?.trim());
}

/** What the error said, without secrets; `undefined` for nothing. */
export function messageOf(error: unknown): string | undefined {
  try {
    const said =
      typeof error === 'object' && error !== null
        ? (error as { message?: unknown }).message
        : (error ?? undefined);
    return said === undefined ? undefined : textForLog(String(said));
  } catch {
    return undefined;
  }
}

export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
