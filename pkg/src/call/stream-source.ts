/** The source of an operation's stream: iterated, closed, measured, of whatever kind it is. */

import { AgentError } from '../error/agent-error.js';

/** Closes a source. Its result and its errors are ignored. */
export function closeSource(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    return Promise.resolve(iterator.return?.()).then(
      () => {},
      () => {},
    );
  } catch {
    return Promise.resolve();
  }
}

export function iteratorOf<C>(chunks: AsyncIterable<C>): AsyncIterator<C> {
  const source = chunks as (Partial<AsyncIterable<C>> & Partial<ReadableStream<C>>) | null | undefined;
  if (typeof source?.[Symbol.asyncIterator] === 'function') return chunks[Symbol.asyncIterator]();
  // Safari's streams cannot be iterated.
  if (typeof source?.getReader === 'function') {
    const reader = source.getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<C>>,
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
  throw new AgentError(
    'INVALID_RESPONSE',
    `Invalid response structure: expected async iterable, got ${typeof chunks}`,
  );
}

/** Text in a chunk: a string, or the deltas of OpenAI's and Anthropic's streams. */
export function charactersOf(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length;
  try {
    const { choices, delta, text } = chunk as {
      choices?: { delta?: { content?: unknown } }[];
      delta?: unknown;
      text?: unknown;
    };
    const found =
      choices?.[0]?.delta?.content ?? (delta as { text?: unknown } | undefined)?.text ?? delta ?? text;
    return typeof found === 'string' ? found.length : 0;
  } catch {
    return 0; // Nothing at all, or a getter that throws.
  }
}
