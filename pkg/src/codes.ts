/** Every error code and what follows from it: the core's table, read once at import. */

import { codeTable } from './core/errors.js';

/** What a model call can fail with. The first ten are the base set; the rest refine it. */
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

/** What a tool can fail with. */
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
  | 'CANCELLED';

/** What an agent can fail with: its model's codes, its tools', its own, and local refusals. */
export type AgentErrorCode =
  | ModelErrorCode
  | ToolErrorCode
  | 'MAX_ITERATIONS_EXCEEDED'
  | 'TOOL_EXECUTION_ERROR'
  | 'INITIALIZATION_ERROR'
  | 'CIRCUIT_OPEN'
  | 'CAPACITY_EXCEEDED';

/** Coarse kinds, for policies written per kind. */
export type ErrorType = 'timeout' | 'tool_failed' | 'llm_failed' | 'network' | 'validation' | 'unknown';

/** What an orchestrator should do about an error. */
export type ErrorSeverity = 'critical' | 'retriable' | 'replanning' | 'reclassification' | 'fatal';

interface Row {
  code: AgentErrorCode;
  severity: ErrorSeverity;
  type: ErrorType;
  retryable: boolean;
  model: boolean;
  tool: boolean;
  toolOrder?: number;
  fromTool: AgentErrorCode;
}

const table = codeTable() as Row[];
/** Null-prototyped, so that 'constructor' is no code. */
const rows: Partial<Record<string, Row & { index: number }>> = Object.assign(
  Object.create(null),
  Object.fromEntries(table.map((row, index) => [row.code, { ...row, index }])),
);

function names<C extends AgentErrorCode>(of: readonly Row[]): readonly C[] {
  return Object.freeze(of.map((row) => row.code as C));
}

/** All codes, in declaration order: the order of their numbers. */
export const AGENT_ERROR_CODES: readonly AgentErrorCode[] = names(table);
/** The codes that a model call can fail with, in declaration order. */
export const MODEL_ERROR_CODES: readonly ModelErrorCode[] = names(table.filter((row) => row.model));
/** The codes that a tool can fail with, in declaration order. */
export const TOOL_ERROR_CODES: readonly ToolErrorCode[] = names(
  table.filter((row) => row.tool).sort((a, b) => (a.toolOrder ?? 0) - (b.toolOrder ?? 0)),
);

function row(code: AgentErrorCode): Row & { index: number } {
  const found = rows[code];
  if (found === undefined) throw new TypeError(`halfopen: expected an AgentErrorCode, got ${show(code)}`);
  return found;
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 60)}'` : typeof value;
}

/** Whether the value is one of {@link AGENT_ERROR_CODES}. */
export function isAgentErrorCode(value: unknown): value is AgentErrorCode {
  return typeof value === 'string' && rows[value] !== undefined;
}

/** @internal The number that stands for a code where it crosses into the core. */
export function codeIndex(code: AgentErrorCode): number {
  return row(code).index;
}

/**
 * Whether sending the same request again can help: RATE_LIMITED, NETWORK_ERROR, TIMEOUT, SERVER_ERROR and
 * PROVIDER_OVERLOADED; nothing else.
 *
 * @example
 * ```ts
 * isRetryableCode('TIMEOUT'); // true
 * isRetryableCode('QUOTA_EXCEEDED'); // false
 * ```
 * @throws TypeError for what is no code.
 */
export function isRetryableCode(code: AgentErrorCode): boolean {
  return row(code).retryable;
}

/**
 * What an orchestrator should do where nothing more is known: 'retriable' for the retryable codes, 'replanning' for
 * CONTEXT_LENGTH_EXCEEDED and LLM_ASSIST_REQUIRED, 'fatal' for INITIALIZATION_ERROR, 'critical' for the rest.
 *
 * @example
 * ```ts
 * severityOf('CONTEXT_LENGTH_EXCEEDED'); // 'replanning'
 * ```
 * @throws TypeError for what is no code.
 */
export function severityOf(code: AgentErrorCode): ErrorSeverity {
  return row(code).severity;
}

/**
 * The coarse kind of a code, for policies written per kind.
 *
 * @example
 * ```ts
 * errorTypeOf('SERVER_ERROR'); // 'llm_failed'
 * errorTypeOf('IO_ERROR'); // 'tool_failed'
 * ```
 * @throws TypeError for what is no code.
 */
export function errorTypeOf(code: AgentErrorCode): ErrorType {
  return row(code).type;
}

/**
 * A model's code as the agent sees it: the same.
 *
 * @example
 * ```ts
 * mapModelErrorCodeToAgentErrorCode('UNKNOWN'); // 'UNKNOWN'
 * ```
 * @throws TypeError for what is no code of a model.
 */
export function mapModelErrorCodeToAgentErrorCode(code: ModelErrorCode): AgentErrorCode {
  const found = row(code);
  if (!found.model) throw new TypeError(`halfopen: expected a ModelErrorCode, got ${show(code)}`);
  return found.code;
}

/**
 * A tool's code as the agent sees it. UNKNOWN becomes TOOL_EXECUTION_ERROR: the tool failed, and that much is known.
 *
 * @example
 * ```ts
 * mapToolErrorCodeToAgentErrorCode('IO_ERROR'); // 'IO_ERROR'
 * mapToolErrorCodeToAgentErrorCode('UNKNOWN'); // 'TOOL_EXECUTION_ERROR'
 * ```
 * @throws TypeError for what is no code of a tool.
 */
export function mapToolErrorCodeToAgentErrorCode(code: ToolErrorCode): AgentErrorCode {
  const found = row(code);
  if (!found.tool) throw new TypeError(`halfopen: expected a ToolErrorCode, got ${show(code)}`);
  return found.fromTool;
}

/** @internal Any code as the model layer sees it: what no model call can fail with is UNKNOWN there. */
export function toModelErrorCode(code: AgentErrorCode): ModelErrorCode {
  return row(code).model ? (code as ModelErrorCode) : 'UNKNOWN';
}
