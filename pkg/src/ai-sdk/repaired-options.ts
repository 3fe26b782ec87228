/** The options of a call that a function makes for each attempt: the next attempt has the repairs of the former ones. */

import type { CallOptions } from '../call/options.js';
import type { Repaired } from '../call/repairs.js';
import type { StreamContext } from '../call/stream.js';
import type { Remedy } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import { fieldsOf, withFields } from '../repair/copy.js';
import { Mended, repairing } from '../repair/mended.js';
import type { RepairingOptions } from '../repair/options.js';

/** The argument of the function of a guarded call. */
export interface GuardCallContext extends StreamContext {
  /**
   * Returns the options of `streamText` or `generateText` as they are to be sent: a copy with the repairs that former
   * attempts have made necessary. Pass the options of the one call that the function makes through it.
   *
   * @example
   * ```ts
   * guardCall(policy, ({ signal, repaired }) =>
   *   streamText(repaired({ model, messages, abortSignal: signal, maxRetries: 0 })),
   * );
   * ```
   */
  readonly repaired: <O extends object>(options: O) => O;
}

type Tools = Record<string, { execute?: ((...given: unknown[]) => unknown) | undefined } | undefined>;

const MISSING =
  "guardCall cannot repair a request that it does not see: pass the options through the context's `repaired`, or guard the model with guardMiddleware";

export class RepairedOptions {
  private readonly mended: Mended<object>;
  private readonly report: ((problem: string) => void) | undefined;
  /** The options of the first attempt. */
  private first: object | undefined;
  /** A repaired call would run its tools once more. */
  private hasRunTools = false;
  /** For the options of the call around the attempts. */
  readonly repair: CallOptions['repair'];

  /** @param report - Called if the application wants repairs, and the request is not known. */
  constructor(option: RepairingOptions['repair'], report: (problem: string) => void) {
    this.mended = new Mended<object>({}, option, { format: 'ai-sdk' });
    this.report = option === undefined ? undefined : report;
    this.repair = repairing(option, (remedy, error) => this.mend(remedy, error));
  }

  /** The options that the function has made, with the repairs so far. */
  readonly repaired = <O extends object>(options: O): O => {
    if (this.first === undefined) {
      this.first = options;
      this.mended.request = options;
    }
    const [before, after] = [fieldsOf(this.first), fieldsOf(this.mended.request)];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = names.filter((name) => before[name] !== after[name]);
    const repaired = Object.fromEntries(changed.map((name) => [name, after[name]]));
    const { tools } = { ...fieldsOf(options), ...repaired };
    const noted = tools === undefined ? {} : { tools: this.noted(tools as Tools) };
    return withFields(options, { ...repaired, ...noted });
  };

  /** The same tools, which note that they run. */
  private noted(tools: Tools): Tools {
    const noted = Object.entries(tools).map(([name, tool]) => {
      if (typeof tool?.execute !== 'function') return [name, tool];
      const execute = (...given: unknown[]) => {
        this.hasRunTools = true;
        return tool.execute?.(...given);
      };
      return [name, withFields(tool, { execute })];
    });
    return Object.fromEntries(noted);
  }

  private mend(remedy: Remedy, error: AgentError): Repaired | PromiseLike<Repaired> {
    const { mended, first } = this;
    if (this.hasRunTools) return false;
    const isSame = remedy.kind === 'ask-again' && remedy.because === 'empty';
    if (first !== undefined || isSame) return mended.repair?.(remedy, error) ?? false;
    this.report?.(MISSING);
    return false;
  }
}
