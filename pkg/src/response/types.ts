/** The input and output of a response handler. */

/** A format of responses: the provider's own, or that of the library that reads it. */
/** The formats of responses: each provider's own, and the AI SDK's. */
export type ResponseFormat =
  | 'google'
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'ai-sdk'
  | 'ollama';

/** The contents of one chunk, or one whole response. */
export interface ResponseChunk {
  /** The text in it, without the model's thoughts; may be empty. */
  text: string;
  /** `true` if it has a tool call, or a part of one. */
  hasToolCall: boolean;
  /** The tool of that call; of several, the last. */
  toolName?: string | undefined;
  /** The tools of all calls in it, in order. */
  toolNames?: string[] | undefined;
  /** The provider's own term for the reason why the response ended, such as `stop` or `MAX_TOKENS`. */
  finishReason?: string | undefined;
  /** `truncated: true` if a token limit cut the response; `usage` in tokens; at the end of a response `toolCalls`. */
  metadata: Record<string, unknown>;
}

/** A tool call that the model requests. Its parts may have arrived between those of other calls. */
export interface ToolCall {
  /** The id under which its result is sent back. */
  id?: string | undefined;
  /** The tool. */
  name: string;
  /** JSON; empty without any. */
  arguments: string;
}

/** Options of a response handler. */
/** How a response is read. */
export interface ResponseHandlerOptions {
  /** Default: recognised from the first chunk or the response. */
  format?: ResponseFormat | undefined;
  /** Called with each status line for the user. If it throws, nothing changes. */
  statusCallback?: ((status: string) => void) | undefined;
  /**
   * The language of status lines, and of the sentence that replaces the text of a response that has only tool calls: a BCP 47
   * tag. Default: English.
   */
  locale?: string | undefined;
  /**
   * Called with a record of every chunk and of the parts that the handler ignored. The record of a chunk that failed
   * also has `error`, its message, and `stack`, both redacted. If it throws, nothing changes.
   */
  onDebug?:
    | ((message: string, details: { chunkNum: number; hasText: boolean; hasToolCall: boolean }) => void)
    | undefined;
}
