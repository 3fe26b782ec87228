/** Errors as values: conversions between errors and responses, and between the layers' responses. */

import type { ClassifyContext, ProviderErrorMetadata } from '../classify/types.js';
import {
  type AgentErrorCode,
  isAgentErrorCode,
  mapModelErrorCodeToAgentErrorCode,
  mapToolErrorCodeToAgentErrorCode,
  type ToolErrorCode,
  toModelErrorCode,
} from '../codes.js';
import type { Reader } from '../message/about.js';
import { AgentError, hasAudience } from './agent-error.js';
import { steadyError } from './final-error.js';
import type { AgentErrorResponse, AgentSuccessResponse, ModelErrorResponse } from './response-types.js';

/**
 * Returns a success response.
 *
 * @example
 * ```ts
 * successResponse(42, 'OK'); // { success: true, result: 42, message: 'OK' }
 * ```
 */
export function successResponse<T>(result: T, message: string): AgentSuccessResponse<T> {
  return { success: true, result, message };
}

/**
 * Returns an error response. It has `metadata` only if some is given. `metadata.originalError` is not enumerable, so
 * that JSON leaves it out.
 *
 * @example
 * ```ts
 * errorResponse('RATE_LIMITED', 'Too many requests', { provider: 'openai', retryAfter: 60 });
 * ```
 * @throws TypeError for what is no code.
 */
export function errorResponse(
  error: AgentErrorCode,
  message: string,
  metadata?: ProviderErrorMetadata,
): AgentErrorResponse {
  if (!isAgentErrorCode(error)) {
    throw new TypeError(
      `halfopen: errorResponse: error: expected an AgentErrorCode, got ${JSON.stringify(error)}`,
    );
  }
  return {
    success: false,
    error,
    message,
    ...(metadata === undefined ? {} : { metadata: hidingOriginal(metadata) }),
  };
}

/**
 * Returns the error's response with the error as its `cause`. Never throws: if a subclass's own method fails, the
 * error's fields replace its result.
 *
 * @internal
 */
export function responseFor(error: AgentError): AgentErrorResponse {
  const response = ownResponse(error) ?? AgentError.prototype.toResponse.call(withoutOwnMessage(error));
  return Object.defineProperty(response, 'cause', { value: error, writable: true, configurable: true });
}

/**
 * Returns the message of the error's response, for the policy's audience unless the error has its own.
 *
 * @internal
 */
export function messageFor(error: AgentError, { audience }: Reader): string {
  return audience === undefined || hasAudience(error)
    ? responseFor(error).message
    : sentenceOf(error, { audience });
}

/** Returns a copy of the subclass's own response: the object belongs to it, and may be frozen. */
function ownResponse(error: AgentError): AgentErrorResponse | undefined {
  try {
    const response: AgentErrorResponse = { ...error.toResponse() };
    return response.success === false && typeof response.message === 'string' ? response : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error's message for users. Never throws, whatever a subclass's own method does. @internal */
export function sentenceOf(error: AgentError, { locale, audience }: Reader): string {
  // A copy of an earlier version accepts only locales.
  const reader = audience === undefined ? locale : { locale, audience };
  try {
    const message: unknown = error.userMessage(reader);
    if (typeof message === 'string') return message;
  } catch {
    // A subclass's own method.
  }
  return AgentError.prototype.userMessage.call(error, reader);
}

/** Returns the error without a subclass's `userMessage`. */
function withoutOwnMessage(error: AgentError): AgentError {
  return Object.create(error, { userMessage: { value: AgentError.prototype.userMessage } });
}

/**
 * Classifies any thrown value and returns it as a model layer's error response, with the message for users. Codes that
 * a model call cannot have become UNKNOWN.
 *
 * @example
 * ```ts
 * toModelResponse(Object.assign(new Error('x'), { status: 429, headers: { 'retry-after': '7' } }));
 * // { success: false, error: 'RATE_LIMITED', message: 'Too many requests …', retryAfterMs: 7000 }
 * ```
 */
export function toModelResponse(error: unknown, context?: ClassifyContext): ModelErrorResponse {
  const found = steadyError(error, { layer: 'model', ...context });
  return {
    success: false,
    error: toModelErrorCode(found.code),
    message: sentenceOf(found, context ?? {}),
    ...(found.retryAfterMs === undefined ? {} : { retryAfterMs: found.retryAfterMs }),
  };
}

/**
 * Returns a model layer's failure as the agent's, with the provider's metadata.
 *
 * @example
 * ```ts
 * mapModelErrorToAgentError({ success: false, error: 'TIMEOUT', message: 'slow' }, { provider: 'openai' });
 * // { success: false, error: 'TIMEOUT', message: 'slow', metadata: { provider: 'openai' } }
 * ```
 */
export function mapModelErrorToAgentError(
  response: ModelErrorResponse,
  metadata?: ProviderErrorMetadata,
): AgentErrorResponse {
  const mapped = errorResponse(mapModelErrorCodeToAgentErrorCode(response.error), response.message, metadata);
  return response.retryAfterMs === undefined ? mapped : { ...mapped, retryAfterMs: response.retryAfterMs };
}

/**
 * Returns a tool's failure as the agent's: UNKNOWN becomes TOOL_EXECUTION_ERROR.
 *
 * @example
 * ```ts
 * mapToolErrorToAgentError({ error: 'UNKNOWN', message: 'boom' }).error; // 'TOOL_EXECUTION_ERROR'
 * ```
 */
export function mapToolErrorToAgentError(
  response: { error: ToolErrorCode; message: string },
  metadata?: ProviderErrorMetadata,
): AgentErrorResponse {
  return errorResponse(mapToolErrorCodeToAgentErrorCode(response.error), response.message, metadata);
}

function hidingOriginal(metadata: ProviderErrorMetadata): ProviderErrorMetadata {
  if (!Object.keys(metadata).includes('originalError')) return metadata;
  const { originalError, ...rest } = metadata;
  return Object.defineProperty(rest, 'originalError', {
    value: originalError,
    writable: true,
    configurable: true,
  });
}
