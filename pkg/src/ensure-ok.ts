/** A response that is not ok, as the error that it means. */

import { AgentError } from './errors.js';

/** How much of a body is read for its reason. */
const MOST_BYTES = 4096;

/**
 * Resolves with an ok response; rejects with the classified error of any other, its body read (4 KiB) for the reason.
 *
 * @throws AgentError (as a rejection) for a response whose status is not 200-299.
 *
 * @example
 * ```ts
 * const response = await ensureOk(await fetch('https://api.example.com/v1/models'));
 * ```
 */
export async function ensureOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await beginningOf(response);
  const { status, statusText, headers } = response;
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON, or cut off: its text may still say something.
  }
  const inner =
    typeof body === 'object' && body !== null ? ((body as { error?: unknown }).error ?? body) : undefined;
  const message = messageIn(inner) ?? (typeof body === 'string' ? body.slice(0, 200) : '');
  const thrown = Object.assign(new Error(`${status} ${statusText} ${message}`.trim()), {
    status,
    headers,
    error: inner ?? text,
  });
  throw AgentError.from(thrown);
}

function messageIn(value: unknown): string | undefined {
  const message =
    typeof value === 'object' && value !== null ? (value as { message?: unknown }).message : value;
  return typeof message === 'string' ? message : undefined;
}

/** The first 4 KiB of the body; what cannot be read is empty. */
async function beginningOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < MOST_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      const rest = value.subarray(0, MOST_BYTES - bytes);
      bytes += rest.length;
      text += decoder.decode(rest, { stream: true });
    }
  } catch {
    // Broken off: what came is what there is.
  } finally {
    reader.cancel().catch(() => {});
  }
  return text;
}
