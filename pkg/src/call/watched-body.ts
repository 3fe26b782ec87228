/** A response whose body is watched to its end: read when its reader reads, and never for the watcher's sake. */

import { copiedResponse } from './copied-response.js';

/** Called when a body ends. A body without a reader never ends. */
export interface BodyWatch {
  /** A chunk of it, before its reader gets it. */
  passes(chunk: Uint8Array): void;
  /** Its reader has cancelled it. */
  left(): void;
  /** It came whole. */
  completed(): void;
  /** It broke off after `received` chunks. */
  brokeOff(error: unknown, received: number): void;
}

/** Returns `true` if there is a body that can be watched. */
export function hasBody(response: Response): boolean {
  const { body } = response;
  // A fake fetch in tests may return less than a Response.
  return typeof body?.getReader === 'function' && !body.locked;
}

/** The same response, its body watched. */
export function watched(response: Response, watch: BodyWatch): Response {
  return copiedResponse(response, watchedBody(response, watch));
}

function watchedBody(response: Response, watch: BodyWatch): ReadableStream<Uint8Array> {
  const body = response.body as ReadableStream<Uint8Array>;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let received = 0;
  const pull = async (controller: ReadableStreamController<Uint8Array>): Promise<void> => {
    try {
      reader ??= readerOf(response);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        // A stream of bytes takes no empty chunk.
        if (value.byteLength === 0) continue;
        received++;
        watch.passes(value);
        controller.enqueue(value as never);
        return;
      }
    } catch (error) {
      watch.brokeOff(error, received);
      throw error;
    }
    watch.completed();
    controller.close();
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  };
  const cancel = (reason: unknown): Promise<void> => {
    watch.left();
    return (reader ?? body).cancel(reason);
  };
  // Nothing is read ahead: a high-water mark of 0, which is what streams of bytes have.
  return isOfBytes(body)
    ? new ReadableStream<Uint8Array>({ type: 'bytes', pull, cancel } as UnderlyingByteSource as never)
    : new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
}

/**
 * Taken at the first read, from the response: one that is not read stays unlocked and referred to, so that the
 * platform can close its connection when both are collected, and not before.
 */
function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  return (response.body as ReadableStream<Uint8Array>).getReader();
}

/** Returns `true` if it can be read into a reader's own buffer. Its chunks then have no other owner, and may be passed on. */
function isOfBytes(body: ReadableStream<Uint8Array>): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
