/**
 * The policy lab simulates the effect of a policy on users, bill and provider when the provider fails. It runs the
 * engine that guards your calls; clients, provider and time are simulated. The same scenario, policy and seed give the
 * same result everywhere.
 */

export type { Censored } from './censored.js';
export { drawScenario } from './draw.js';
export { type Exploration, type ExploredPoint, type ExploreOptions, explore } from './explore.js';
export type { RunOptions } from './pace.js';
export { longestSurvivedPause } from './pause.js';
export {
  type Change,
  type FullReplay,
  type Replay,
  type ReplayedCalls,
  type ReplayOptions,
  replay,
} from './replay.js';
export type { RunChange, RunRules, RunSavings, RunsReplay } from './replay-runs.js';
export type { BreakerCounts, Expectation, PolicyResult, Series, Simulation, Totals } from './result.js';
export type {
  Distribution,
  Expect,
  Fault,
  LabPolicy,
  LabRateLimit,
  ProviderLimit,
  Scenario,
} from './scenario.js';
export { type Sensitivity, sensitivity } from './sensitivity.js';
export { simulate } from './simulate.js';
export { type Band, simulateMany } from './simulate-many.js';
