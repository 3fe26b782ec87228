/** Guards that distinguish successes from error responses and errors. */

import { isBranded } from '../classify/brand.js';
import type { AgentError, AgentErrorResponse } from './agent-error.js';
import type { AgentResponse, AgentSuccessResponse } from './response-types.js';

/**
 * Returns whether the response is a success.
 *
 * @example
 * ```ts
 * const response = await policy.respond(operation);
 * if (isAgentSuccess(response)) console.log(response.result);
 * ```
 */
export function isAgentSuccess<T>(response: AgentResponse<T>): response is AgentSuccessResponse<T> {
  return response.success === true;
}

/**
 * Returns whether the value is an error response or an {@link AgentError}. Never throws.
 *
 * @example
 * ```ts
 * isAgentError(await policy.respond(operation)); // false where it succeeded
 * isAgentError(new AgentError('TIMEOUT', 'took too long')); // true
 * ```
 */
export function isAgentError(response: AgentResponse<unknown>): response is AgentErrorResponse;
/** Returns `true` if the value is an error response or an {@link AgentError}. Never throws. */
export function isAgentError(error: unknown): error is AgentErrorResponse | AgentError;
export function isAgentError(value: unknown): boolean {
  if (isBranded(value)) return true;
  try {
    return typeof value === 'object' && value !== null && (value as AgentErrorResponse).success === false;
  } catch {
    return false; // A proxy that throws.
  }
}
