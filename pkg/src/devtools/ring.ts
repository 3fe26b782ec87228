/** A queue of fixed size that drops its oldest entry when a new one finds no place. */

/** First in, first out; `push` and `shift` cost the same however much is in it. */
export class Ring<T> {
  readonly #slots: (T | undefined)[];
  #head = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#slots = new Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds an entry; returns the oldest one if that had to go. */
  push(entry: T): T | undefined {
    const capacity = this.#slots.length;
    let dropped: T | undefined;
    if (this.#length === capacity) dropped = this.shift();
    this.#slots[(this.#head + this.#length) % capacity] = entry;
    this.#length += 1;
    return dropped;
  }

  /** Takes the oldest entry out. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const entry = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#length -= 1;
    return entry;
  }
}
