/** Why a run gives advice: what the core's numbers say. */

import { AGENT_ERROR_CODES, type AgentErrorCode } from '../codes.js';

/** The kinds of loops, in the core's order. */
export const LOOPS = ['repeats', 'failures', 'cycles', 'nothing', 'stale', 'texts'] as const;
/** The kinds of limits, in the core's order. */
export const LIMITS = ['steps', 'toolCalls', 'tokens', 'cost', 'ms'] as const;
/** The rungs, in the core's order. */
export const RUNGS = ['steer', 'escalate', 'refuse', 'conclude', 'stop'] as const;

/** A kind of loop. */
export type RunLoop = (typeof LOOPS)[number];
/** The kinds of limits. */
export type RunLimit = (typeof LIMITS)[number];
/** The rungs that a loop can lead to. */
export type RunRung = (typeof RUNGS)[number];

/** Why a run gives advice. */
export type RunReason =
  | {
      kind: 'loop';
      loop: RunLoop;
      /** The tool that repeats itself, if it is one; of a cycle, the tool of its last step. */
      tool?: string | undefined;
      /** How often in a row. */
      count: number;
      /** The code of the tool's failures. */
      code?: AgentErrorCode | undefined;
    }
  | { kind: 'limit'; limit: RunLimit; max: number; spent: number };

/** The reason of the core's numbers; `undefined` without one. */
export function reasonOf(
  [form, kind = 0, ...rest]: Iterable<number>,
  toolOf: (hash: number) => string | undefined,
): RunReason | undefined {
  if (form === undefined) return undefined;
  if (form === 1) {
    const [max = 0, spent = 0] = rest;
    return { kind: 'limit', limit: LIMITS[kind] ?? 'steps', max, spent };
  }
  const [toolHash = Number.NaN, count = 0, codeNumber = Number.NaN] = rest;
  const tool = Number.isNaN(toolHash) ? undefined : toolOf(toolHash);
  const code = AGENT_ERROR_CODES[codeNumber];
  return {
    kind: 'loop',
    loop: LOOPS[kind] ?? 'repeats',
    ...(tool === undefined ? {} : { tool }),
    count,
    ...(code === undefined ? {} : { code }),
  };
}
