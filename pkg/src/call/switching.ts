/** The bounds of a failover for the calls of a target that is not the last: it leaves the target soon. */

import { mergedRetry, type RetryOptions, retries } from '../retry/options.js';
import type { CallSettings } from './host.js';
import type { CallOptions } from './options.js';

export interface Switching {
  /** Milliseconds: a call whose next wait would be longer fails at once. */
  readonly maxWaitMs: number;
  /** How often a call is retried at most. */
  readonly retriesBeforeSwitch: number;
}

/** The core's option for calls that have an alternative: see `RetryConfig::switch_after`. */
interface SwitchingRetry extends RetryOptions {
  switchAfterMs?: number | undefined;
}

/** Returns a call's options within these bounds. A call without retries waits for nothing. */
export function switchingSoon(
  { maxWaitMs, retriesBeforeSwitch }: Switching,
  { options: { retry, preset } }: CallSettings,
  own: CallOptions | undefined,
): CallOptions | undefined {
  const merged = mergedRetry(retry, own?.retry, preset);
  if (!retries(merged)) return own;
  const maxRetries = Math.min(merged.maxRetries ?? retriesBeforeSwitch, retriesBeforeSwitch);
  const bounded: SwitchingRetry = { ...(own?.retry || undefined), maxRetries, switchAfterMs: maxWaitMs };
  return { ...own, retry: bounded };
}
