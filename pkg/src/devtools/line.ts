/**
 * An event as one line of JSON: what `JSON.stringify` says of it, in less than half of its time.
 *
 * Events of one type have the same fields in the same order, and most texts in them equal those of the event before. So
 * each field's name is quoted once, a value is written once for as long as it stays the same, and neighbouring
 * unchanged fields are one text. A value that is no plain record of texts, numbers, booleans and further records is
 * left to `JSON.stringify`.
 */

/** The most types of events, fields of a record, and records within records. Beyond that it is no event of ours. */
const MOST_SHAPES = 64;
const MOST_FIELDS = 64;
const DEEPEST = 4;
/** A longer text is not kept but examined each time. */
const KEPT_LENGTH = 512;

/**
 * The characters that JSON may escape are all but these: control characters, `"`, `\`, and surrogates, which may be
 * unpaired.
 */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
/** V8 flattens a joined string when a pattern examines it. This happens once, before the text is kept. */
const ONE_PIECE = /^\0/;

/** A field at its position, with its last value. */
class Field {
  /** A text, a number or a boolean; `undefined` if nothing is kept. */
  last: unknown = undefined;
  /** That value. */
  written = '';
  /** The shape's change that made it so. */
  since = 0;
  inner: Shape | undefined = undefined;
  run: Run | undefined = undefined;

  constructor(
    readonly name: string,
    /** The text before its value: `,"name":`, or `{"name":` for the first. */
    readonly before: string,
  ) {}
}

/**
 * Neighbouring unchanged fields as one text, as of the shape's change `since`. It ends before the value at `end`, or at
 * the record's end if there is no field at `end`.
 */
interface Run {
  readonly end: number;
  readonly last: boolean;
  readonly since: number;
  readonly text: string;
}

/** The fields of the records of one type: by position, in their last order, with their written form. */
class Shape {
  readonly places: Field[] = [];
  private readonly fields = new Map<string, Field>();
  /** Changes of a value. */
  private changes = 0;
  /** The number of the last record that changed the order of the fields. */
  private moved = 0;

  /** Another field than last time is at that position. */
  put(place: number, name: string): Field | undefined {
    const before = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    let field = this.fields.get(before);
    if (field === undefined) {
      if (this.fields.size >= MOST_FIELDS) return undefined;
      field = new Field(name, before);
      this.fields.set(before, field);
    }
    this.places[place] = field;
    this.moved = this.changes += 1;
    return field;
  }

  /** A field has another value. */
  set(field: Field, value: unknown, written: string): void {
    field.written = written;
    field.last = typeof value === 'object' || written.length > KEPT_LENGTH ? undefined : value;
    field.since = this.changes += 1;
  }

  /** Returns the fields from `start` to `end`, which are all unchanged since `newest`, and the text after them. */
  run(start: number, end: number, newest: number, last: boolean): string {
    const first = this.places[start];
    const kept = first?.run;
    if (kept?.end === end && kept.last === last && kept.since >= newest && kept.since >= this.moved)
      return kept.text;
    let text = '';
    for (const { before, written } of this.places.slice(start, end)) text += before + written;
    text += last ? '}' : this.places[end]?.before;
    ONE_PIECE.test(text);
    if (first !== undefined) first.run = { end, last, since: this.changes, text };
    return text;
  }
}

/** Writes events. */
export class LineWriter {
  private readonly shapes = new Map<unknown, Shape>();

  /** The event as JSON. @throws what `JSON.stringify` throws: for a cycle, for a bigint, what a getter throws. */
  write(event: object): string | undefined {
    // A property that somebody added to Object.prototype is no field of the event.
    for (const _ in Object.prototype) return JSON.stringify(event);
    const { type } = event as { type?: unknown };
    let shape = this.shapes.get(type);
    if (shape === undefined && this.shapes.size < MOST_SHAPES) {
      shape = new Shape();
      this.shapes.set(type, shape);
    }
    return (shape && writeRecord(event, shape, DEEPEST)) ?? JSON.stringify(event);
  }
}

/** Returns `undefined` for a record that is left to `JSON.stringify`. */
function writeRecord(record: object, shape: Shape, depth: number): string | undefined {
  if (depth === 0 || Object.getPrototypeOf(record) !== Object.prototype) return undefined;
  // A method of the record's own, or one that somebody added to all objects.
  if ((record as { toJSON?: unknown }).toJSON !== undefined) return undefined;
  const { places } = shape;
  let text = '';
  let place = 0;
  /** Where the fields began that are as they were, and the newest of these. */
  let start = 0;
  let newest = 0;
  for (const name in record) {
    const value = (record as Record<string, unknown>)[name];
    if (value === undefined) continue;
    let field = places[place];
    if (field === undefined || field.name !== name) {
      field = shape.put(place, name);
      if (field === undefined) return undefined;
    }
    if (value === field.last) {
      if (field.since > newest) newest = field.since;
    } else {
      const written = typeof value === 'object' ? writeInner(value, field, depth) : writePlain(value);
      if (written === undefined) return undefined;
      text += start < place ? shape.run(start, place, newest, false) : field.before;
      text += written;
      shape.set(field, value, written);
      start = place + 1;
      newest = 0;
    }
    place += 1;
  }
  if (place === 0) return '{}';
  return text + (start < place ? shape.run(start, place, newest, true) : '}');
}

/** The last quoted text: a call's name comes twice in a row, in events of two types. */
const quoted = { text: '', written: '""' };

function writePlain(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      if (value !== quoted.text) {
        quoted.written = ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`;
        quoted.text = value;
      }
      return quoted.written;
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null';
    case 'boolean':
      return `${value}`;
    default:
      return undefined;
  }
}

function writeInner(value: object | null, field: Field, depth: number): string | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return JSON.stringify(value);
  field.inner ??= new Shape();
  return writeRecord(value, field.inner, depth - 1);
}
