/// <reference lib="esnext.disposable" preserve="true" />
// The package's main entry: everything public, by area.

export {
  type BreakerChange,
  type BreakerOptions,
  type BreakerPermit,
  type BreakerSnapshot,
  type BreakerState,
  CircuitBreaker,
} from './breaker/breaker.js';
export { type Chunks, STREAM_RESET, type StreamContext } from './call/stream.js';
export type { SchemaIssue, SchemaResult, StandardSchemaV1 } from './call/validate.js';
export {
  type ClassificationExplanation,
  classify,
  explainClassification,
  mapErrorToCode,
  parseRetryAfter,
  type TriedRule,
} from './classify/classify.js';
export type {
  Classification,
  Classifier,
  ClassifyContext,
  ErrorMetadata,
  ProviderErrorMetadata,
} from './classify/types.js';
export type { Clock } from './clock.js';
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
export { AgentError, type AgentErrorOptions } from './error/agent-error.js';
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
} from './error/as-response.js';
export { ensureOk } from './error/ensure-ok.js';
export { type EventDetails, type HalfopenEvent, onEvent } from './event/events.js';
export { formatErrorMessage, getUserFriendlyMessage, LOCALES, redact } from './message/user-message.js';
export { type FailoverTarget, failover } from './policy/failover.js';
export type {
  AttemptContext,
  BulkheadOptions,
  ExecuteOptions,
  Fallback,
  Operation,
  PolicyOptions,
  RateLimitOptions,
  SpanContext,
  StreamOptions,
  TimeoutOptions,
} from './policy/options.js';
export { createPolicies, type Policies } from './policy/policies.js';
export { createPolicy, Policy, type PolicySnapshot } from './policy/policy.js';
export {
  type AgentState,
  buildExplanationPrompt,
  createErrorContext,
  type ErrorContext,
  type ErrorInfo,
  ErrorNode,
  type ErrorNodeOptions,
  type Recovery,
  renderReport,
  route,
} from './recovery/recovery.js';
export {
  EmptyResponseError,
  InvalidStructureError,
  MissingAttributeError,
  NoCandidatesError,
  NoTextError,
  NoToolActivityError,
  ResponseError,
  ResponseValidationError,
  ToolExecutionError,
  ToolFailedError,
  ToolNotFoundError,
  UnexpectedTypeError,
} from './response/errors.js';
export {
  type ResponseChunk,
  type ResponseFormat,
  ResponseHandler,
  type ResponseHandlerOptions,
  type ToolCall,
} from './response/handler.js';
export { calculateExponentialBackoff } from './retry/backoff.js';
export { RetryBudget } from './retry/budget.js';
export { type RetryOptions, retryPresets } from './retry/options.js';
export { RetryHandler } from './retry/retry-handler.js';
export {
  type DegradeOptions,
  degrade,
  iterationLimit,
  type ToolResult,
  type ToolResultOptions,
  toolResult,
  truncate,
} from './tool/tool.js';
