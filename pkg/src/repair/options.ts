/** The options of guards of models that say which requests they repair. */

import { REMEDY_KINDS, type RemedyKind } from '../classify/remedy.js';
import * as is from '../options.js';

/** The repairs of a guard. */
// biome-ignore lint/suspicious/noExplicitAny: a request in the format of the guard.
export interface RepairOptions<Request = any> {
  /** The remedies that the guard applies by itself. `shorten` and `outputLimit` allow theirs beside these. Default: `SAFE_REPAIRS`. */
  only?: readonly RemedyKind[] | undefined;
  /** How often the request of one call is changed at most; the same remedy with the same details is applied once. Default: 2. */
  max?: number | undefined;
  /**
   * Shortens a conversation that is too long, in the format of the guard. It returns another request, and leaves the one that it
   * gets as it is; the same request: nothing was shortened. `need` is in tokens, as far as the provider has said. Default: none,
   * and CONTEXT_LENGTH_EXCEEDED ends the call.
   */
  shorten?:
    | ((
        request: Request,
        need: { limit?: number | undefined; sent?: number | undefined },
      ) => Request | PromiseLike<Request>)
    | undefined;
  /**
   * The limit of tokens for an answer, after one that was cut off by the `present` one. `undefined`: it stays. Default: twice
   * the present one, where `only` allows `raise-output-limit`.
   */
  outputLimit?: ((present: number | undefined) => number | undefined) | undefined;
}

/** Repairs of the guards of models. */
export interface RepairingOptions {
  /** Requests that a provider refuses are changed as its error asks, and sent again: `true` for `SAFE_REPAIRS`. Default: `true`. */
  repair?: RepairOptions | boolean | undefined;
}

const kinds: is.Kind = is.kind(
  `an array of remedies (${REMEDY_KINDS.join(', ')})`,
  (value) => Array.isArray(value) && value.every((one) => REMEDY_KINDS.includes(one)),
);

export const repairingShape: is.Shape = {
  repair: is.either(
    is.flag,
    is.object({ only: kinds, max: is.count, shorten: is.callback, outputLimit: is.callback }),
  ),
};
