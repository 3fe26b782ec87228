/** The repair of a refused request, before the next attempt sends it. */

import type { Remedy } from '../classify/remedy.js';
import { isControlFlow } from '../control-flow.js';
import * as engine from '../core/engine.js';
import type { Failure } from '../error/failure.js';
import type { Attempt } from './attempt.js';
import { whenDone } from './callback.js';
import type { DrivenCall } from './driven-call.js';
import { passOn } from './ends.js';
import { misuseReport } from './failures.js';
import type { Repair, Repaired } from './repairs.js';

/** Has the request of the next attempt changed, while nothing of this one is left behind in the engine. */
export function repairFirst(
  call: DrivenCall<unknown>,
  attempt: Attempt,
  failure: Failure,
  flags: number,
  repair: Repair,
): void {
  const { error } = failure;
  const own = flags & ~engine.OWN_DELAY;
  call.host.follow(call.reportFailure(attempt, failure, own | engine.REPAIR_PENDING), call);
  const done = (repaired: unknown): void =>
    call.runStep(() => {
      if (!call.isOpen) return;
      if (repaired) call.followFailure(attempt, failure, own | engine.REPAIRED, repaired as Repaired);
      else call.followFailure(attempt, failure, flags);
    });
  if (!call.isOpen) return;
  whenDone(
    () => repair(error.remedy as Remedy, error),
    done,
    (thrown) => {
      if (isControlFlow(thrown)) return call.runStep(() => passOn(call, thrown));
      misuseReport(call.settings)('repair threw; the request stays as it is', thrown);
      done(false);
    },
  );
}
