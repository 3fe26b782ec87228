/// <reference lib="esnext.disposable" preserve="true" />
// The package's main entry: everything public, by area.

export { calculateExponentialBackoff } from './backoff.js';
export {
  type BreakerChange,
  type BreakerOptions,
  type BreakerPermit,
  type BreakerSnapshot,
  type BreakerState,
  CircuitBreaker,
} from './breaker.js';
export { RetryBudget } from './budget.js';
export type {
  Classification,
  Classifier,
  ClassifyContext,
  ErrorMetadata,
  ProviderErrorMetadata,
} from './classification.js';
export {
  type ClassificationExplanation,
  classify,
  explainClassification,
  mapErrorToCode,
  parseRetryAfter,
  type TriedRule,
} from './classify.js';
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
export { ensureOk } from './ensure-ok.js';
export { AgentError, type AgentErrorOptions } from './errors.js';
export { type EventDetails, type HalfopenEvent, onEvent } from './events.js';
export { type FailoverTarget, failover } from './failover.js';
export { formatErrorMessage, getUserFriendlyMessage, LOCALES, redact } from './message.js';
export { createPolicies, type Policies } from './policies.js';
export { createPolicy, Policy, type PolicySnapshot } from './policy.js';
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
} from './policy-options.js';
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
} from './recovery.js';
export {
  type ResponseChunk,
  type ResponseFormat,
  ResponseHandler,
  type ResponseHandlerOptions,
  type ToolCall,
} from './response.js';
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
} from './response-errors.js';
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
export { RetryHandler } from './retry-handler.js';
export { type RetryOptions, retryPresets } from './retry-options.js';
export { type Chunks, STREAM_RESET, type StreamContext } from './stream.js';
export {
  type DegradeOptions,
  degrade,
  iterationLimit,
  type ToolResult,
  type ToolResultOptions,
  toolResult,
  truncate,
} from './tool.js';
export type { SchemaIssue, SchemaResult, StandardSchemaV1 } from './validate.js';
