/** Reports the usage of guarded calls to the run that they belong to. */

import type { HalfopenEvent } from '../event/events.js';
import type { Usage } from '../event/usage.js';
import { UsageOnce } from '../event/usage-once.js';
import { listen } from '../listeners.js';

/** Gets what the answers of a run's calls took. */
export interface Payer {
  readonly id: string;
  pay(usage: Usage): void;
}

/** The payers, weakly held: a run that is dropped unfinished is collected like any other object. */
const payers = /* @__PURE__ */ new Map<string, WeakRef<Payer>>();
const usages = /* @__PURE__ */ new UsageOnce();
let stop: (() => void) | undefined;

/**
 * Sends the usage of the calls of that run to it, from the events of the process: an answer that passes several policies is paid
 * once. Returns how to end that.
 */
export function collectUsage(payer: Payer): () => void {
  payers.set(payer.id, new WeakRef(payer));
  stop ??= listen(((event: HalfopenEvent) => heard(event)) as never);
  return () => {
    payers.delete(payer.id);
    quietIfUnneeded();
  };
}

function quietIfUnneeded(): void {
  for (const [id, payer] of payers) if (payer.deref() === undefined) payers.delete(id);
  if (payers.size > 0) return;
  stop?.();
  stop = undefined;
  usages.clear();
}

function heard(event: HalfopenEvent): void {
  if (event.run === undefined) return;
  const usage = usages.uncounted(event);
  if (usage === undefined) return;
  const payer = payers.get(event.run)?.deref();
  if (payer === undefined) quietIfUnneeded();
  else payer.pay(usage);
}
