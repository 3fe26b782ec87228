/** Every error code and what follows from it, in plain TypeScript: the core's table, written by a test of it. */

import {
  type AgentErrorCode,
  CODES,
  type CodeRow,
  type ErrorSeverity,
  type ErrorType,
  type ModelErrorCode,
  TOOL_CODES,
  type ToolErrorCode,
} from './codes-table.js';

export type { AgentErrorCode, ErrorSeverity, ErrorType, ModelErrorCode, ToolErrorCode };

/** All codes, in declaration order: the order of their numbers. */
export const AGENT_ERROR_CODES: readonly AgentErrorCode[] = /* @__PURE__ */ codesWhere(() => true);
/** The codes that a model call can fail with, in declaration order. */
export const MODEL_ERROR_CODES = /* @__PURE__ */ codesWhere(
  ([, , , , model]) => model,
) as readonly ModelErrorCode[];
/** The codes that a tool can fail with, in declaration order. */
export const TOOL_ERROR_CODES: readonly ToolErrorCode[] = /* @__PURE__ */ Object.freeze(TOOL_CODES);

const rows = /* @__PURE__ */ rowsByCode();

function codesWhere(holds: (row: CodeRow) => boolean): readonly AgentErrorCode[] {
  return Object.freeze(CODES.filter(holds).map(([code]) => code));
}

function rowsByCode(): ReadonlyMap<unknown, CodeRow> {
  return new Map(CODES.map((row) => [row[0], row]));
}

function rowOf(code: AgentErrorCode): CodeRow {
  const row = rows.get(code);
  if (row === undefined) throw new TypeError(`halfopen: expected an AgentErrorCode, got ${show(code)}`);
  return row;
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 60)}'` : typeof value;
}

/** Returns `true` if the value is one of {@link AGENT_ERROR_CODES}. */
export function isAgentErrorCode(value: unknown): value is AgentErrorCode {
  return rows.has(value);
}

/** @internal The number that stands for a code where it crosses into the core. */
export function codeIndex(code: AgentErrorCode): number {
  return CODES.indexOf(rowOf(code));
}

/**
 * Returns `true` if sending the same request again can help: for RATE_LIMITED, NETWORK_ERROR, TIMEOUT, SERVER_ERROR,
 * PROVIDER_OVERLOADED and CONFLICT, and no other code.
 *
 * @example
 * ```ts
 * isRetryableCode('TIMEOUT'); // true
 * isRetryableCode('QUOTA_EXCEEDED'); // false
 * ```
 * @throws TypeError for what is no code.
 */
export function isRetryableCode(code: AgentErrorCode): boolean {
  const [, , , retryable] = rowOf(code);
  return retryable;
}

/**
 * Returns an orchestrator's best reaction if nothing more is known: 'retriable' for the retryable codes, 'replanning'
 * for CONTEXT_LENGTH_EXCEEDED and LLM_ASSIST_REQUIRED, 'fatal' for INITIALIZATION_ERROR, 'critical' for the rest.
 *
 * @example
 * ```ts
 * severityOf('CONTEXT_LENGTH_EXCEEDED'); // 'replanning'
 * ```
 * @throws TypeError for what is no code.
 */
export function severityOf(code: AgentErrorCode): ErrorSeverity {
  const [, severity] = rowOf(code);
  return severity;
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
  const [, , type] = rowOf(code);
  return type;
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
  if (!isModelCode(code)) throw new TypeError(`halfopen: expected a ModelErrorCode, got ${show(code)}`);
  return code;
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
  const [, , , , , tool, fromTool] = rowOf(code);
  if (!tool) throw new TypeError(`halfopen: expected a ToolErrorCode, got ${show(code)}`);
  return fromTool;
}

/**
 * @internal Any code as the model layer sees it: CONFLICT is SERVER_ERROR there, ALREADY_EXISTS is VALIDATION_ERROR, and what
 * else no model call can fail with is UNKNOWN.
 */
export function toModelErrorCode(code: AgentErrorCode): ModelErrorCode {
  if (code === 'CONFLICT') return 'SERVER_ERROR';
  if (code === 'ALREADY_EXISTS') return 'VALIDATION_ERROR';
  return isModelCode(code) ? code : 'UNKNOWN';
}

function isModelCode(code: AgentErrorCode): code is ModelErrorCode {
  const [, , , , model] = rowOf(code);
  return model;
}
