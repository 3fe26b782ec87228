/** The repairs of one call: each remedy is applied once, and the next attempt sends another request. */

import type { Remedy, RemedyKind } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { withTried } from '../error/words.js';
import { clip } from '../message/clip.js';

/** Says that a request is another one now, or lists the changes, in words without content. */
export type Repaired = boolean | readonly string[];

/** Changes the request that the next attempt sends. */
export type Repair = (remedy: Remedy, error: AgentError) => Repaired | PromiseLike<Repaired>;

/** The most changes of one repair that an event and a message name. */
const MOST = 8;

export class Repairs {
  /** In words. */
  readonly tried: string[] = [];
  /** The first error of each code and remedy that was applied. */
  private readonly first = new Map<string, AgentError>();

  get count(): number {
    return this.first.size;
  }

  has(error: AgentError): boolean {
    return this.first.has(keyOf(error));
  }

  /** Notes a repair after this error. Returns what its event says. */
  add(error: AgentError, repaired: Repaired): { remedy: RemedyKind; changes: readonly string[] } {
    const remedy = (error.remedy as Remedy).kind;
    const all = typeof repaired === 'object' ? repaired : [];
    const changes = all.slice(0, MOST).map((change) => clip(change, 120));
    if (all.length > MOST) changes.push(`${all.length - MOST} more`);
    this.first.set(keyOf(error), error);
    this.tried.push(...(changes.length > 0 ? changes : [remedy]));
    return { remedy, changes };
  }

  /** The error that a call ends with: the first that its remedy did not help against, which says what was tried. */
  explained(error: AgentError): AgentError {
    if (error.code === 'CANCELLED') return error;
    const first = this.first.get(keyOf(error)) ?? error;
    return finished(first, { message: withTried(first.message, this.tried) });
  }
}

const keyOf = ({ code, remedy }: AgentError) => code + JSON.stringify(remedy);
