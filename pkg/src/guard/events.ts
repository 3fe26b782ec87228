/** The events of a model's stream: cut out of the bytes, and read for what they report. */

import { COUNTS_TOKENS, type Note, noteJson } from '../call/body-reader.js';
import type { AnswerReader, Meaning } from '../response/answers.js';

/** The blank line behind an event of https://html.spec.whatwg.org/multipage/server-sent-events.html. */
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/g;
/** An end that is one character short of complete. */
const MOST_OF_AN_END = 3;
/** The longest event that is kept to be read, in UTF-16 units: 64 MiB. A longer one is passed on as it comes. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** The events of a body as they came, and at its end what is left. Leaving the loop cancels the body. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const cutter = new EventCutter();
  for await (const chunk of bytesOf(body)) yield* cutter.events(decoder.decode(chunk, { stream: true }));
  yield* cutter.events(decoder.decode());
  const rest = cutter.rest();
  if (rest !== '') yield rest;
}

/** The bytes of a body as they come. Leaving the loop cancels the body. */
export async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Cuts events out of a text that comes in pieces. Each character is looked at once, however long an event is. */
class EventCutter {
  /** The event that has begun. */
  private pieces: string[] = [];
  private length = 0;
  /** Its last characters: its end may have begun. */
  private tail = '';

  *events(piece: string): Generator<string, void> {
    const text = this.tail + piece;
    let start = this.tail.length;
    let begun = 0;
    for (const { index, 0: end } of text.matchAll(BLANK_LINE)) {
      this.pieces.push(text.slice(start, index + end.length));
      start = begun = index + end.length;
      yield this.rest();
    }
    this.pieces.push(text.slice(start));
    this.length += text.length - start;
    this.tail = text.slice(Math.max(begun, text.length - MOST_OF_AN_END));
    if (this.length > LONGEST_EVENT) yield this.rest();
  }

  /** Returns the rest of the event. */
  rest(): string {
    const event = this.pieces.join('');
    this.pieces = [];
    this.length = 0;
    this.tail = '';
    return event;
  }
}

export type { Meaning };

/** Reads one stream. Other data than JSON is content: it is passed on, and nothing is said about its end. */
export class EventReader {
  private readonly note: Note;
  private readonly answer: AnswerReader;
  private isJson = true;
  private isOver = false;

  constructor(note: Note, answer: AnswerReader) {
    this.note = note;
    this.answer = answer;
  }

  /** @throws AgentError for an error that the provider reports, and if the answer is a failure. */
  read(event: string): Meaning {
    const data = this.isJson || COUNTS_TOKENS.test(event) ? dataOf(event) : undefined;
    if (!this.isJson) {
      if (data !== undefined) noteJson(data, this.note);
      return 'content';
    }
    if (data === undefined) return 'preamble';
    if (data === '[DONE]') {
      // Clients read no further.
      this.end();
      return 'preamble';
    }
    let parsed: unknown;
    try {
      parsed = JSON.parse(data);
    } catch {
      this.isJson = false;
      return 'content';
    }
    this.note(parsed);
    return this.answer.chunk(parsed);
  }

  /** The stream is over. @throws AgentError if it is a model's answer, and a failure. */
  end(): void {
    if (this.isJson && !this.isOver) this.answer.end();
    this.isOver = true;
  }
}

/** The data of an event; `undefined` for a comment. */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return undefined;
  return lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}

/** The event with other data. */
export function withData(event: string, change: (data: string) => string): string {
  const data = dataOf(event);
  const next = data === undefined ? data : change(data);
  if (next === data) return event;
  const others = event.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith('data:'));
  return [...others, `data: ${next}`, '', ''].join('\n');
}
