/** Hedges: attempts that begin beside one that has not answered, and what becomes of them when one of them answers. */

import * as engine from '../core/engine.js';
import type { Attempt } from './attempt.js';
import type { DrivenCall } from './driven-call.js';
import * as engineCall from './engine-call.js';
import type { HedgeOptions } from './options.js';
import { loserFailure } from './refusal.js';
import type { Running } from './state.js';

/** After a while another attempt begins beside those that run, unless the engine is against it. */
export function hedgeLater(
  call: DrivenCall<unknown>,
  running: Running,
  { afterMs, max = 1 }: HedgeOptions,
): void {
  running.timer = call.host.time.after(afterMs, () =>
    call.runStep(() => {
      if (max > 1) hedgeLater(call, running, { afterMs, max: max - 1 });
      const code = engineCall.input(call, engine.hedge);
      call.host.follow(code, call);
      if ((code & engine.STEP) !== engine.ATTEMPT || call.state !== running) return;
      const attempt = call.nextAttempt();
      running.attempts.push(attempt);
      call.startAttempt(attempt);
    }),
  );
}

/** The attempts beside the one that has answered are over, and count for nothing. */
export function succeedBeside<T>(
  call: DrivenCall<T>,
  winner: Attempt,
  value: T,
  attempts: readonly Attempt[],
): void {
  const losers = attempts.filter((attempt) => attempt !== winner);
  const { lastFailure, lastUsage } = call;
  for (const loser of losers) {
    call.leave(loser);
    call.lastFailure = loserFailure();
    call.lastUsage = loser.facts?.usage;
    call.settleTokens(loser);
    call.host.follow(call.reportFailure(loser, call.lastFailure, 0), call);
    call.lastFailure = lastFailure;
    call.lastUsage = lastUsage;
  }
  // A listener may have ended the call.
  if (call.isRunning(winner)) call.succeed(winner, value);
  for (const loser of losers) loser.abort(loserFailure().error);
}
