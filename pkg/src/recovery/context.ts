/** What is known of an error, and of the run that it ended, when it comes to the error step. */

import type { Classification } from '../classify/types.js';
import * as core from '../core/agent.js';
import { technicalDetailsOf } from '../error/technical-details.js';
import { type ErrorInfo, messageOf, type Report, readErrorInfo, string } from './error-info.js';

/** What of an agent's state an error context is made from. */
export interface AgentState {
  /** Default: 'Unknown task'. */
  currentTask?: string | undefined;
  retryCount?: number | undefined;
  /** The step that the plan is at, from 0. */
  stepIndex?: number | undefined;
  stepResults?:
    | Record<
        string,
        {
          stepIndex?: number | undefined;
          capability?: string | undefined;
          taskObjective?: string | undefined;
          success?: boolean | undefined;
        }
      >
    | undefined;
  errorInfo?: ErrorInfo | undefined;
}

/** What is known of an error, and of the run that it ended. Plain JSON apart from `classification.provider.originalError`. */
export interface ErrorContext {
  classification: Classification;
  errorMessage: string;
  currentTask: string;
  failedOperation: string;
  /** The capability that failed; where none has a name, the graph's node. */
  capabilityName?: string | undefined;
  totalOperations: number;
  /** Seconds; 0 where the state has none. */
  executionTime?: number | undefined;
  retryCount: number;
  /** 'Step 1: …', in step order. */
  successfulSteps: string[];
  /** 'Step 2: … - Failed', in step order. */
  failedSteps: string[];
}

/**
 * Returns what is known when an error has come to the error step, with a default for whatever is missing. Its
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

/** `report`: receives what is wrong with a classifier, which is then ignored. */
export function contextOf(state: AgentState, report?: Report): ErrorContext {
  const known: AgentState = state ?? {};
  const info: ErrorInfo = known.errorInfo ?? { error: undefined };
  const { error, classification } = readErrorInfo(info, string(known.currentTask), report);
  if (info.error !== undefined) {
    classification.metadata = { ...classification.metadata, technicalDetails: technicalDetailsOf(error) };
  }
  const facts = {
    currentTask: string(known.currentTask),
    retryCount: number(known.retryCount),
    stepIndex: number(known.stepIndex),
    steps: Object.values(known.stepResults ?? {}).map((step) => ({
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
