/** The responses of agents, models and tools: errors as values. */

import type { AgentErrorCode, ModelErrorCode, ToolErrorCode } from '../codes.js';
import type { AgentErrorResponse } from './agent-error.js';

// Beside the class: an error makes its response, and the response has the error.
export type { AgentErrorResponse };

export interface AgentSuccessResponse<T> {
  success: true;
  result: T;
  message: string;
  /** Set when a fallback answered: what had failed. */
  degraded?: AgentErrorCode | undefined;
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
