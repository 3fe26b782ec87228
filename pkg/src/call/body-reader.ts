/** Reads a body as it passes, for what it says of the answer: its tokens, its model. Nothing is held back. */

/** Called with each value of JSON that is read of an answer. */
export type Note = (chunk: unknown) => void;

/** Reads bytes that somebody else gets too. */
export interface BodyReader {
  read(bytes: Uint8Array): void;
  /** Called when the body is over or no longer read. Returns whether its last value is whole, as far as it is known. */
  end(): boolean;
}

/** A stream of events. */
export const EVENTS_TYPE = /event-stream/i;
/** A value of JSON a line: `x-ndjson`, `jsonl`, `json-seq`, and Cohere's `stream+json`. */
export const LINES_TYPE = /stream\+json|ndjson|jsonl|json-?lines|json-seq/i;
/** One value of JSON. */
export const JSON_TYPE = /[/+]json\s*(;|$)/i;

/** The names that a chunk with token counts has, for any provider. Other chunks need not be parsed. */
export const COUNTS_TOKENS = /token|eval_count/i;

/** The reader for a body of that type; `undefined` for one that says nothing of tokens. */
export function bodyReader(type: string, note: Note): BodyReader | undefined {
  if (EVENTS_TYPE.test(type) || LINES_TYPE.test(type)) return new LineReader(note);
  return JSON_TYPE.test(type) ? new JsonReader(note) : undefined;
}

/** The longest text that is kept to be read, in UTF-16 units: a mebibyte. No line that counts tokens is as long. */
const LONGEST = 1024 * 1024;
/** The beginnings of a record of RFC 7464, and of a line of an event's data. */
const BEFORE_JSON = ['\u001e', 'data:'];

/** Reads lines of JSON, those of events too. */
export class LineReader implements BodyReader {
  private readonly decoder = new TextDecoder();
  private readonly note: Note;
  private readonly line = new Text();

  constructor(note: Note) {
    this.note = note;
  }

  read(bytes: Uint8Array): void {
    const [first = '', ...lines] = this.decoder.decode(bytes, { stream: true }).split('\n');
    this.line.add(first);
    for (const line of lines) {
      this.endLine();
      this.line.add(line);
    }
  }

  end(): boolean {
    const rest = this.endLine();
    return rest === undefined || rest === '' || isJson(rest);
  }

  /** Returns the line; `undefined` for one that was too long. */
  private endLine(): string | undefined {
    const whole = this.line.take()?.trim();
    if (whole === undefined) return undefined;
    const before = BEFORE_JSON.find((mark) => whole.startsWith(mark)) ?? '';
    const line = whole.slice(before.length);
    if (COUNTS_TOKENS.test(line)) noteJson(line, this.note);
    return line;
  }
}

/** Reads one value of JSON, if it is not too long. */
class JsonReader implements BodyReader {
  private readonly decoder = new TextDecoder();
  private readonly note: Note;
  private readonly text = new Text();

  constructor(note: Note) {
    this.note = note;
  }

  read(bytes: Uint8Array): void {
    this.text.add(this.decoder.decode(bytes, { stream: true }));
  }

  end(): boolean {
    const text = this.text.take();
    return text === undefined || !COUNTS_TOKENS.test(text) || noteJson(text, this.note);
  }
}

/** A text that comes in pieces, as far as it is kept. */
class Text {
  private pieces: string[] = [];
  private length = 0;

  add(piece: string): void {
    this.length += piece.length;
    if (this.length <= LONGEST) this.pieces.push(piece);
    else this.pieces = [];
  }

  /** Returns the text so far, `undefined` if it is too long, and starts over. */
  take(): string | undefined {
    const text = this.length <= LONGEST ? this.pieces.join('') : undefined;
    this.pieces = [];
    this.length = 0;
    return text;
  }
}

/** Returns `true` if a text is one value of JSON. */
export function isJson(text: string): boolean {
  return noteJson(text, () => {});
}

/** Notes what a text of JSON says. Returns whether it is JSON. */
export function noteJson(text: string, note: Note): boolean {
  try {
    noteAll(JSON.parse(text), note);
    return true;
  } catch {
    return false;
  }
}

/** Gemini's stream is a list of chunks unless it is one of events. */
export function noteAll(parsed: unknown, note: Note): void {
  for (const chunk of Array.isArray(parsed) ? parsed : [parsed]) note(chunk);
}
