/** Tools of a server that act once: those that may not run twice, by a ledger. */

import type { AgentError } from '../error/agent-error.js';
import type { Ledger, OnceOptions } from '../once/ledger.js';
import { surelyNot } from '../once/surely-not.js';
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
  const acts = new Map<string, (args: Arguments, send: Send) => Promise<object | undefined>>();
  return async (tool: string, args: Arguments, send: Send): Promise<object> => {
    let act = acts.get(tool);
    if (act === undefined) {
      // Its functions get the call's arguments alone.
      const own = optionsOf?.(tool) as Partial<OnceOptions<[Arguments, Send], object>> | undefined;
      act = ledger.once<[Arguments, Send], object>(
        `${name}.${tool}`,
        function (_args: Arguments, carryOut: Send) {
          return carryOut(this.signal);
        },
        { key: (given) => given, surelyNot: everyAttemptWasRefused, ...own },
      );
      acts.set(tool, act);
    }
    return (
      (await act(args, send)) ?? {
        content: [{ type: 'text', text: `'${tool}' was carried out before. Its result was not kept.` }],
      }
    );
  };
}

function everyAttemptWasRefused(error: AgentError): boolean {
  const attempts = error.errors.length === 0 ? [error] : error.errors;
  return attempts.every((one) => wasRefused(one)) || surelyNot(error);
}
