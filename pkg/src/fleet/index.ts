/**
 * Processes that share what they know: breakers with their probes, limits, retry budgets, waits that providers ask for. A call
 * never waits for the store, except for what is marked exact.
 */

export { type Fleet, type FleetOptions, fleet } from './fleet.js';
export { inspect, isolate, type LimitStatus, lift, type PolicyStatus } from './operator.js';
export { type FleetStore, memoryStore, mergeResource } from './store.js';
