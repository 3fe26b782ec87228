/** The responses of agents, models and tools: results and errors as values. */

import type { AgentErrorCode, ModelErrorCode, ToolErrorCode } from '../codes.js';
import type { AgentErrorResponse } from './agent-error.js';

// This type is declared beside the class, because an error makes its response, and the response has the error.
export type { AgentErrorResponse };

/** An agent's result. `message` is for the user. */
export interface AgentSuccessResponse<T> {
  /** Always `true`: distinguishes it from an error. */
  success: true;
  /** The result of the operation, or of the fallback. */
  result: T;
  /** For the user. */
  message: string;
  /** The code of the failure that a fallback replaced; absent without one. */
  degraded?: AgentErrorCode | undefined;
}

/** An agent's result or error, distinguished by `success`. */
export type AgentResponse<T> = AgentSuccessResponse<T> | AgentErrorResponse;

/** A model layer's result. */
export interface ModelSuccessResponse<T> {
  /** Always `true`: distinguishes it from an error. */
  success: true;
  /** The result of the model layer. */
  result: T;
  /** For the user. */
  message: string;
}

/** A model layer's error. `message` is for the user. */
export interface ModelErrorResponse {
  /** Always `false`: distinguishes it from a success. */
  success: false;
  /** The code of the failure, one of those of the model layer. */
  error: ModelErrorCode;
  /** For the user: plain language, without secrets. */
  message: string;
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** A model layer's result or error, distinguished by `success`. */
export type ModelResponse<T> = ModelSuccessResponse<T> | ModelErrorResponse;

/** A tool layer's result or error, distinguished by `success`. */
export type ToolResponse<T> =
  | { success: true; result: T; message: string }
  | { success: false; error: ToolErrorCode; message: string };
