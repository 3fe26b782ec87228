/**
 * Turns the options in events into policies of the lab. Functions, which only the application knows, are left out.
 */

import { LAB_OPTIONS } from '../option-table.js';
import type { LabPolicy } from './scenario.js';

type Options = Record<string, unknown>;

/** The largest finite value where the lab has a limit; elsewhere an infinite option is left out. */
const LARGEST: Readonly<Record<string, unknown>> = {
  maxDelayMs: 'Infinity',
  maxRetryAfterMs: 'Infinity',
  switchAfterMs: 'Infinity',
  maxQueued: 1e8,
  maxWaitMs: 31_536_000_000,
  maxResetTimeoutMs: 31_536_000_000,
};

/** The policy of recorded options. */
export function recordedPolicy(options: unknown): LabPolicy {
  return (known('', options) ?? {}) as LabPolicy;
}

function known(key: string, value: unknown): unknown {
  if (key === 'fallback') return value === undefined ? undefined : true;
  // The numbers of a budget that policies share are not in the log.
  if (key === 'budget' && value === 'shared') return false;
  if (value === 'function' || value === 'shared' || value === null) return undefined;
  if (value === 'Infinity') return LARGEST[key];
  if (Array.isArray(value)) return value.map((item) => known(typeof item === 'object' ? key : '', item));
  if (typeof value !== 'object') return value;
  const names = LAB_OPTIONS[key] ?? [];
  const kept = names.map((name) => [name, known(name, (value as Options)[name])] as const);
  return Object.fromEntries(kept.filter(([, part]) => part !== undefined));
}

/** Merges a call's own options over its policy's: those of retries and timeouts one by one. */
export function withOwn(policy: LabPolicy, own: Options): LabPolicy {
  const { retry, timeout, hedge } = recordedPolicy(own);
  return {
    ...policy,
    ...(retry !== undefined && { retry: over(policy.retry, retry) as LabPolicy['retry'] }),
    ...(timeout !== undefined && { timeout: { ...policy.timeout, ...timeout } }),
    ...(hedge !== undefined && { hedge }),
  };
}

function over(policy: unknown, own: unknown): unknown {
  const areObjects = typeof policy === 'object' && typeof own === 'object';
  return areObjects ? { ...policy, ...own } : own;
}

/** Returns the estimated tokens of each attempt of a call. */
export function estimatedTokens(own: Options | undefined): number {
  const tokens = own?.estimatedTokens;
  return typeof tokens === 'number' && tokens >= 0 && tokens <= 1e15 ? tokens : 0;
}
