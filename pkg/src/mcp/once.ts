/** Tools of a server that act once: those that may not run twice, by a ledger. */

import type { AgentError } from '../error/agent-error.js';
import type { Ledger, OnceOptions } from '../once/ledger.js';
import { everyAttempt, wasRefused as wasRefusedOnTheWay } from '../once/surely-not.js';
import * as is from '../options.js';
import { wasRefused } from './refusal.js';

/** The arguments of a tool's call. */
type Arguments = Record<string, unknown>;

/** The tools that act once, and the way to it. */
export interface OnceTools {
  /** The ledger of `createLedger`. */
  ledger: Ledger;
  /** The server in the names of its acts: with 'crm', its tool `refund` is the act 'crm.refund'. */
  name: string;
  /**
   * Returns the options of a tool's act. Its `key` gets the arguments of the call, and is by default all of them. Default: no
   * options.
   */
  tool?: ((tool: string) => Partial<OnceOptions<[args: Arguments], object>>) | undefined;
}

/** Carries out a call; the signal is aborted when the claim is lost. */
export type Send = (signal: AbortSignal) => Promise<object>;

export const onceKind: is.Kind = is.object({
  ledger: is.duck('a ledger (createLedger)', 'once'),
  name: is.filledText,
  tool: is.syncCallback,
});

/** Returns a function that calls a tool at most once for its key. */
export function onceByTool({ ledger, name, tool: optionsOf }: OnceTools) {
  if (ledger === undefined) throw is.misuse('once.ledger', 'a ledger (createLedger)', ledger);
  if (name === undefined) throw is.misuse('once.name', "a name for the server, such as 'crm'", name);
  return async (tool: string, args: Arguments, send: Send): Promise<object> => {
    // Made for each call, so that the application's functions get the call's arguments alone.
    const act = ledger.once<[Arguments], object>(
      `${name}.${tool}`,
      function () {
        return send(this.signal);
      },
      { key: (given) => given, surelyNot: everyAttemptWasRefused, ...optionsOf?.(tool) },
    );
    return (
      (await act(args)) ?? {
        content: [{ type: 'text', text: `'${tool}' was carried out before. Its result was not kept.` }],
      }
    );
  };
}

/** By the server, before the tool ran, or on the way to it. */
function everyAttemptWasRefused(error: AgentError): boolean {
  return everyAttempt(error, (one) => wasRefused(one) || wasRefusedOnTheWay(one));
}
