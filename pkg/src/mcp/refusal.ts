/** Calls that a server cannot carry out: a tool that it does not have, arguments that do not fit. */

import { AgentError } from '../error/agent-error.js';
import { clip } from '../message/clip.js';
import { argumentsMismatch, MOST_CHARACTERS } from '../tool/mismatch.js';

/** https://www.jsonrpc.org/specification: what is thrown by version 2 of the SDK; version 1 has it in a result. */
const PROTOCOL = /^MCP error -32[67]\d\d: /;
/** The SDKs for TypeScript, Python, Go, and servers of their own. */
const UNKNOWN_TOOL = /^(?:Tool .* not found|unknown tool\b)/i;
const ARGUMENTS = /^(?:Input validation error: )?Invalid arguments for tool \S+: /;
/** Pydantic: "1 validation error for addArguments", then a line with the place and one with the complaint. */
const PYDANTIC = /^(?:Error executing tool \S+: )?\d+ validation errors? for \S+\n/;
/** FastMCP checks a call against a model named after the tool; a tool's own models have other names. */
const PYDANTIC_OF_CALL = /^(?:Error executing tool \S+: )?\d+ validation errors? for \S+Arguments\n/;
/** More names than these are no help. */
const MOST_NAMES = 100;

/** A server's words, if they say that it cannot carry out the call. The cause is what was thrown. */
export function refusalIn(words: string, cause?: unknown): AgentError | undefined {
  const said = words.replace(PROTOCOL, '');
  const of = cause === undefined ? {} : { cause };
  if (UNKNOWN_TOOL.test(said)) return neverRun(new AgentError('NOT_FOUND', words, of));
  const complaints = complaintsIn(said);
  if (complaints === undefined) return undefined;
  const error = new AgentError('VALIDATION_ERROR', complaints, of);
  return ARGUMENTS.test(said) || PYDANTIC_OF_CALL.test(said) ? neverRun(error) : error;
}

const refused = /* @__PURE__ */ new WeakSet<AgentError>();

function neverRun(error: AgentError): AgentError {
  refused.add(error);
  return error;
}

/** Returns `true` if the server has refused the call before the tool ran. */
export const wasRefused = (error: AgentError): boolean => refused.has(error);

/** Returns `true` if a server reports that it does not have the tool. */
export function isUnknownTool(error: unknown): error is AgentError {
  return (
    AgentError.is(error) &&
    error.code === 'NOT_FOUND' &&
    UNKNOWN_TOOL.test(error.message.replace(PROTOCOL, ''))
  );
}

/** Returns the thrown value if it is the server's refusal of the call. */
export function refusalOf(thrown: unknown): AgentError | undefined {
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  const isProtocol = code === -32602 || code === -32603;
  return isProtocol && typeof message === 'string' ? refusalIn(message, thrown) : undefined;
}

/** For the model: a name that it made up, and those that it can choose from. */
export function unknownTool(name: string, names: readonly string[], cause: AgentError): AgentError {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return neverRun(
    new AgentError('NOT_FOUND', `No tool is named ${name}. The tools are: ${shown}${more}.`, {
      cause: cause.cause ?? cause,
    }),
  );
}

function complaintsIn(said: string): string | undefined {
  const isPydantic = PYDANTIC.test(said);
  if (!isPydantic && !ARGUMENTS.test(said)) return undefined;
  const listed = said.replace(isPydantic ? PYDANTIC : ARGUMENTS, '');
  const inJson = argumentsMismatch(parsed(listed));
  if (inJson !== undefined) return inJson;
  const text = isPydantic ? fromPydantic(listed) : listed.split('\n').map(withoutValue).join('; ');
  return `The arguments do not fit the tool: ${clip(text, MOST_CHARACTERS)}. Call it again with arguments that do.`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Some versions of zod name the value, as in `Expected 'C' | 'F', received 'K'`. */
const RECEIVED = /,? (?:but )?received (?=['"\w])/i;

function withoutValue(complaint: string): string {
  let kept = '';
  let rest = complaint;
  for (;;) {
    const found = RECEIVED.exec(rest);
    if (found === null) return (kept + rest).trim();
    kept += rest.slice(0, found.index);
    rest = rest.slice(found.index + found[0].length);
    rest = rest.slice(endOfValue(rest));
  }
}

/** A value may have quotes in it: its own is before a place, another complaint, or the end. Without one all is of the value. */
function endOfValue(text: string): number {
  const quote = /^['"]/.exec(text)?.[0];
  if (quote === undefined) return /^\w*/.exec(text)?.[0].length ?? 0;
  for (let at = text.indexOf(quote, 1); at >= 0; at = text.indexOf(quote, at + 1))
    if (/^(?:$| at |, )/.test(text.slice(at + 1, at + 5))) return at + 1;
  return text.length;
}

function fromPydantic(listed: string): string {
  const lines = listed.split('\n').filter((line) => !/^\s*For further information/.test(line));
  const complaints: string[] = [];
  let at = '';
  for (const line of lines) {
    if (/^\S/.test(line)) at = line;
    else if (line.trim() !== '') complaints.push(`${at}: ${line.trim().replace(/,? ?\[type=.*$/, '')}`);
  }
  return complaints.join('; ');
}
