/** The events of a model's stream: cut out of the bytes, and read for what they report. */

import { COUNTS_TOKENS, type Note, noteJson } from '../call/body-reader.js';
import { type AnswerReader, cutOff, type Meaning } from '../response/answers.js';

/** How a body separates its events, and where the data of one is. */
export interface EventFormat {
  readonly end: RegExp;
  /** The data of an event; `undefined` for one without data. */
  data(event: string): string | undefined;
  /** The event with other data. */
  withData(event: string, data: string): string;
}

/** The blank line behind an event of https://html.spec.whatwg.org/multipage/server-sent-events.html. */
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/g;
const LINE_END = /\n/g;
/** An end that is one character short of complete. */
const MOST_OF_AN_END = 3;
/** The longest event that is kept to be read, in UTF-16 units: 64 MiB. A longer one is passed on as it comes. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** The events of a body as they came, and at its end what is left. Leaving the loop cancels the body. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  { end }: EventFormat,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const cutter = new EventCutter(end);
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
  private readonly end: RegExp;

  constructor(end: RegExp) {
    this.end = end;
  }

  *events(piece: string): Generator<string, void> {
    const text = this.tail + piece;
    let start = this.tail.length;
    let begun = 0;
    for (const { index, 0: end } of text.matchAll(this.end)) {
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
  private readonly format: EventFormat;
  private isJson = true;
  private hasRead = false;
  private isOver = false;

  constructor(note: Note, answer: AnswerReader, format: EventFormat) {
    this.note = note;
    this.answer = answer;
    this.format = format;
  }

  /** @throws AgentError for an error that the provider reports, and if the answer is a failure. */
  read(event: string): Meaning {
    const data = this.isJson || COUNTS_TOKENS.test(event) ? this.format.data(event) : undefined;
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
      // Among lines of an answer it is one that was cut off, or garbled: its client would throw.
      if (this.format === LINES && this.hasRead && !this.answer.isOther) throw cutOff('a line is no JSON');
      this.isJson = false;
      return 'content';
    }
    this.hasRead = true;
    this.note(parsed);
    return this.answer.chunk(parsed);
  }

  /** The stream is over. @throws AgentError if it is a model's answer, and a failure. */
  end(): void {
    if (this.isJson && !this.isOver) this.answer.end();
    this.isOver = true;
  }
}

/** Server-sent events. */
export const EVENTS: EventFormat = {
  end: BLANK_LINE,
  data(event) {
    const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
    if (lines.length === 0) return undefined;
    return lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
  },
  withData(event, data) {
    const others = event.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith('data:'));
    return [...others, `data: ${data}`, '', ''].join('\n');
  },
};

/** A value of JSON a line, as Ollama streams; in `json-seq` behind a record separator (RFC 7464). */
export const LINES: EventFormat = {
  end: LINE_END,
  data(line) {
    const text = line.trim();
    return (text.startsWith('\u001e') ? text.slice(1) : text) || undefined;
  },
  withData: (_, data) => `${data}\n`,
};
