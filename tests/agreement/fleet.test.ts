// One protocol, three hosts: the histories of a few processes, made by chance, on a real Redis, in the memory and natively. After
// each delta all of them have the same state, byte by byte. FLEET_HISTORIES (100) of them, from the seed FLEET_SEED on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { deltaOf, ISOLATE, LEAVE, LIFT, REPORT, type View, viewOf } from '../../pkg/src/fleet/protocol.js';
import { redisStore } from '../../pkg/src/fleet/redis.js';
import { mergeResource } from '../../pkg/src/fleet/store.js';
import { startSingle } from '../fleet/redis-servers.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Built by `cargo build --examples`. */
const native = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/examples/fleet');

/** The next action of a process, before it syncs. */
const step = fc.record({
  process: fc.nat({ max: 3 }),
  kind: fc.oneof(
    { weight: 20, arbitrary: fc.constant(REPORT) },
    { weight: 1, arbitrary: fc.constantFrom(LEAVE, ISOLATE, LIFT) },
  ),
  /** It sends its last delta again, as after an answer that was lost. */
  again: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  succeeded: fc.nat({ max: 3 }),
  failed: fc.nat({ max: 3 }),
  wantsProbe: fc.boolean(),
  result: fc.nat({ max: 2 }),
  used: fc.nat({ max: 6 }),
  wants: fc.nat({ max: 12 }),
  hintMs: fc.constantFrom(0, 0, 0, 3),
  coolDownMs: fc.constantFrom(0, 0, 0, 5),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 4, 12),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Spans of some milliseconds: openings, leases and windows end while a history runs. */
const TERMS = {
  threshold: 3,
  resetMs: 3,
  maxResetMs: 20,
  resetBackoff: 2,
  maxProbes: 1,
  successes: 1,
  probeTimeoutMs: 8,
};
const LEASE_MS = 15;
const WINDOW_MS = 10;

/** A process as far as its deltas show it. */
class Process {
  private number = 0;
  private total = 0;
  private failed = 0;
  private streak = 0;
  private last: Uint8Array | undefined;
  private view: View | undefined;
  readonly node: number;

  constructor(node: number) {
    this.node = node;
  }

  delta({
    kind,
    again,
    succeeded,
    failed,
    wantsProbe,
    result,
    used,
    wants,
    hintMs,
    coolDownMs,
  }: Step): Uint8Array {
    if (again && this.last !== undefined) return this.last;
    this.number += 1;
    this.total += succeeded + failed;
    this.failed += failed;
    this.streak = failed === 0 && succeeded > 0 ? 0 : this.streak + failed;
    const has = this.view?.limits[0]?.granted ?? 0;
    const limit = { limit: 10, windowMs: WINDOW_MS, ofTokens: 0, exact: 0, wants, used, has };
    const slots = { limit: 4, windowMs: 0, ofTokens: 0, exact: 1, wants: used, used, has };
    this.last = deltaOf(
      {
        ...TERMS,
        ...{ node: this.node, number: this.number, kind, leaseMs: LEASE_MS, options: 1, quorum: 1 },
        ...{
          generation: this.view?.generation ?? 0,
          total: this.total,
          failed: this.failed,
          streak: this.streak,
        },
        ...{ wantsProbe: Number(wantsProbe), probe: this.view?.probe ?? 0, result, hintMs, coolDownMs },
      },
      [limit, slots],
    );
    return this.last;
  }

  take(state: Uint8Array, now: number): void {
    this.view = viewOf(state, this.node, now);
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('Redis, the memory and the native core make the same states of the same histories', async (t) => {
  const redis = await startSingle();
  const client = new Redis(redis.servers[0]?.port ?? 0, '127.0.0.1');
  t.after(() => redis.end());
  t.after(() => client.disconnect());
  const store = redisStore(client);
  const lines: string[] = [];
  const expected: string[] = [];
  const seen = new Set<string>();
  let count = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
    count += 1;
    const key = `history-${count}`;
    const processes = [1, 2, 3, 4].map((node) => new Process(node));
    let inMemory: Uint8Array | undefined;
    for (const one of steps) {
      if (one.pauseMs > 0) await sleep(one.pauseMs);
      const process = processes[one.process];
      assert.ok(process);
      const delta = process.delta(one);
      const [answer] = await store.sync([{ key, delta }], new AbortController().signal);
      assert.ok(answer);
      inMemory = mergeResource(inMemory, delta, answer.now);
      assert.equal(hex(answer.state), hex(inMemory), 'Redis and the memory differ');
      lines.push(`${key} ${answer.now} ${hex(delta)}`);
      expected.push(hex(inMemory));
      process.take(answer.state, answer.now);
      seen.add(viewOf(answer.state, process.node, answer.now).state);
    }
  });
  const seed = process.env.FLEET_SEED === undefined ? {} : { seed: Number(process.env.FLEET_SEED) };
  const numRuns = Number(process.env.FLEET_HISTORIES ?? 100);
  await fc.assert(property, { numRuns, includeErrorInReport: true, ...seed });
  t.diagnostic(`${lines.length} deltas of ${count} histories; states: ${[...seen].sort().join(', ')}`);
  // Histories without any of these would prove nothing.
  assert.deepEqual([...seen].sort(), ['closed', 'half_open', 'isolated', 'open']);

  const first = firstDifference(lines, expected);
  assert.equal(first, -1, `the native core differs after: ${lines[first]}`);
  // A comparison that cannot fail shows nothing: at another time the same delta makes another state.
  const [line = ''] = lines;
  const later = line.replace(/ (\d+) /, (_, now) => ` ${Number(now) + 1} `);
  assert.equal(firstDifference([later], expected.slice(0, 1)), 0);
});

/** Returns the index of the delta from which the native core makes another state; -1 without one. */
function firstDifference(lines: readonly string[], expected: readonly string[]): number {
  const { status, stdout, stderr } = spawnSync(native, {
    input: lines.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  assert.equal(status, 0, stderr);
  const states = stdout.trimEnd().split('\n');
  assert.equal(states.length, expected.length);
  return states.findIndex((state, index) => state !== expected[index]);
}
