/** A tool's failures as results that its model reads. */

import { mapToolErrorCodeToAgentErrorCode, type ToolErrorCode } from '../codes.js';
import { isControlFlow } from '../control-flow.js';
import { responseFor } from '../error/as-response.js';
import { steadyError } from '../error/final-error.js';
import type { AgentErrorResponse } from '../error/response-types.js';
import { wordsForModel } from '../error/words.js';
import { observe } from '../event/events.js';
import { tracedTool } from '../event/tool-runs.js';
import { callback, misuse, readOptions, type Shape, text } from '../options.js';
import { mismatchIn } from './mismatch.js';
import { cutOutput, outputShape, type ToolOutputOptions } from './output.js';

/** The result of a tool. A tool never throws at its caller. */
export interface ToolResult {
  /** A heading for the user interface: 'Error' for a failure. */
  title: string;
  /** Facts about the result; of a failure `{ error, code, retryable }`; of an output that was cut `missingCharacters`. */
  metadata: Record<string, unknown>;
  /** The text for the model. */
  output: string;
}

/** Options of {@link toolResult}. */
export interface ToolResultOptions extends ToolOutputOptions {
  /** The tool's name, for the spans of `halfopen/otel`. Default: the function's; without one there is no span. */
  name?: string | undefined;
  /** The title where a tool returns a string. Default: 'Success'. */
  title?: string | undefined;
  /** Called with the error as the agent sees it. Its errors are ignored. */
  onError?: ((error: AgentErrorResponse) => void) | undefined;
}

const TOOL_OPTIONS: Shape = { name: text, title: text, onError: callback, ...outputShape };

/**
 * Wraps a tool so that a throw becomes a result: title 'Error', metadata `{ error, code, retryable }`, and the output
 * 'Error: …', which the model reads: the words of what the tool threw, also from within a policy, or of what a server answered
 * it, redacted and cut to 500 characters; of arguments that do not fit a schema, the paths and what was expected there. Of an output of more than `maxOutput` (50000) characters the model gets head and tail. The
 * returned function rejects with nothing but control flow of a host, as it was
 * thrown: an interrupt of LangGraph.
 *
 * @example
 * ```ts
 * const read = toolResult(async (path: string) => readFile(path, 'utf8'), { title: 'File' });
 * await read('/no/such/file');
 * // { title: 'Error', metadata: { error: 'ENOENT: …', code: 'IO_ERROR', retryable: false }, output: 'Error: ENOENT: …' }
 * ```
 * @throws TypeError at once for a wrong argument.
 */
export function toolResult<A extends unknown[]>(
  execute: (...args: A) => ToolResult | string | PromiseLike<ToolResult | string>,
  options?: ToolResultOptions,
): (...args: A) => Promise<ToolResult> {
  if (typeof execute !== 'function') throw misuse('execute', 'a function', execute);
  const {
    name = execute.name,
    title = 'Success',
    onError,
    ...bounds
  } = readOptions<ToolResultOptions>(TOOL_OPTIONS, options, 'toolResult');
  return tracedTool(name, async (...args: A) => {
    try {
      return await within(asResult(await execute(...args), title), name, bounds);
    } catch (thrown) {
      if (isControlFlow(thrown)) throw thrown;
      return failed(thrown, onError);
    }
  });
}

/** A tool in JavaScript may return anything. Its caller always gets a result. */
function asResult(value: unknown, title: string): ToolResult {
  if (typeof value === 'string') return { title, metadata: {}, output: value };
  if (typeof value === 'object' && value !== null && typeof (value as ToolResult).output === 'string') {
    const { title: own = title, metadata = {}, output, ...rest } = value as ToolResult;
    return { ...rest, title: own, metadata, output };
  }
  return { title, metadata: {}, output: value === undefined ? '' : (JSON.stringify(value) ?? String(value)) };
}

async function within(result: ToolResult, name: string, bounds: ToolOutputOptions): Promise<ToolResult> {
  const cut = await cutOutput(result.output, name, bounds);
  if (cut === undefined) return result;
  return {
    ...result,
    output: cut.text,
    metadata: { ...result.metadata, missingCharacters: cut.missing },
  };
}

function failed(thrown: unknown, onError: ToolResultOptions['onError']): ToolResult {
  const error = steadyError(thrown, { layer: 'tool' });
  const code =
    error.code === 'UNKNOWN' ? mapToolErrorCodeToAgentErrorCode(error.code as ToolErrorCode) : error.code;
  if (onError !== undefined) {
    const response = responseFor(error);
    response.error = code;
    observe(onError, response);
  }
  const words = mismatchIn(thrown) ?? (wordsForModel(thrown) || error.message);
  return {
    title: 'Error',
    metadata: { error: words, code, retryable: error.retryable },
    output: `Error: ${words}`,
  };
}
