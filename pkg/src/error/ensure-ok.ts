/** A response that is not ok, as the error that it means. */

import { type Time, timeOf } from '../clock.js';
import { AgentError } from './agent-error.js';
import { noteWords } from './words.js';

/** How much of a body is read for its reason. */
export const MOST_BYTES = 4096;
/** The longest wait for a body, in milliseconds. The headers have arrived already, and errors are short. */
export const BODY_PATIENCE_MS = 1000;

/**
 * Resolves with an ok response; rejects with the classified error of any other, whose body is read (4 KiB) for the
 * reason.
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
  throw AgentError.from(await thrownBy(response));
}

/**
 * Returns an error to classify, made from the status, the headers and the beginning of the body. Reads the response.
 */
export async function thrownBy(response: Response, time: Time = timeOf(undefined)): Promise<Error> {
  const text = await beginningOf(response, time);
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
  // Without the status's phrase if there are words, as the SDKs of providers have it, so that an error of theirs and
  // the event about its response have one code.
  const thrown = Object.assign(new Error(`${status} ${message || statusText}`.trim()), {
    status,
    headers,
    error: inner ?? text,
  });
  noteWords(thrown, message);
  return thrown;
}

/** The errors of responses that operations returned, each with its untouched response. */
const RESPONSES = new WeakMap<object, Response>();

/**
 * Returns `true` if an operation returned a failing `Response` of any realm or `fetch`: a status of 400 or above, or of
 * type 'error'. It is recognised by its members; a value whose getters throw does not count.
 */
export function isNotOk(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false;
  try {
    // Most values have no `ok`, so no other property of theirs is read.
    if ((value as Partial<Response>).ok !== false) return false;
    const { status, type, headers, clone } = value as Partial<Response>;
    if (typeof clone !== 'function' || typeof headers?.get !== 'function') return false;
    return type === 'error' || (typeof status === 'number' && status >= 400);
  } catch {
    return false;
  }
}

/**
 * Returns the error for a returned response. It reads a clone; a body that was read already or cannot be read adds
 * nothing.
 */
export async function errorOf(response: Response, time: Time): Promise<Error> {
  let thrown: Error;
  try {
    if (response.type === 'error') thrown = new TypeError('fetch failed: the response is a network error');
    else thrown = await thrownBy(response.bodyUsed ? new Response(null, response) : response.clone(), time);
  } catch {
    thrown = byStatus(response);
  }
  RESPONSES.set(thrown, response);
  return thrown;
}

/** Returns an error from the status alone, for a response whose body and headers cannot be read. */
function byStatus(response: Response): Error {
  try {
    const { status } = response;
    return Object.assign(new Error(`HTTP ${status}`), { status });
  } catch {
    return new Error('The operation returned a failing response that cannot be read');
  }
}

/** Returns the response behind an error of {@link errorOf}. */
export function responseOf(thrown: unknown): Response | undefined {
  return typeof thrown === 'object' && thrown !== null ? RESPONSES.get(thrown) : undefined;
}

function messageIn(value: unknown): string | undefined {
  const message =
    typeof value === 'object' && value !== null ? (value as { message?: unknown }).message : value;
  return typeof message === 'string' ? message : undefined;
}

/** Returns the first 4 KiB of the body, as far as they arrive within a second; empty if it cannot be read. */
async function beginningOf(response: Response, time: Time): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  // A stalling body ends like a complete one: its status and headers are known.
  const patience = time.after(BODY_PATIENCE_MS, () => void reader.cancel().catch(() => {}));
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
    patience.cancel();
    reader.cancel().catch(() => {});
  }
  return text;
}
