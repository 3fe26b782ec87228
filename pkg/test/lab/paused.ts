// A server at 70 % load that stops for a second: retries keep it down, and without them it recovers.
import type { Scenario } from 'halfopen/lab';

export const paused: Scenario = {
  version: 1,
  durationMs: 120_000,
  clients: { count: 100, arrivals: { kind: 'open', perSecond: 7, process: 'constant' } },
  policies: {
    retries: {
      retry: { maxRetries: 3, baseDelayMs: 50, backoffFactor: 1, enableJitter: false, budget: false },
      breaker: false,
      timeout: { attemptMs: 500 },
    },
    none: { retry: false, breaker: false, timeout: { attemptMs: 500 } },
  },
  provider: { servers: 1, service: { kind: 'constant', mean: 100 } },
  faults: [{ kind: 'pause', atMs: 30_000, forMs: 1000 }],
};
