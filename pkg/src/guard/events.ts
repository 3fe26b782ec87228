/** The events of a model's stream: cut out of the bytes, and read for what they report. */

import { AgentError } from '../error/agent-error.js';
import { ResponseError } from '../response/errors.js';
import { ResponseHandler } from '../response/handler.js';

/** An event of https://html.spec.whatwg.org/multipage/server-sent-events.html, with the blank line behind it. */
const EVENT = /^[\s\S]*?(?:\r\n\r\n|\n\n|\r\r)/;

/** The events of a body as they came, and at its end what is left. Leaving the loop cancels the body. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true });
      for (let found = EVENT.exec(text); found !== null; found = EVENT.exec(text)) {
        text = text.slice(found[0].length);
        yield found[0];
      }
    }
    text += decoder.decode();
    if (text !== '') yield text;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** What an event means: part of the preamble, content, or an error that the provider reports. */
export type Meaning = 'preamble' | 'content' | { error: unknown };

/** Reads one stream. What it does not know is content: it is passed on, and nothing is said about its end. */
export class EventReader {
  private readonly handler = new ResponseHandler();
  private isKnown = true;
  private hasContent = false;
  private hasEnded = false;

  read(event: string): Meaning {
    if (!this.isKnown) return 'content';
    const data = dataOf(event);
    if (data === undefined) return 'preamble';
    if (data === '[DONE]') {
      this.hasEnded = true;
      return 'content';
    }
    try {
      const chunk = this.handler.processChunk(JSON.parse(data));
      if (chunk?.finishReason !== undefined) this.hasEnded = true;
      if (chunk === null || (chunk.text === '' && !chunk.hasToolCall && chunk.finishReason === undefined)) {
        return 'preamble';
      }
      this.hasContent = true;
      return 'content';
    } catch (thrown) {
      if (AgentError.is(thrown) && !(thrown instanceof ResponseError)) return { error: thrown };
      // Refused, blocked, or of another format: that is for the client to judge.
      this.isKnown = false;
      return 'content';
    }
  }

  /** The stream is over: an error where its format is known, and its end has not come. */
  end(): AgentError | undefined {
    if (!this.isKnown || !this.hasContent || this.hasEnded) return undefined;
    return new AgentError('INVALID_RESPONSE', 'Stream cut off: no end', { retryable: true });
  }
}

/** The data of an event; `undefined` for a comment. */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return undefined;
  return lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}
