// decisions.json: a long scripted run, and the hash of what a driver sees of it (core/vectors/tests/decisions.rs has the
// script natively). It drives the functions that the package drives.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AGENT_ERROR_CODES, isRetryableCode } from 'halfopen';
import { type BreakerOptions, breakerNumbers } from '../../src/breaker/options.js';
import * as engine from '../../src/core/engine.js';
import { coreOptions, coreOverrides } from '../../src/policy/core-options.js';
import type { PolicyOptions } from '../../src/policy/options.js';
import { cases } from './cases.js';

interface Case {
  name: string;
  policy: PolicyOptions;
  breaker: BreakerOptions;
  budget: { ratio: number } | null;
  seed: number;
  rounds: number;
  tokens?: number;
  driven: string;
}

const bits = (value: bigint): bigint => BigInt.asUintN(64, value);

/** core/src/rng.rs. */
function splitMix64(seed: bigint): (low: number, high: number) => number {
  let state = seed;
  return (low, high) => {
    if (high <= low) return low;
    state = bits(state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = bits((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = bits((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    z ^= z >> 31n;
    return low + Number((z * BigInt(high - low + 1)) >> 64n);
  };
}

/** FNV-1a over lines. */
function fnv(): { add(line: string): void; readonly hex: string } {
  let hash = 0xcbf29ce484222325n;
  return {
    add(line) {
      for (const byte of Buffer.from(`${line}\n`)) hash = bits((hash ^ BigInt(byte)) * 0x100000001b3n);
    },
    get hex() {
      return hash.toString(16).padStart(16, '0');
    },
  };
}

const orDash = (number: number): string => (Number.isNaN(number) ? '-' : String(number));

function run({
  policy: options,
  breaker: breakerOptions,
  budget: budgetOptions,
  seed,
  rounds,
  tokens,
}: Case): string {
  const breaker = engine.breakerNew(breakerNumbers(breakerOptions));
  const budget = budgetOptions === null ? 0 : engine.budgetNew(budgetOptions.ratio, Number.NaN, Number.NaN);
  const policy = engine.policyNew(coreOptions({ retry: {}, ...options }), breaker, budget, seed);
  engine.policyObserve(policy, true);
  const hash = fnv();
  const between = splitMix64(BigInt(seed) ^ 0x5eedn);
  let now = 0;
  const running: number[] = [];
  const waiting: { call: number; due: number }[] = [];
  const take = <T>(list: T[], index: number): T => {
    const taken = list[index] as T;
    const last = list.pop() as T;
    if (index < list.length) list[index] = last;
    return taken;
  };

  /** Calls the engine and keeps the step's details, whose buffer the next call overwrites. */
  const steps: (() => void)[] = [];
  const step = (packed: number): void => {
    const call = packed >>> engine.CALL_SHIFT;
    const code = packed & engine.STEP;
    const delay = engine.delayMs();
    const [by, retryAfter] = [engine.LAYERS.indexOf(engine.rejectedBy()), engine.retryAfterMs()];
    steps.push(() => {
      if (code === engine.ATTEMPT) running.push(call);
      if (code === engine.WAIT) waiting.push({ call, due: now + delay });
      const texts: Record<number, string> = {
        [engine.ATTEMPT]: `attempt ${call}`,
        [engine.WAIT]: `wait ${call} ${delay}`,
        [engine.QUEUED]: `queued ${call}`,
        [engine.REJECTED]: `rejected ${by} ${orDash(retryAfter)}`,
        [engine.GIVE_UP]: 'give up',
        [engine.DONE]: 'done',
      };
      hash.add(`${now} ${texts[code]}`);
    });
  };

  for (let round = 0; round < rounds; round += 1) {
    now += between(0, 400);
    const failing = Math.floor(now / 40_000) % 3 === 1;
    const action = between(0, 9);
    if (action <= 3 && tokens === undefined) step(engine.begin(policy, now));
    else if (action <= 3) {
      const own = coreOverrides(options, { estimatedTokens: between(0, tokens ?? 0) }) ?? assert.fail();
      step(engine.beginWith(policy, now, own.numbers, budget, false));
    } else if (action <= 8 && running.length > 0) {
      const call = take(running, between(0, running.length - 1));
      const took = between(0, 300);
      if (tokens !== undefined) engine.attemptUsed(policy, call, 1, between(0, tokens));
      if (between(0, 99) < (failing ? 85 : 10)) {
        const index = between(0, AGENT_ERROR_CODES.length - 1);
        const code = AGENT_ERROR_CODES[index] ?? 'UNKNOWN';
        const hint = between(0, 9) === 0 ? between(0, 90_000) : Number.NaN;
        const flags =
          (isRetryableCode(code) ? engine.RETRYABLE : 0) |
          ((isRetryableCode(code) && code !== 'CONFLICT') || code === 'INVALID_RESPONSE' ? engine.COUNTS : 0);
        step(engine.attemptFailed(policy, call, now, index, flags, hint, took, Number.NaN, 0));
      } else step(engine.attemptOk(policy, call, now, took));
    } else if (action === 9 && running.length > 0) step(engine.cancel(policy, take(running, 0), now));
    for (;;) {
      const place = waiting.findIndex(({ due }) => due <= now);
      if (place < 0) break;
      step(engine.resume(policy, take(waiting, place).call, now));
    }
    for (let call = engine.nextReady(policy, now); call !== 0; call = engine.nextReady(policy, now)) {
      step(engine.dequeue(policy, call, now));
    }
    for (const record of steps.splice(0)) record();
    engine.takeRecords();
    hash.add(`${engine.breakerState(breaker, now)} ${orDash(engine.breakerRetryAfter(breaker, now))}`);
  }
  return hash.hex;
}

for (const given of cases<Case>('decisions')) {
  test(`the same decisions as everywhere: ${given.name}`, () => {
    assert.equal(run(given), given.driven);
  });
}
