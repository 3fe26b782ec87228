/** The error step's knowledge of an error, and of the run that the error ended. */

import type { Classification } from '../classify/types.js';
import * as core from '../core/agent.js';
import type { AgentError } from '../error/agent-error.js';
import { sentenceOf } from '../error/as-response.js';
import { technicalDetailsOf } from '../error/technical-details.js';
import type { Reader } from '../message/about.js';
import { type ErrorInfo, messageOf, type Report, readErrorInfo, string } from './error-info.js';

/** The part of an agent's state that an error context is made from. */
export interface AgentState {
  /** The user's request. Default: 'Unknown task'. */
  currentTask?: string | undefined;
  /** Retries so far. Default: 0. */
  retryCount?: number | undefined;
  /** The plan's current step, from 0. Default: 0. */
  stepIndex?: number | undefined;
  /** The results of steps, by any key and in any order. */
  stepResults?:
    | Record<
        string,
        {
          /** The step's index in the plan, from 0. */
          stepIndex?: number | undefined;
          /** The capability that ran. */
          capability?: string | undefined;
          /** Its purpose. Default: the capability. */
          taskObjective?: string | undefined;
          /** Default: false. */
          success?: boolean | undefined;
        }
      >
    | undefined;
  /** The error. */
  errorInfo?: ErrorInfo | undefined;
}

/** An error and the run that it ended. Plain JSON apart from `classification.provider.originalError`. */
export interface ErrorContext {
  /** The kind of error. */
  classification: Classification;
  /** The error's message, without secrets; 'Unknown error occurred' if it is missing. */
  errorMessage: string;
  /** The user's request; 'Unknown task' if it is missing in the state. */
  currentTask: string;
  /** `capabilityName`, or 'Unknown operation'. */
  failedOperation: string;
  /** The capability that failed; if it has no name, the graph's node. */
  capabilityName?: string | undefined;
  /** How many steps the plan has begun. */
  totalOperations: number;
  /** Seconds; 0 if it is missing in the state. */
  executionTime?: number | undefined;
  /** Retries so far. */
  retryCount: number;
  /** 'Step 1: …', in step order. */
  successfulSteps: string[];
  /** 'Step 2: … - Failed', in step order. */
  failedSteps: string[];
}

/**
 * Returns the context of an error from an agent's state, with a default for whatever is missing. Its
 * `classification.metadata.technicalDetails` has the error's class and text, unless the application gave its own.
 *
 * @throws TypeError for a classifier that is async or no function.
 * @example
 * ```ts
 * createErrorContext({ currentTask: 'Find the paper', stepIndex: 2, errorInfo: { error, capabilityName: 'search' } });
 * ```
 */
export function createErrorContext(state: AgentState): ErrorContext {
  return contextOf(state);
}

/** The facts of an error that a report needs beside its context. */
interface Known {
  readonly error: AgentError;
  readonly hasOwnWords: boolean;
  /** `true` if the application wrote the sentence for the user, which is then the same for every reader. */
  readonly hasOwnMessage: boolean;
}

/** By the classification: a context that is copied, or comes as JSON, has its fields alone. */
const known = /* @__PURE__ */ new WeakMap<Classification, Known>();

/** The sentence for the user, for that reader where the application has not written one. */
export function sentenceIn({ classification }: ErrorContext, reader: Reader): string {
  const of = known.get(classification);
  return of === undefined || of.hasOwnMessage ? classification.userMessage : sentenceOf(of.error, reader);
}

/**
 * Returns the error's message if a user may read it; empty if it comes from a protocol or a system, because the
 * metadata has it.
 */
export function wordsIn({ classification, errorMessage }: ErrorContext): string {
  return known.get(classification)?.hasOwnWords === false ? '' : errorMessage;
}

/** `report`: receives what is wrong with a classifier, which is then ignored. */
export function contextOf(state: AgentState, report?: Report): ErrorContext {
  const given: AgentState = state ?? {};
  const info: ErrorInfo = given.errorInfo ?? { error: undefined };
  const { error, classification, hasOwnWords } = readErrorInfo(info, string(given.currentTask), report);
  const hasOwnMessage = info.classification?.userMessage !== undefined;
  known.set(classification, { error, hasOwnWords, hasOwnMessage });
  if (info.error !== undefined) {
    classification.metadata = { ...classification.metadata, technicalDetails: technicalDetailsOf(error) };
  }
  const facts = {
    currentTask: string(given.currentTask),
    retryCount: number(given.retryCount),
    stepIndex: number(given.stepIndex),
    steps: Object.values(given.stepResults ?? {}).map((step) => ({
      stepIndex: number(step?.stepIndex),
      capability: string(step?.capability),
      taskObjective: string(step?.taskObjective),
      success: step?.success === true,
    })),
    capabilityName: string(info.capabilityName),
    nodeName: string(info.nodeName),
    errorMessage: messageOf(info.error),
    executionTime: number(info.executionTime),
  };
  return { classification, ...(core.recoveryContext(facts) as Omit<ErrorContext, 'classification'>) };
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
