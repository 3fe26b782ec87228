/**
 * Processes share breakers with their probes, limits, retry budgets and the waits that providers request. A call never
 * waits for the store, except for the parts that are marked exact.
 */

export { type Fleet, type FleetOptions, fleet } from './fleet.js';
export { inspect, isolate, type LimitStatus, lift, type PolicyStatus } from './operator.js';
export { type FleetStore, memoryStore, mergeResource } from './store.js';
