/** The report of an error, and the prompt that asks a model to explain it. */

import * as core from '../core/agent.js';
import { type ErrorSeverity, severityOf } from '../error/agent-error.js';
import { textForLog, valueForLog } from '../message/for-log.js';
import { inLanguage } from '../message/language.js';
import { finite, readOptions, text } from '../options.js';
import type { ErrorContext } from './context.js';
import { LABELS } from './labels.js';

const REPORT = { now: finite, locale: text };

/**
 * The report of an error, as Markdown: a heading with the time in UTC, the type, the task, the failed operation, the
 * message, the capability, the metadata as JSON, the execution's numbers. What is not known is left out.
 *
 * @param options `now`: milliseconds since the Unix epoch, default the wall clock. `locale`: default English.
 * @throws TypeError for a wrong option.
 */
export function renderReport(
  context: ErrorContext,
  options?: { now?: number | undefined; locale?: string | undefined },
): string {
  const { now, locale } = readOptions<{ now?: number; locale?: string }>(REPORT, options, 'renderReport');
  return core.recoveryReport(crossing(context), now ?? Date.now(), inLanguage(LABELS, locale ?? 'en'));
}

/**
 * The prompt that asks a model to explain the error to a person. What came from the error stands behind fences that
 * it cannot close, and is named as data: an error message cannot instruct the model.
 *
 * @param capabilities What the agent can do, so that the model can say what to try instead.
 */
export function buildExplanationPrompt(context: ErrorContext, capabilities?: string): string {
  return core.recoveryPrompt(crossing(context), capabilities);
}

/** The context as the core reads it: the facts of a report, without secrets. */
function crossing(context: ErrorContext): object {
  const { classification: cause } = context;
  const severity: ErrorSeverity = cause?.severity ?? severityOf(cause?.code ?? 'UNKNOWN');
  return {
    code: cause?.code ?? 'UNKNOWN',
    severity,
    metadata: jsonOf(valueForLog(cause?.metadata ?? {})),
    errorMessage: textForLog(context.errorMessage),
    currentTask: textForLog(context.currentTask),
    failedOperation: textForLog(context.failedOperation),
    capabilityName: context.capabilityName === undefined ? undefined : textForLog(context.capabilityName),
    totalOperations: context.totalOperations,
    executionTime: context.executionTime,
    retryCount: context.retryCount,
    successfulSteps: context.successfulSteps.map((step) => textForLog(step)),
    failedSteps: context.failedSteps.map((step) => textForLog(step)),
  };
}

/** The metadata as JSON, on several lines and with its names in order; empty for none. */
function jsonOf(metadata: unknown): string {
  const json = JSON.stringify(metadata, (_, value: unknown) => (isRecord(value) ? sorted(value) : value), 2);
  return isRecord(metadata) && json !== '{}' ? json : '';
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(record: object): object {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
