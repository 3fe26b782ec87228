/** What can be wrong with a response, as classes. Codes and messages are the core's (core/src/response/error.rs). */

import { AgentError, type AgentErrorCode } from '../error/agent-error.js';
import { FAULTS } from './tables.js';

type FaultName = keyof typeof FAULTS;

/**
 * Names the class, so that its name survives minifiers. In an initializer of the class: a bundler may leave out an unused
 * class only then.
 */
function named<N extends string>(made: { prototype: object }, name: N): N {
  Object.defineProperty(made.prototype, 'name', { value: name, writable: true, configurable: true });
  return name;
}

/** Code and message of an error of that class. */
function described(name: FaultName, first: string, second = ''): [AgentErrorCode, string] {
  const [code, template] = FAULTS[name];
  return [
    code,
    template.replace(/\{(first|second)\}/g, (_, which) => String(which === 'first' ? first : second)),
  ];
}

/**
 * Anything that is wrong with a response. The class itself is thrown for a blocked response (CONTENT_FILTERED) and for a
 * stream that was cut off (INVALID_RESPONSE, the only one that is retryable).
 *
 * @example
 * ```ts
 * try {
 *   handler.validateResponse(response);
 * } catch (error) {
 *   if (error instanceof ResponseError) console.log(error.code, error.message);
 * }
 * ```
 */
export class ResponseError extends AgentError {
  /** @internal */
  static readonly named: string = /* @__PURE__ */ named(this, 'ResponseError');
}

/** Nothing in the response; `reason` says what is missing. */
export class EmptyResponseError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'EmptyResponseError');
  readonly reason: string;

  constructor(reason: string) {
    super(...described(new.target.fault, reason));
    this.reason = reason;
  }
}

/** The list of candidates is empty. */
export class NoCandidatesError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoCandidatesError');
}

/** A whole response with neither text nor tool call. */
export class NoTextError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoTextError');
}

/** A stream that ended with neither text nor tool call. */
export class NoToolActivityError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoToolActivityError');
}

/** The response has not the structure of its format. */
export class ResponseValidationError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'ResponseValidationError');
  /** What should have been there. */
  readonly expected: string;
  /** What was. */
  readonly got: string;

  constructor(expected: string, got: string) {
    super(...described(new.target.fault, expected, got));
    this.expected = expected;
    this.got = got;
  }
}

/** A part that must be there is missing. */
export class MissingAttributeError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'MissingAttributeError');
}

/** Parts do not fit together, such as a tool call that cannot be read. */
export class InvalidStructureError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'InvalidStructureError');
}

/** A part is of another type than it must be. */
export class UnexpectedTypeError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'UnexpectedTypeError');
}

/** A tool failed while the response was made. */
export class ToolExecutionError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'ToolExecutionError');
  readonly toolName: string;
  /** What the tool said. */
  readonly error: string;

  constructor(toolName: string, error: string) {
    super(...described(new.target.fault, toolName, error));
    this.toolName = toolName;
    this.error = error;
  }
}

/** The model called a tool that does not exist. Code NOT_FOUND. */
export class ToolNotFoundError extends ToolExecutionError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'ToolNotFoundError');
}

/** The tool ran and failed. */
export class ToolFailedError extends ToolExecutionError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'ToolFailedError');
}

const NAMED = {
  EmptyResponseError,
  NoCandidatesError,
  NoTextError,
  NoToolActivityError,
  ResponseValidationError,
  MissingAttributeError,
  InvalidStructureError,
  UnexpectedTypeError,
  ToolExecutionError,
  ToolNotFoundError,
  ToolFailedError,
};

/** What the core says is wrong. */
export interface Fault {
  class: string;
  code: AgentErrorCode;
  message: string;
  retryable: boolean;
  first: string;
  second: string;
}

/**
 * The error of what the core says is wrong.
 *
 * @internal
 */
export function errorOf(fault: Fault): ResponseError {
  const made = Object.hasOwn(NAMED, fault.class) ? NAMED[fault.class as keyof typeof NAMED] : undefined;
  if (made !== undefined) return new made(fault.first, fault.second);
  const { code, message, retryable } = fault;
  return new ResponseError(code, message, retryable ? { retryable, severity: 'retriable' } : {});
}
