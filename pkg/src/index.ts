/// <reference lib="esnext.disposable" preserve="true" />
// The package's main entry: everything public, by area.
export type {
  Classification,
  Classifier,
  ClassifyContext,
  ErrorMetadata,
  ProviderErrorMetadata,
} from './classification.js';
export { classify, mapErrorToCode, parseRetryAfter } from './classify.js';
export {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  type ErrorSeverity,
  type ErrorType,
  errorTypeOf,
  isRetryableCode,
  MODEL_ERROR_CODES,
  type ModelErrorCode,
  mapModelErrorCodeToAgentErrorCode,
  mapToolErrorCodeToAgentErrorCode,
  severityOf,
  TOOL_ERROR_CODES,
  type ToolErrorCode,
} from './codes.js';
export { AgentError, type AgentErrorOptions } from './errors.js';
export { formatErrorMessage, getUserFriendlyMessage, LOCALES, redact } from './message.js';
export {
  type AgentErrorResponse,
  type AgentResponse,
  type AgentSuccessResponse,
  errorResponse,
  isAgentError,
  isAgentSuccess,
  type ModelErrorResponse,
  type ModelResponse,
  type ModelSuccessResponse,
  mapModelErrorToAgentError,
  mapToolErrorToAgentError,
  successResponse,
  type ToolResponse,
  toModelResponse,
} from './responses.js';
