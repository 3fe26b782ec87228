// Replays a log of a million events under another policy with 100 seeds, through `halfopen/lab` as an application does, and
// prints what it took as JSON. The log is recorded first, by the package itself under a virtual clock.
import { createPolicy } from 'halfopen';
import { replay } from 'halfopen/lab';
import { VirtualClock } from 'halfopen/testing';

const EVENTS = 1_000_000;
const SEEDS = 100;
/** Calls a second, and how long each outage of a minute lasts, in which every attempt fails. */
const PER_SECOND = 50;
const OUTAGE_MS = 6000;

/**
 * Returns the lines of a log with that number of events: a provider that fails one call of fifty, and all of them for
 * six seconds a minute.
 */
async function record() {
  const clock = new VirtualClock();
  const lines = [];
  const policy = createPolicy({
    name: 'chat',
    provider: 'openai',
    retry: { maxRetries: 2, baseDelayMs: 200 },
    breaker: false,
    seed: 1,
    clock,
    onEvent: (event) => lines.push(JSON.stringify(event)),
  });
  let calls = 0;
  const request = () => {
    const isAway = clock.now() % 60_000 > 60_000 - OUTAGE_MS || calls % 50 === 0;
    const error = Object.assign(new Error('Service Unavailable'), { status: 503 });
    return new Promise((resolve, reject) => {
      clock.setTimeout(() => (isAway ? reject(error) : resolve('hello')), 80 + (calls % 7) * 40);
    });
  };
  while (lines.length < EVENTS) {
    calls++;
    policy.execute(request).catch(() => undefined);
    await clock.advance(1000 / PER_SECOND);
  }
  await clock.advance(60_000);
  return lines.slice(0, EVENTS);
}

const lines = await record();
const began = process.cpuUsage();
// Five retries where there were two: attempts that never happened, so that every seed is a pass of its own.
const { identity, before, after } = await replay(lines, {
  policies: { chat: { retry: { maxRetries: 5, baseDelayMs: 200 }, breaker: false } },
  seeds: SEEDS,
});
const { user, system } = process.cpuUsage(began);
console.log(
  JSON.stringify({
    events: lines.length,
    seeds: SEEDS,
    seconds: (user + system) / 1e6,
    mebibytes: process.memoryUsage().rss / 2 ** 20,
    identity,
    failed: [before.failed, after.failed],
    attempts: [before.attempts, after.attempts],
  }),
);
