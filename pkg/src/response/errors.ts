/** The faults of a response, as classes. Codes and messages come from core/src/response/error.rs. */

import type { Remedy } from '../classify/remedy.js';
import { AgentError, type AgentErrorCode } from '../error/agent-error.js';
import { show } from '../error/properties.js';
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

/** Code, message and remedy of an error of that class. */
function described(
  name: FaultName,
  first: string,
  second = '',
): [AgentErrorCode, string, { remedy?: Remedy | undefined }] {
  const [code, template] = FAULTS[name];
  return [
    code,
    template.replace(/\{(first|second)\}/g, (_, which) => String(which === 'first' ? first : second)),
    name === 'ToolNotFoundError' || EMPTY.includes(name)
      ? { remedy: { kind: 'ask-again', because: name === 'ToolNotFoundError' ? 'unknown-tool' : 'empty' } }
      : {},
  ];
}

const EMPTY: readonly FaultName[] = [
  'EmptyResponseError',
  'NoCandidatesError',
  'NoTextError',
  'NoToolActivityError',
];

/**
 * Anything that is wrong with a response. An error of this class itself is a blocked response (CONTENT_FILTERED) or a stream
 * that was cut off (INVALID_RESPONSE, the only one that is retryable).
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

/**
 * The response has no content. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof EmptyResponseError) console.log(error.reason); // what is missing
 * ```
 */
export class EmptyResponseError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'EmptyResponseError');
  /** The missing part. */
  readonly reason: string;

  constructor(reason: string) {
    super(...described(new.target.fault, reason));
    this.reason = reason;
  }
}

/**
 * The list of candidates is empty. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof NoCandidatesError) retryWithAnotherModel();
 * ```
 */
export class NoCandidatesError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoCandidatesError');
}

/**
 * A whole response has neither text nor a tool call. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof NoTextError) askForText();
 * ```
 */
export class NoTextError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoTextError');
}

/**
 * A stream ended with neither text nor a tool call. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof NoToolActivityError) askForText();
 * ```
 */
export class NoToolActivityError extends EmptyResponseError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'NoToolActivityError');
}

/**
 * The response does not have the structure of its format. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof ResponseValidationError) console.log(`expected ${error.expected}, got ${error.got}`);
 * ```
 */
export class ResponseValidationError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'ResponseValidationError');
  /** The expected form. */
  readonly expected: string;
  /** The actual form. */
  readonly got: string;

  constructor(expected: string, got: string) {
    super(...described(new.target.fault, expected, got));
    this.expected = expected;
    this.got = got;
  }
}

/**
 * A required part of the response is missing. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof MissingAttributeError) console.log(`${error.expected} is missing`);
 * ```
 */
export class MissingAttributeError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'MissingAttributeError');
}

/**
 * The parts of the response do not fit together, such as a tool call that cannot be parsed. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof InvalidStructureError) console.log(error.got);
 * ```
 */
export class InvalidStructureError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'InvalidStructureError');
}

/**
 * A part of the response has the wrong type. Code INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * if (error instanceof UnexpectedTypeError) console.log(`expected ${error.expected}, got ${error.got}`);
 * ```
 */
export class UnexpectedTypeError extends ResponseValidationError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'UnexpectedTypeError');
}

/**
 * A tool failed while the response was made. Code TOOL_EXECUTION_ERROR, unless a subclass says otherwise.
 *
 * @example
 * ```ts
 * if (error instanceof ToolExecutionError) console.log(`${error.toolName}: ${error.error}`);
 * ```
 */
export class ToolExecutionError extends ResponseError {
  /** @internal The class's name in the core. */
  static readonly fault: FaultName = /* @__PURE__ */ named(this, 'ToolExecutionError');
  /** The name of the tool. */
  readonly toolName: string;
  /** The tool's message. */
  readonly error: string;

  constructor(toolName: string, error: string) {
    super(...described(new.target.fault, toolName, error));
    this.toolName = toolName;
    this.error = error;
  }
}

/**
 * The model called a tool that does not exist. Code NOT_FOUND.
 *
 * @example
 * ```ts
 * if (error instanceof ToolNotFoundError) console.log(`no tool is called ${error.toolName}`);
 * ```
 */
export class ToolNotFoundError extends ToolExecutionError {
  /** @internal The class's name in the core. */
  static override readonly fault: FaultName = /* @__PURE__ */ named(this, 'ToolNotFoundError');
}

/**
 * A tool ran and failed. Code TOOL_EXECUTION_ERROR.
 *
 * @example
 * ```ts
 * if (error instanceof ToolFailedError) console.log(`${error.toolName}: ${error.error}`);
 * ```
 */
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

/** A fault, as the core returns it. */
export interface Fault {
  class: string;
  code: AgentErrorCode;
  message: string;
  retryable: boolean;
  first: string;
  second: string;
  /** The remedy, by the rules for answers. */
  remedy?: Remedy | undefined;
}

/**
 * Makes the error of a fault.
 *
 * @internal
 */
export function errorOf(fault: Fault): ResponseError {
  const { code, message, retryable, remedy } = fault;
  const made = Object.hasOwn(NAMED, fault.class) ? NAMED[fault.class as keyof typeof NAMED] : undefined;
  const because = /refus/i.test(fault.first) ? 'refused' : 'filtered';
  const error =
    made === undefined
      ? new ResponseError(code, message, {
          ...(code === 'CONTENT_FILTERED' && { remedy: { kind: 'other-model', because } }),
        })
      : new made(fault.first, fault.second);
  if (remedy !== undefined) show(error, 'remedy', remedy);
  if (retryable) {
    show(error, 'retryable', true);
    show(error, 'severity', 'retriable');
  }
  return error;
}
