/** Leaves out the words that a model repeats when it goes on, so that a reader has the text once. */

import type { StreamPart } from './parts.js';

/** A shorter repetition of the end of what was delivered may be the model's wish: a row of a table, a refrain. */
const SHORTEST = 24;
/** A model that begins again from the beginning repeats all of it. */
const SHORTEST_WHOLE = 8;

/** Cuts the beginning of a text where it is the end of the text before it. Holds it back for as long as it may become that. */
export class Repeated {
  private readonly before: string;
  private text = '';
  private held: StreamPart | undefined = undefined;
  private isOver: boolean;

  constructor(before: string) {
    this.before = before;
    this.isOver = before.length < SHORTEST_WHOLE;
  }

  /** The parts to deliver in place of this one. */
  without(part: StreamPart): StreamPart[] {
    if (this.isOver) return [part];
    // In their order, except for parts outside of blocks.
    if (part.type !== 'text-delta')
      return this.held === undefined || part.type === 'raw' ? [part] : [...this.rest(), part];
    this.text += typeof part.delta === 'string' ? part.delta : '';
    this.held = part;
    return this.mayGrow() ? [] : this.rest();
  }

  /** Returns `true` if all of the text so far occurs in the delivered text, so that more of it may follow there. */
  private mayGrow(): boolean {
    const { before, text } = this;
    const at = before.indexOf(text);
    return at >= 0 && at + text.length < before.length;
  }

  private rest(): StreamPart[] {
    const { before, text, held } = this;
    this.isOver = true;
    if (held === undefined) return [];
    let length = Math.min(before.length, text.length);
    while (length > 0 && !before.endsWith(text.slice(0, length))) length--;
    const repeats = length >= SHORTEST || (length === before.length && length >= SHORTEST_WHOLE);
    const delta = repeats ? text.slice(length) : text;
    return delta === '' ? [] : [{ ...held, delta }];
  }
}
