/** Reports the usage of guarded calls to the run that they belong to. */

import type { HalfopenEvent } from '../event/events.js';
import type { Usage } from '../event/usage.js';
import { listen } from '../listeners.js';

/** Gets what the answers of a run's calls took. */
export interface Payer {
  readonly id: string;
  pay(usage: Usage): void;
}

const KINDS = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
] as const;
type Counts = Partial<Record<(typeof KINDS)[number], number>>;

/** A call that runs, and what was paid of the answers below it that it has not reported itself. */
interface Open {
  readonly parent: string | undefined;
  readonly below: Counts;
}

/** The most calls that are tracked, because some never end: the oldest is forgotten. */
const MOST_OPEN = 10_000;

/** The payers, weakly held: a run that is dropped unfinished is collected like any other object. */
const payers = /* @__PURE__ */ new Map<string, WeakRef<Payer>>();
const open = /* @__PURE__ */ new Map<string, Open>();
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
  open.clear();
}

function heard(event: HalfopenEvent): void {
  const { run, call, parentCall, type } = event;
  if (run === undefined || call === undefined) return;
  if (type === 'call.started') {
    if (open.size >= MOST_OPEN) open.delete(open.keys().next().value as string);
    open.set(call, { parent: parentCall, below: {} });
  }
  const { usage } = event as { usage?: Usage };
  if (usage !== undefined) pay(run, call, parentCall, usage);
  // A body that is read after its call has ended says its usage later: then nothing is below it any more.
  if (type === 'call.succeeded' || type === 'call.failed' || type === 'call.rejected') open.delete(call);
}

/** Pays what the answer took and the calls below have not paid. */
function pay(run: string, call: string, parentCall: string | undefined, usage: Usage): void {
  const below = open.get(call)?.below ?? {};
  const rest: Usage = { ...usage };
  for (const kind of KINDS) {
    const counted = usage[kind];
    if (counted === undefined) continue;
    const paid = Math.min(counted, below[kind] ?? 0);
    below[kind] = (below[kind] ?? 0) - paid;
    rest[kind] = counted - paid;
  }
  for (let above = parentCall; above !== undefined; above = open.get(above)?.parent) {
    const counts = open.get(above)?.below;
    if (counts === undefined) break;
    for (const kind of KINDS) counts[kind] = (counts[kind] ?? 0) + (rest[kind] ?? 0);
  }
  const payer = payers.get(run)?.deref();
  if (payer === undefined) quietIfUnneeded();
  else if (KINDS.some((kind) => (rest[kind] ?? 0) > 0)) payer.pay(rest);
}
