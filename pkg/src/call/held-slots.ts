/** The slots that an attempt holds, for the calls that are made within it. */

import type { Attempt } from './attempt.js';
import type { DrivenCall } from './driven-call.js';
import * as engineCall from './engine-call.js';
import type { CallHost } from './host.js';
import type { Holder } from './parents.js';

export class HeldSlots implements Holder {
  tokens = 0;
  private readonly call: DrivenCall<unknown>;
  private readonly attempt: number;

  constructor(call: DrivenCall<unknown>, { attempt }: Attempt) {
    this.call = call;
    this.attempt = attempt;
  }

  get host(): CallHost {
    return this.call.host;
  }

  used(tokens: number): void {
    this.tokens += tokens;
    engineCall.used(this.call, this.attempt, this.tokens);
  }
}
