/** Removes secrets from an event's texts. The application provides most of them, and may put anything there. */

import { idForLog, textForLog, valueForLog } from '../message/for-log.js';
import type { Usage } from './usage.js';

/** Fields whose texts this package makes itself, from its own lists and counters. */
const OWN: ReadonlySet<string> = /* @__PURE__ */ new Set('type source call parentCall'.split(' '));

/** The longest texts of names, in UTF-16 units. */
const LONGEST: Readonly<Record<string, number>> = { policy: 100, task: 200, operation: 100 };

/** Fields whose texts are ids, with the name that identifies them as ids to the core. */
const IDS: Readonly<Record<string, readonly [name: string, longest: number]>> = {
  traceId: ['trace_id', 64],
  requestId: ['request_id', 200],
};

/** Structures that this package makes itself, of numbers. */
const NUMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set(['window']);

/** The longest name of a model or a provider, in UTF-16 units. */
const LONGEST_NAME = 200;

/**
 * Redacts the event in place, and cuts names. A function stands for a text that could not be made before (`worded`). It runs before the event is cut to its 2 KiB, so that no cut makes a key
 * unrecognisable. A field outside these lists counts as the application's.
 */
export function withoutSecrets(event: Record<string, unknown>): void {
  // The hashed key of an act looks like a secret but is not one, and a person needs it for `settle`.
  const isEffect = String(event.type).startsWith('effect.');
  for (const name in event) {
    const value = typeof event[name] === 'function' ? event[name]() : event[name];
    if (typeof value === 'string') {
      if (OWN.has(name) || (name === 'key' && isEffect)) continue;
      const id = IDS[name];
      const clean = id === undefined ? textForLog(value, LONGEST[name]) : idForLog(value, ...id);
      if (clean !== event[name]) event[name] = clean;
    } else if (name === 'usage') {
      if (value !== undefined) event[name] = usageForLog(value as Usage);
    } else if (typeof value === 'object' && value !== null && !NUMBERS.has(name)) {
      event[name] = valueForLog(value);
    }
  }
}

/** The counts are this package's own; the names are the application's or the provider's. */
function usageForLog(usage: Usage): Usage {
  const { model, provider } = usage;
  if (model === undefined && provider === undefined) return usage;
  const clean = { ...usage };
  if (model !== undefined) clean.model = textForLog(model, LONGEST_NAME);
  if (provider !== undefined) clean.provider = textForLog(provider, LONGEST_NAME);
  return clean;
}
