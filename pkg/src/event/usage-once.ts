/** The usage of answers, each counted once: an answer that passes several policies is reported by the call of each. */

import type { HalfopenEvent } from './events.js';
import { USAGE_KINDS, type Usage } from './usage.js';

type Counts = Partial<Record<(typeof USAGE_KINDS)[number], number>>;

/** A call that runs, and what was counted of the answers below it that it has not reported itself. */
interface Open {
  readonly parent: string | undefined;
  readonly below: Counts;
}

/** The most calls that are tracked, because some never end: the oldest is forgotten. */
const MOST_OPEN = 10_000;

export class UsageOnce {
  private readonly open = new Map<string, Open>();

  /** Takes an event of a call. Returns the usage in it that no call below has reported; `undefined` without any. */
  uncounted(event: HalfopenEvent): Usage | undefined {
    const { open } = this;
    const { call, parentCall, type } = event;
    if (call === undefined) return undefined;
    if (type === 'call.started') {
      if (open.size >= MOST_OPEN) open.delete(open.keys().next().value as string);
      open.set(call, { parent: parentCall, below: {} });
    }
    const { usage } = event as { usage?: Usage };
    const rest = usage && this.count(call, parentCall, usage);
    // A body that is read after its call has ended says its usage later: then nothing is below it any more.
    if (type === 'call.succeeded' || type === 'call.failed' || type === 'call.rejected') open.delete(call);
    return rest;
  }

  clear(): void {
    this.open.clear();
  }

  /** Counts what the answer took and the calls below have not reported. */
  private count(call: string, parentCall: string | undefined, usage: Usage): Usage | undefined {
    const { open } = this;
    const below = open.get(call)?.below ?? {};
    const rest: Usage = { ...usage };
    let known = 0;
    for (const kind of USAGE_KINDS) {
      const reported = usage[kind];
      if (reported === undefined) continue;
      const counted = Math.min(reported, below[kind] ?? 0);
      below[kind] = (below[kind] ?? 0) - counted;
      rest[kind] = reported - counted;
      known += counted;
    }
    for (let above = parentCall; above !== undefined; above = open.get(above)?.parent) {
      const counts = open.get(above)?.below;
      if (counts === undefined) break;
      for (const kind of USAGE_KINDS) counts[kind] = (counts[kind] ?? 0) + (rest[kind] ?? 0);
    }
    return known === 0 || USAGE_KINDS.some((kind) => (rest[kind] ?? 0) > 0) ? rest : undefined;
  }
}
