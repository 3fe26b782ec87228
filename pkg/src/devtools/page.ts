/** Lines of JSON as bytes: a page is what one request carries. */

/** Most lines of one page, give or take a block of text. */
export const PAGE_LINES = 2_000;
/** The most bytes of one page. The server accepts 1 MiB, and one that accepts less is sent halves. */
const PAGE_BYTES = 900 * 1024;
/** The size with which the first page begins. */
const FIRST_BYTES = 16 * 1024;

const NEWLINE = 0x0a;
const encoder = /* @__PURE__ */ new TextEncoder();

/** The identity of a line. */
export interface LineId {
  readonly source: string;
  readonly seq: number;
}

/** Lines in order: added at its end, taken from its front. */
export class Page {
  private memory: Uint8Array;
  private start = 0;
  private end = 0;
  /** How many lines were noted, and how many of those are gone. */
  private noted = 0;
  private gone = 0;
  /** Not a growing array, which would survive two collections, and be copied by each. */
  private readonly seqs = new Float64Array(PAGE_LINES);
  /** The process of the lines from each index on: mostly one. */
  private sources: { readonly from: number; readonly source: string }[] = [];

  /** `bytes`: the size that the last page grew to. The page grows as needed. */
  constructor(bytes = FIRST_BYTES) {
    this.memory = new Uint8Array(bytes);
  }

  /** How much memory it has come to. */
  get bytes(): number {
    return this.memory.length;
  }

  /** How many lines are in it. */
  get lines(): number {
    return this.noted - this.gone;
  }

  /** `true` if the next line belongs on another page. */
  get full(): boolean {
    return this.noted >= PAGE_LINES || this.end >= PAGE_BYTES;
  }

  /** Adds lines, each with its newline; `note` gives the identity of each. */
  write(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    const room = this.end + text.length * 3;
    if (room > this.memory.length) {
      const larger = new Uint8Array(Math.max(room, this.memory.length * 2));
      larger.set(this.memory.subarray(0, this.end));
      this.memory = larger;
    }
    this.end += encoder.encodeInto(text, this.memory.subarray(this.end)).written;
  }

  note(source: string, seq: number): void {
    if (this.sources.at(-1)?.source !== source) this.sources.push({ from: this.noted, source });
    this.seqs[this.noted] = seq;
    this.noted += 1;
  }

  /** The bytes of its first `lines` lines. */
  read(lines: number): Uint8Array {
    return this.memory.subarray(this.start, this.endOf(lines));
  }

  /** Takes its first lines out. */
  remove(lines: number): void {
    this.start = this.endOf(lines);
    this.gone = Math.min(this.gone + lines, this.noted);
  }

  /** The identity of its first line. */
  get first(): LineId {
    const run = this.sources.filter(({ from }) => from <= this.gone).at(-1);
    return { source: run?.source ?? '', seq: this.seqs[this.gone] ?? 0 };
  }

  /** Empties it, so that the same memory is used again. */
  clear(): void {
    this.start = 0;
    this.end = 0;
    this.noted = 0;
    this.gone = 0;
    this.sources = [];
  }

  /** Returns the end of that number of lines. No line of JSON contains a newline. */
  private endOf(lines: number): number {
    if (lines >= this.lines) return this.end;
    let end = this.start;
    for (let passed = 0; passed < lines; passed += 1) end = this.memory.indexOf(NEWLINE, end) + 1;
    return end;
  }
}
