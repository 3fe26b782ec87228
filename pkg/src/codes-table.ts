/** Every error code and what follows from it. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The codes of a failed model call. The first ten are the base set; the rest refine it. */
export type ModelErrorCode =
  | 'PROVIDER_NOT_CONFIGURED'
  | 'PROVIDER_NOT_SUPPORTED'
  | 'AUTHENTICATION_ERROR'
  | 'RATE_LIMITED'
  | 'MODEL_NOT_FOUND'
  | 'CONTEXT_LENGTH_EXCEEDED'
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | 'INVALID_RESPONSE'
  | 'UNKNOWN'
  | 'SERVER_ERROR'
  | 'PROVIDER_OVERLOADED'
  | 'QUOTA_EXCEEDED'
  | 'CONTENT_FILTERED'
  | 'PERMISSION_DENIED'
  | 'VALIDATION_ERROR'
  | 'NOT_FOUND'
  | 'CANCELLED';

/** The codes of a failed tool. */
export type ToolErrorCode =
  | 'VALIDATION_ERROR'
  | 'IO_ERROR'
  | 'CONFIG_ERROR'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMITED'
  | 'NOT_FOUND'
  | 'LLM_ASSIST_REQUIRED'
  | 'TIMEOUT'
  | 'UNKNOWN'
  | 'NETWORK_ERROR'
  | 'CANCELLED'
  | 'SERVER_ERROR'
  | 'CONFLICT'
  | 'ALREADY_EXISTS';

/** The codes of a failed agent: its model's codes, its tools', its own, and local refusals. */
export type AgentErrorCode =
  | 'PROVIDER_NOT_CONFIGURED'
  | 'PROVIDER_NOT_SUPPORTED'
  | 'AUTHENTICATION_ERROR'
  | 'RATE_LIMITED'
  | 'MODEL_NOT_FOUND'
  | 'CONTEXT_LENGTH_EXCEEDED'
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | 'INVALID_RESPONSE'
  | 'UNKNOWN'
  | 'SERVER_ERROR'
  | 'PROVIDER_OVERLOADED'
  | 'QUOTA_EXCEEDED'
  | 'CONTENT_FILTERED'
  | 'PERMISSION_DENIED'
  | 'VALIDATION_ERROR'
  | 'NOT_FOUND'
  | 'CANCELLED'
  | 'IO_ERROR'
  | 'CONFIG_ERROR'
  | 'LLM_ASSIST_REQUIRED'
  | 'MAX_ITERATIONS_EXCEEDED'
  | 'TOOL_EXECUTION_ERROR'
  | 'INITIALIZATION_ERROR'
  | 'CIRCUIT_OPEN'
  | 'CAPACITY_EXCEEDED'
  | 'CONFLICT'
  | 'ALREADY_EXISTS';

/** Coarse kinds, for policies written per kind. */
export type ErrorType = 'timeout' | 'tool_failed' | 'llm_failed' | 'network' | 'validation' | 'unknown';

/** An orchestrator's best reaction to an error. */
export type ErrorSeverity = 'critical' | 'retriable' | 'replanning' | 'reclassification' | 'fatal';

/**
 * A code and what follows from it; `fromTool` is what it becomes where a tool's failure reaches the agent.
 */
export type CodeRow = readonly [
  code: AgentErrorCode,
  severity: ErrorSeverity,
  type: ErrorType,
  retryable: boolean,
  model: boolean,
  tool: boolean,
  fromTool: AgentErrorCode,
];

/** Every code, in the order of their numbers. */
export const CODES: readonly CodeRow[] = [
  ['PROVIDER_NOT_CONFIGURED', 'critical', 'llm_failed', false, true, false, 'PROVIDER_NOT_CONFIGURED'],
  ['PROVIDER_NOT_SUPPORTED', 'critical', 'llm_failed', false, true, false, 'PROVIDER_NOT_SUPPORTED'],
  ['AUTHENTICATION_ERROR', 'critical', 'llm_failed', false, true, false, 'AUTHENTICATION_ERROR'],
  ['RATE_LIMITED', 'retriable', 'llm_failed', true, true, true, 'RATE_LIMITED'],
  ['MODEL_NOT_FOUND', 'critical', 'llm_failed', false, true, false, 'MODEL_NOT_FOUND'],
  ['CONTEXT_LENGTH_EXCEEDED', 'replanning', 'validation', false, true, false, 'CONTEXT_LENGTH_EXCEEDED'],
  ['NETWORK_ERROR', 'retriable', 'network', true, true, true, 'NETWORK_ERROR'],
  ['TIMEOUT', 'retriable', 'timeout', true, true, true, 'TIMEOUT'],
  ['INVALID_RESPONSE', 'critical', 'llm_failed', false, true, false, 'INVALID_RESPONSE'],
  ['UNKNOWN', 'critical', 'unknown', false, true, true, 'TOOL_EXECUTION_ERROR'],
  ['SERVER_ERROR', 'retriable', 'llm_failed', true, true, true, 'SERVER_ERROR'],
  ['PROVIDER_OVERLOADED', 'retriable', 'llm_failed', true, true, false, 'PROVIDER_OVERLOADED'],
  ['QUOTA_EXCEEDED', 'critical', 'llm_failed', false, true, false, 'QUOTA_EXCEEDED'],
  ['CONTENT_FILTERED', 'critical', 'llm_failed', false, true, false, 'CONTENT_FILTERED'],
  ['PERMISSION_DENIED', 'critical', 'llm_failed', false, true, true, 'PERMISSION_DENIED'],
  ['VALIDATION_ERROR', 'critical', 'validation', false, true, true, 'VALIDATION_ERROR'],
  ['NOT_FOUND', 'critical', 'llm_failed', false, true, true, 'NOT_FOUND'],
  ['CANCELLED', 'critical', 'unknown', false, true, true, 'CANCELLED'],
  ['IO_ERROR', 'critical', 'tool_failed', false, false, true, 'IO_ERROR'],
  ['CONFIG_ERROR', 'critical', 'validation', false, false, true, 'CONFIG_ERROR'],
  ['LLM_ASSIST_REQUIRED', 'replanning', 'tool_failed', false, false, true, 'LLM_ASSIST_REQUIRED'],
  ['MAX_ITERATIONS_EXCEEDED', 'critical', 'unknown', false, false, false, 'MAX_ITERATIONS_EXCEEDED'],
  ['TOOL_EXECUTION_ERROR', 'critical', 'tool_failed', false, false, false, 'TOOL_EXECUTION_ERROR'],
  ['INITIALIZATION_ERROR', 'fatal', 'unknown', false, false, false, 'INITIALIZATION_ERROR'],
  ['CIRCUIT_OPEN', 'critical', 'unknown', false, false, false, 'CIRCUIT_OPEN'],
  ['CAPACITY_EXCEEDED', 'critical', 'unknown', false, false, false, 'CAPACITY_EXCEEDED'],
  ['CONFLICT', 'retriable', 'tool_failed', true, false, true, 'CONFLICT'],
  ['ALREADY_EXISTS', 'critical', 'tool_failed', false, false, true, 'ALREADY_EXISTS'],
];

/** The codes of tools, in the order in which their own type names them. */
export const TOOL_CODES: readonly ToolErrorCode[] = [
  'VALIDATION_ERROR',
  'IO_ERROR',
  'CONFIG_ERROR',
  'PERMISSION_DENIED',
  'RATE_LIMITED',
  'NOT_FOUND',
  'LLM_ASSIST_REQUIRED',
  'TIMEOUT',
  'UNKNOWN',
  'NETWORK_ERROR',
  'CANCELLED',
  'SERVER_ERROR',
  'CONFLICT',
  'ALREADY_EXISTS',
];
