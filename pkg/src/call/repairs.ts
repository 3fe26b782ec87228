/** The repairs of one call, which are few: each remedy is applied once, and the next attempt sends another request. */

import type { Remedy, RemedyKind } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { withTried } from '../error/words.js';
import { clip } from '../message/clip.js';

/** Says that a request is another one now, or lists the changes, in words without content. */
export type Repaired = boolean | readonly string[];

/** Changes the request that the next attempt sends. */
export interface Repair {
  (remedy: Remedy, error: AgentError): Repaired | PromiseLike<Repaired>;
  /**
   * How often it may, of a guard, which knows that its next request is another one: only the same remedy with the same details
   * is then the same one.
   */
  readonly max?: number | undefined;
}

/** How often a call is repaired, unless the options of its guard say otherwise. */
export const MOST_REPAIRS = 2;
/** The most changes of one repair that an event and a message name. */
const MOST_CHANGES = 8;

export class Repairs {
  /** In words. */
  readonly tried: string[] = [];
  /** The first error of each code and remedy that was applied. */
  private readonly first = new Map<string, AgentError>();
  private readonly repair: Repair;

  constructor(repair: Repair) {
    this.repair = repair;
  }

  get count(): number {
    return this.first.size;
  }

  /** Returns `true` if there may be a repair after this error: not the same one again, and not one too many. */
  allows(error: AgentError): boolean {
    return this.count < (this.repair.max ?? MOST_REPAIRS) && !this.first.has(this.keyOf(error));
  }

  /** Notes a repair after this error. Returns what its event says. */
  add(error: AgentError, repaired: Repaired): { remedy: RemedyKind; changes: readonly string[] } {
    const remedy = (error.remedy as Remedy).kind;
    const all = typeof repaired === 'object' ? repaired : [];
    const changes = all.slice(0, MOST_CHANGES).map((change) => clip(change, 120));
    if (all.length > MOST_CHANGES) changes.push(`${all.length - MOST_CHANGES} more`);
    this.first.set(this.keyOf(error), error);
    this.tried.push(...(changes.length > 0 ? changes : [remedy]));
    return { remedy, changes };
  }

  /** The error that a call ends with: the first that its remedy did not help against, which says what was tried. */
  explained(error: AgentError): AgentError {
    if (error.code === 'CANCELLED') return error;
    const first = this.first.get(this.keyOf(error)) ?? error;
    return finished(first, { message: withTried(first.message, this.tried) });
  }

  private keyOf({ code, remedy }: AgentError): string {
    return code + JSON.stringify(remedy, this.repair.max === undefined ? NAMES : null);
  }
}

/** The fields that tell one remedy from another. A provider may say other numbers, values and ids each time. */
const NAMES = ['kind', 'name', 'from', 'problem', 'reason', 'because'];
