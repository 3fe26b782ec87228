/** The responses of agents, models and tools: errors as values. */

import type { ProviderErrorMetadata } from '../classify/types.js';
import type { AgentErrorCode, ModelErrorCode, ToolErrorCode } from '../codes.js';
import type { AgentError } from './agent-error.js';

export interface AgentSuccessResponse<T> {
  success: true;
  result: T;
  message: string;
  /** Set when a fallback answered: what had failed. */
  degraded?: AgentErrorCode | undefined;
}

export interface AgentErrorResponse {
  success: false;
  error: AgentErrorCode;
  message: string;
  metadata?: ProviderErrorMetadata | undefined;
  retryable?: boolean | undefined;
  /** Milliseconds. */
  retryAfterMs?: number | undefined;
  /**
   * From `respond`, `onError` and `toolResult`'s `onError`: the error itself, with its stack. Not enumerable, so that no
   * JSON and no copy has it.
   */
  readonly cause?: AgentError | undefined;
}

/** What an agent answers; `success` tells which of the two it is. */
export type AgentResponse<T> = AgentSuccessResponse<T> | AgentErrorResponse;

export interface ModelSuccessResponse<T> {
  success: true;
  result: T;
  message: string;
}

export interface ModelErrorResponse {
  success: false;
  error: ModelErrorCode;
  message: string;
  /** Milliseconds. */
  retryAfterMs?: number | undefined;
}

/** What a model layer answers. */
export type ModelResponse<T> = ModelSuccessResponse<T> | ModelErrorResponse;

/** What a tool layer answers. */
export type ToolResponse<T> =
  | { success: true; result: T; message: string }
  | { success: false; error: ToolErrorCode; message: string };
