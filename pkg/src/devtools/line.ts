/**
 * An event as one line of JSON: what `JSON.stringify` says of it, in less than half of its time.
 *
 * Events of one type are made with the same fields in the same order, and most texts in them are those of the event
 * before. So each field's name is quoted once, and a text once for as long as it stays the same. What is no plain
 * record of texts, numbers, booleans and more of the kind is left to `JSON.stringify`.
 */

/** Types of events, fields of a record, and records within records: beyond that it is no event of ours. */
const MOST_SHAPES = 64;
const MOST_FIELDS = 64;
const DEEPEST = 4;
/** A longer text is looked at anew each time rather than kept. */
const KEPT_LENGTH = 512;

/** What JSON may escape: all but these, so control characters, `"`, `\`, and surrogates, which may stand alone. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** A field in its place, and the text that it had last. */
class Field {
  text: string | undefined = undefined;
  written = '';
  inner: Shape | undefined = undefined;

  constructor(
    readonly name: string,
    /** What stands before its value: `,"name":`, or `{"name":` for the first. */
    readonly before: string,
  ) {}
}

/** The fields that records of one type have had: by place, as they came last, and by what is written of them. */
class Shape {
  readonly places: Field[] = [];
  readonly #fields = new Map<string, Field>();

  /** Another field than last time stands there. */
  put(place: number, name: string): Field | undefined {
    const before = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    let field = this.#fields.get(before);
    if (field === undefined) {
      if (this.#fields.size >= MOST_FIELDS) return undefined;
      field = new Field(name, before);
      this.#fields.set(before, field);
    }
    this.places[place] = field;
    return field;
  }
}

/** Writes events. */
export class LineWriter {
  readonly #shapes = new Map<unknown, Shape>();

  /** The event as JSON. @throws what `JSON.stringify` throws: for a cycle, for a bigint, what a getter throws. */
  write(event: object): string | undefined {
    // What somebody gave to all objects is no field of the event's.
    for (const _ in Object.prototype) return JSON.stringify(event);
    const { type } = event as { type?: unknown };
    let shape = this.#shapes.get(type);
    if (shape === undefined && this.#shapes.size < MOST_SHAPES) {
      shape = new Shape();
      this.#shapes.set(type, shape);
    }
    return (shape && writeRecord(event, shape, DEEPEST)) ?? JSON.stringify(event);
  }
}

/** `undefined` for what is left to `JSON.stringify`. */
function writeRecord(record: object, shape: Shape, depth: number): string | undefined {
  if (depth === 0 || Object.getPrototypeOf(record) !== Object.prototype) return undefined;
  // A method of the record's own, or one that somebody gave to all objects.
  if ((record as { toJSON?: unknown }).toJSON !== undefined) return undefined;
  const { places } = shape;
  let text = '';
  let place = 0;
  for (const name in record) {
    const value = (record as Record<string, unknown>)[name];
    if (value === undefined) continue;
    let field = places[place];
    if (field === undefined || field.name !== name) {
      field = shape.put(place, name);
      if (field === undefined) return undefined;
    }
    switch (typeof value) {
      case 'string':
        if (field.text !== value) {
          field.written = `${field.before}${quoted(value)}`;
          field.text = value.length <= KEPT_LENGTH ? value : undefined;
        }
        text += field.written;
        break;
      case 'number':
        text += field.before + (Number.isFinite(value) ? value : 'null');
        break;
      case 'boolean':
        text += field.before + value;
        break;
      case 'object': {
        const inner = value === null ? 'null' : writeInner(value, field, depth);
        if (inner === undefined) return undefined;
        text += field.before + inner;
        break;
      }
      default:
        return undefined;
    }
    place += 1;
  }
  return place === 0 ? '{}' : `${text}}`;
}

function writeInner(value: object, field: Field, depth: number): string | undefined {
  if (Array.isArray(value)) return JSON.stringify(value);
  field.inner ??= new Shape();
  return writeRecord(value, field.inner, depth - 1);
}

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
