/** The formats of responses, and what can be wrong with one. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The names of all formats, in the order in which they are tried. */
export const FORMATS = [
  'openai-chat',
  'anthropic',
  'google',
  'openai-responses',
  'ai-sdk',
  'ollama',
] as const;

/** Code and message of each class of error; its constructor's arguments replace the braces. */
export const FAULTS = {
  EmptyResponseError: ['INVALID_RESPONSE', 'Empty response: {first}'],
  NoCandidatesError: ['INVALID_RESPONSE', 'Empty response: {first}'],
  NoTextError: ['INVALID_RESPONSE', 'Empty response: {first}'],
  NoToolActivityError: ['INVALID_RESPONSE', 'Empty response: {first}'],
  ResponseValidationError: ['INVALID_RESPONSE', 'Invalid response structure: expected {first}, got {second}'],
  MissingAttributeError: ['INVALID_RESPONSE', 'Invalid response structure: expected {first}, got {second}'],
  InvalidStructureError: ['INVALID_RESPONSE', 'Invalid response structure: expected {first}, got {second}'],
  UnexpectedTypeError: ['INVALID_RESPONSE', 'Invalid response structure: expected {first}, got {second}'],
  ToolExecutionError: ['TOOL_EXECUTION_ERROR', "Tool '{first}' failed: {second}"],
  ToolNotFoundError: ['NOT_FOUND', "Tool '{first}' failed: {second}"],
  ToolFailedError: ['TOOL_EXECUTION_ERROR', "Tool '{first}' failed: {second}"],
} as const;
