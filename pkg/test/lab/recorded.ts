// Logs that the package itself writes, of calls under a clock that the test moves.
import { createPolicy, type HalfopenEvent, type Policy, type PolicyOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

/** Random numbers of a seed (mulberry32), for histories that come out the same. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A provider's response at a time: its duration, and the status of its failure, if it fails. */
export type Provider = (now: number, draw: () => number) => { ms: number; status?: number; waitMs?: number };

/**
 * A healthy provider, except for an outage from 20 to 40 s, a rate limit from 60 to 80 s, and slowness from 100 to 120
 * s.
 */
const troubled: Provider = (now, draw) => {
  if (now >= 20_000 && now < 40_000) return { ms: 20 + draw() * 30, status: 503 };
  if (now >= 60_000 && now < 80_000 && draw() < 0.7) return { ms: 15, status: 429, waitMs: 1500 };
  if (now >= 100_000 && now < 120_000) return { ms: 1500 + draw() * 3000 };
  if (draw() < 0.03) return { ms: 40, status: 500 };
  return { ms: 80 + draw() * 300 };
};

/** Records calls of a policy, some each second, as the events that it emits. */
export async function recorded(
  options: PolicyOptions<unknown>,
  {
    seed = 1,
    seconds = 140,
    perSecond = 4,
    provider = troubled,
    use = run,
  }: {
    seed?: number;
    seconds?: number;
    perSecond?: number;
    provider?: Provider;
    use?: (
      policy: Policy,
      operation: (signal: AbortSignal) => Promise<unknown>,
      draw: () => number,
    ) => Promise<unknown>;
  } = {},
): Promise<HalfopenEvent[]> {
  const clock = new VirtualClock();
  const draw = random(seed);
  const events: HalfopenEvent[] = [];
  const policy = createPolicy({
    name: 'chat',
    provider: 'openai',
    clock,
    seed,
    onEvent: (event: HalfopenEvent) => events.push(JSON.parse(JSON.stringify(event)) as HalfopenEvent),
    ...options,
  } as PolicyOptions);
  const calls: Promise<unknown>[] = [];
  const operation = (signal: AbortSignal): Promise<unknown> => {
    const { ms, status, waitMs } = provider(clock.now(), draw);
    return new Promise((resolve, reject) => {
      clock.setTimeout(() => {
        if (status === undefined)
          resolve({ usage: { prompt_tokens: 90, completion_tokens: 30 }, model: 'm', id: 'x' });
        else {
          const headers = waitMs === undefined ? {} : { 'retry-after-ms': String(waitMs) };
          reject(Object.assign(new Error(`HTTP ${status}`), { status, headers }));
        }
      }, Math.round(ms));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  for (let second = 0; second < seconds; second++) {
    for (let index = 0; index < perSecond; index++) {
      await clock.advance(Math.round(draw() * (2000 / perSecond)));
      calls.push(use(policy as Policy, operation, draw).catch(() => undefined));
    }
  }
  await clock.advance(300_000);
  await Promise.all(calls);
  return events;
}

function run(policy: Policy, operation: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  return policy.execute((context) => operation(context.signal));
}
