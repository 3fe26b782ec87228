/// <reference lib="esnext.disposable" preserve="true" />
// Everything public, by area. The entry `halfopen` is `every-language.ts`, which adds the words.

export {
  type BreakerChange,
  type BreakerOptions,
  type BreakerPermit,
  type BreakerSnapshot,
  type BreakerState,
  CircuitBreaker,
} from './breaker/breaker.js';
export type { StaleIfErrorOptions } from './call/earlier-answers.js';
export type {
  AttemptContext,
  ExecuteOptions,
  Fallback,
  HedgeOptions,
  Operation,
  SpanContext,
  StreamOptions,
  TimeoutOptions,
} from './call/options.js';
export type { PolicyStats } from './call/stats.js';
export { type Chunks, STREAM_RESET, type StreamContext } from './call/stream.js';
export type { SchemaIssue, SchemaResult, StandardSchemaV1 } from './call/validate.js';
export { classify, mapErrorToCode, parseRetryAfter } from './classify/classify.js';
export {
  type ClassificationExplanation,
  explainClassification,
  type TriedRule,
} from './classify/explain.js';
export { REMEDY_KINDS, type Remedy, type RemedyKind, SAFE_REPAIRS } from './classify/remedy.js';
export type {
  Audience,
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
  errorResponse,
  mapModelErrorToAgentError,
  mapToolErrorToAgentError,
  successResponse,
  toModelResponse,
} from './error/as-response.js';
export { ensureOk } from './error/ensure-ok.js';
export { formatErrorMessage } from './error/format-error.js';
export { isAgentError, isAgentSuccess } from './error/guards.js';
export { type HttpResponseOptions, httpStatusOf, toHttpResponse } from './error/http-response.js';
export type {
  AgentErrorResponse,
  AgentResponse,
  AgentSuccessResponse,
  ModelErrorResponse,
  ModelResponse,
  ModelSuccessResponse,
  ToolResponse,
} from './error/response-types.js';
export { type EventDetails, type HalfopenEvent, onEvent } from './event/events.js';
export type { Usage } from './event/usage.js';
export { LOCALES } from './message/templates.js';
export { getUserFriendlyMessage, redact } from './message/user-message.js';
export { type CostLimit, type CostLimitOptions, costLimit } from './policy/cost-limit.js';
export {
  type FailoverOptions,
  type FailoverTarget,
  failover,
  type SwitchOptions,
} from './policy/failover.js';
export type {
  AdaptiveLimitOptions,
  BulkheadOptions,
  DrainOptions,
  PolicyOptions,
  RateLimit,
  RateLimitOptions,
} from './policy/options.js';
export { createPolicies, type Policies } from './policy/policies.js';
export { createPolicy, Policy, type PolicySnapshot } from './policy/policy.js';
export { type AgentState, createErrorContext, type ErrorContext } from './recovery/context.js';
export type { ErrorInfo } from './recovery/error-info.js';
export { ErrorNode, type ErrorNodeOptions } from './recovery/error-node.js';
export { buildExplanationPrompt, renderReport } from './recovery/report.js';
export { type Recovery, route } from './recovery/route.js';
export type { RepairOptions } from './repair/options.js';
export type { AnswerOptions } from './response/answers.js';
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
export { ResponseHandler } from './response/handler.js';
export type {
  ResponseChunk,
  ResponseFormat,
  ResponseHandlerOptions,
  ToolCall,
} from './response/types.js';
export { type RetryAdvice, retryAdvice } from './retry/advice.js';
export { calculateExponentialBackoff } from './retry/backoff.js';
export { RetryBudget } from './retry/budget.js';
export { type RetryOptions, retryPresets } from './retry/options.js';
export { RetryHandler } from './retry/retry-handler.js';
export { type DegradeOptions, degrade } from './tool/degrade.js';
export { iterationLimit } from './tool/iteration-limit.js';
export type { SpilledOutput, ToolOutputOptions } from './tool/output.js';
export { type ToolResult, type ToolResultOptions, toolResult } from './tool/tool-result.js';
export { truncate } from './tool/truncate.js';
