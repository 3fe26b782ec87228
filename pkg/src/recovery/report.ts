/** The report of an error, and the prompt that asks a model to explain it. */

import * as core from '../core/agent.js';
import { type ErrorSeverity, severityOf } from '../error/agent-error.js';
import type { Reader } from '../message/about.js';
import { textForLog, valueForLog } from '../message/for-log.js';
import { audienceIndex } from '../message/user-message.js';
import { finite, readOptions, text } from '../options.js';
import { type ErrorContext, sentenceIn, wordsIn } from './context.js';
import { LABELS } from './labels.js';

const REPORT = { now: finite, locale: text };

/**
 * Returns the report of an error as Markdown: a heading with the time in UTC, the sentence for the user, then the details: the
 * type, the task, the failed operation, the message, the capability, the metadata as JSON, and the numbers of steps, seconds
 * and retries. It leaves out what is not known, and the message of a protocol or a system, which the metadata has. Secrets are
 * removed.
 *
 * @param options `now`: milliseconds since the Unix epoch (default: the wall clock). `locale`: a BCP 47 tag (default:
 * English).
 * @throws TypeError for a wrong option.
 * @example
 * ```ts
 * const context = createErrorContext({ errorInfo: { error, capabilityName: 'search' } });
 * console.log(renderReport(context, { locale: 'de' }));
 * ```
 */
export function renderReport(
  context: ErrorContext,
  options?: { now?: number | undefined; locale?: string | undefined },
): string {
  const { now, locale } = readOptions<{ now?: number; locale?: string }>(REPORT, options, 'renderReport');
  const facts = { ...redacted(context, { locale }), errorMessage: textForLog(wordsIn(context)) };
  return core.recoveryReport(facts, now ?? Date.now(), LABELS.of(locale ?? 'en'));
}

/**
 * Returns a prompt for a model that explains the error to the user. Text from the error is within fences that it cannot
 * close, and is marked as data, so that an error message cannot instruct the model. Secrets are removed.
 *
 * @param capabilities What the agent can do, so that the model can suggest what to try instead.
 * @example
 * ```ts
 * const prompt = buildExplanationPrompt(createErrorContext(state), 'search: finds papers');
 * ```
 */
export function buildExplanationPrompt(context: ErrorContext, capabilities?: string): string {
  return promptFor(context, capabilities, {});
}

/** The prompt for the explanation that this reader gets. */
export function promptFor(context: ErrorContext, capabilities: string | undefined, reader: Reader): string {
  return core.recoveryPrompt(redacted(context, reader), capabilities, audienceIndex(reader.audience));
}

/** The context as the core reads it, without secrets. */
function redacted(context: ErrorContext, reader: Reader): object {
  const { classification: cause } = context;
  const severity: ErrorSeverity = cause?.severity ?? severityOf(cause?.code ?? 'UNKNOWN');
  return {
    code: cause?.code ?? 'UNKNOWN',
    severity,
    userMessage: cause === undefined ? '' : textForLog(sentenceIn(context, reader)),
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
