/** `halfopen/run`: a run of an agent, which notices when it leads nowhere. */

export type { Usage } from '../event/usage.js';
export type { RunEnd } from './end.js';
export type { LoopOptions, RunLimits, RunOptions } from './options.js';
export type { RunLimit, RunLoop, RunReason, RunRung } from './reason.js';
export { createRun, restoreRun } from './run.js';
export type {
  Run,
  RunAdvice,
  RunSnapshot,
  RunToolCall,
  Spent,
  StepAdvice,
  ToolAdvice,
} from './types.js';
