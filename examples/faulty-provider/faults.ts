// The faults of the provider, as data. A script is a list of these; each request takes the next.

/** One answer of the provider. Times are in milliseconds. */
export type Fault =
  /** Answers as it should. `chunkEveryMs` slows a streamed answer down; `tool` is called instead of a text (chat completions). */
  | { kind: 'ok'; text?: string; chunkEveryMs?: number; tool?: { name: string; input: object } }
  /** 429; the hint in seconds as `retry-after`, or in milliseconds as `retry-after-ms`. */
  | { kind: 'rate-limited'; retryAfterSeconds?: number; retryAfterMs?: number }
  /** 429 that waiting does not help: the money is used up. */
  | { kind: 'quota-exceeded' }
  /** 529 of Anthropic, 503 of OpenAI: too many ask at once. */
  | { kind: 'overloaded' }
  /** 500: the provider failed. */
  | { kind: 'server-error' }
  /** The connection is reset before an answer. */
  | { kind: 'reset' }
  /** Nothing comes for so long, then the connection is closed. */
  | { kind: 'stall'; forMs: number }
  /** 401; like some providers, it puts the key into its message. */
  | { kind: 'unauthorized' }
  /** 400: the prompt is longer than the model takes. */
  | { kind: 'context-length' }
  /** A stream, begun with 200, in which the provider reports an error after some chunks. */
  | { kind: 'error-in-stream'; afterChunks: number }
  /** A stream that is cut after some chunks. */
  | { kind: 'broken-stream'; afterChunks: number }
  /** 200 with a body that ends in the middle. */
  | { kind: 'truncated-body' }
  /** 200 without a body. */
  | { kind: 'no-body' };

/** The faults of the requests to each provider, in order. When a list is used up, all is well. */
export interface Script {
  openai: readonly Fault[];
  anthropic: readonly Fault[];
  google?: readonly Fault[];
}

/** `count` times the same. */
export function times(count: number, fault: Fault): Fault[] {
  return Array.from({ length: count }, () => fault);
}
