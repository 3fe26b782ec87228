/** A stream result that an operation returned instead of streaming it under the policy. */

/** What onDebug says of one, once a policy. */
export const UNREAD_STREAM =
  'An AI SDK stream result was returned from an operation: the attempt counts as a success before the first chunk, and what the stream fails with is not seen. Stream it under the policy instead: policy.stream(({ signal }) => streamText({ …, abortSignal: signal, maxRetries: 0 }).fullStream)';

/**
 * Whether the value is what the AI SDK's `streamText` returns (`streamObject` too). Its streams are getters that begin to
 * read: they are looked for, not read.
 */
export function isStreamResult(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return 'textStream' in value && 'fullStream' in value;
  } catch {
    return false; // A proxy that throws.
  }
}
