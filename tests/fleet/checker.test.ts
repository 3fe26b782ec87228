// The checker finds what it is there for: histories made by hand, good ones and bad ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, check, seen } from './checker.js';
import type { Entry, Fault } from './history.js';

const R = 'workers/chat';
const started = (...processes: string[]): Entry[] =>
  processes.map((process) => ({ at: 0, kind: 'started', process }));
const fault = (at: number, fault: Fault, process?: string): Entry => ({
  ...{ at, kind: 'fault', fault },
  ...(process === undefined ? {} : { process }),
});
const probe = (at: number, process: string, lease: number, until: number, epoch = 1): Entry => ({
  ...{ at, kind: 'probe', process, resource: R, lease, epoch, until },
});
const ended = (at: number, process: string, lease: number): Entry => ({
  ...{ at, kind: 'probe-ended', process, resource: R, lease },
});
const part = (at: number, process: string, amount: number, until: number, epoch = 1): Entry => ({
  ...{ at, kind: 'part', version: at, process, resource: R, limit: 10, amount, epoch, until },
});
const call = (at: number, process = 'a', more: object = {}): Entry => ({
  ...{ at, kind: 'call', process, resource: R, failed: false, tokens: 0, retry: false },
  ...more,
});
const admitted = (at: number, decidedMs = 0): Entry => ({
  ...{ at, kind: 'admitted', process: 'a', resource: R, decidedMs },
});
const state = (at: number, process: string, name: string, generation: number, more: object = {}): Entry => ({
  ...{
    at,
    kind: 'state',
    process,
    resource: R,
    state: name,
    generation,
    epoch: 1,
    version: at,
    since: generation,
  },
  ...more,
});
/** Two processes have started, and both see the breaker closed. */
const bothClosed = [...started('a', 'b'), state(1, 'a', 'closed', 1), state(1, 'b', 'closed', 1)];
/** A second of 100 commands to the store while nothing happens, and one of `commands` when it is up again. */
const loads = (commands: number): Entry[] => [
  fault(0, 'steady-from'),
  { at: 0, kind: 'load', commands: 0 },
  { at: 1_000, kind: 'load', commands: 100 },
  fault(1_000, 'steady-to'),
  fault(2_000, 'store-up'),
  { at: 2_000, kind: 'load', commands: 0 },
  { at: 3_000, kind: 'load', commands },
];

const cases: [what: string, history: Entry[], bounds: Bounds, expected: string[]][] = [
  [
    'leases one after the other',
    [probe(0, 'a', 1, 100), ended(40, 'a', 1), probe(40, 'b', 2, 140)],
    { maxProbes: 1 },
    [],
  ],
  ['a lease that has lapsed', [probe(0, 'a', 1, 100), probe(100, 'b', 2, 200)], { maxProbes: 1 }, []],
  ['two leases at once', [probe(0, 'a', 1, 100), probe(99, 'b', 2, 200)], { maxProbes: 1 }, ['probes']],
  ['two leases, where two may be', [probe(0, 'a', 1, 100), probe(99, 'b', 2, 200)], { maxProbes: 2 }, []],
  [
    'a lease that its process gives back when it leaves, at the end',
    [probe(0, 'a', 1, 100), fault(10, 'end'), probe(20, 'b', 2, 120)],
    { maxProbes: 1 },
    [],
  ],
  [
    'a lease that was renewed in time, and another beside it',
    [probe(0, 'a', 1, 100), probe(90, 'a', 1, 190), probe(150, 'b', 2, 250)],
    { maxProbes: 1 },
    ['probes'],
  ],
  [
    "a lease that its process renews when it is over: it was nobody's meanwhile",
    [probe(0, 'a', 1, 100), probe(100, 'b', 2, 180), probe(170, 'a', 1, 270)],
    { maxProbes: 1 },
    [],
  ],
  ['one lease of two processes', [probe(0, 'a', 7, 100), probe(50, 'b', 7, 150)], {}, ['lease held twice']],
  [
    'leases of before and after the store has lost its data',
    [probe(0, 'a', 1, 100), fault(20, 'data-lost'), probe(50, 'b', 1, 150, 2)],
    { maxProbes: 1 },
    [],
  ],
  ['parts that make up the limit', [part(0, 'a', 6, 100), part(10, 'b', 4, 110)], {}, []],
  ['parts above the limit', [part(0, 'a', 6, 100), part(10, 'b', 5, 110)], {}, ['parts']],
  ['a part that is given after another has ended', [part(0, 'a', 6, 100), part(100, 'b', 10, 200)], {}, []],
  [
    'a part that was made smaller before',
    [part(0, 'a', 6, 100), part(5, 'a', 1, 105), part(10, 'b', 9, 110)],
    {},
    [],
  ],
  [
    'calls up to the limit in each window',
    [0, 1, 2, 1_000, 1_001, 1_002].map((at) => admitted(at)),
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0 } },
    [],
  ],
  [
    'one call too many across the edge of a minute',
    [0, 500, 900, 999].map((at) => admitted(at)),
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0 } },
    ['limit'],
  ],
  [
    'more calls, after the store has lost its data',
    [admitted(0), admitted(1), admitted(2), fault(10, 'data-lost'), admitted(20), admitted(21)],
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 2 } },
    [],
  ],
  [
    'more calls than were outstanding',
    [0, 1, 2, 20, 21, 22]
      .map((at) => admitted(at))
      .concat(fault(10, 'data-lost'))
      .sort((a, b) => a.at - b.at),
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 2 } },
    ['limit'],
  ],
  [
    'one call too many, of which the first was decided a window before',
    [admitted(10, 15), ...[500, 900, 999].map((at) => admitted(at))],
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0 } },
    [],
  ],
  [
    'calls before the first answer of the store come on top, where a process goes by its own limit until then',
    [
      { at: 0, kind: 'started', process: 'a' },
      ...[0, 1, 2].map((at) => admitted(at)),
      { at: 10, kind: 'status', process: 'a', status: 'joined' },
      ...[11, 12, 13].map((at) => admitted(at)),
    ],
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0, firstAreOwn: true } },
    [],
  ],
  [
    'but none that is decided after it',
    [
      { at: 0, kind: 'started', process: 'a' },
      ...[0, 1].map((at) => admitted(at)),
      { at: 10, kind: 'status', process: 'a', status: 'joined' },
      ...[11, 12, 13, 14].map((at) => admitted(at)),
    ],
    { limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0, firstAreOwn: true } },
    ['limit'],
  ],
  [
    'a process that does not reach the store adds its safe share, and so does one that waited in vain',
    [
      { at: 0, kind: 'status', process: 'b', status: 'degraded' },
      ...[0, 1, 2, 3].map((at) => admitted(at)),
      { at: 60, kind: 'status', process: 'b', status: 'joined' },
      { at: 1_900, kind: 'waited', process: 'c', ms: 50 },
      ...[2_000, 2_001, 2_002, 2_003].map((at) => admitted(at)),
    ],
    { storeTimeoutMs: 50, limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0, share: 1 } },
    [],
  ],
  [
    'no more than its safe share, and nothing once it reaches the store again',
    [
      { at: 0, kind: 'status', process: 'b', status: 'degraded' },
      { at: 60, kind: 'status', process: 'b', status: 'joined' },
      { at: 60, kind: 'waited', process: 'b', ms: 49 },
      ...[1_100, 1_101, 1_102, 1_103].map((at) => admitted(at)),
    ],
    { storeTimeoutMs: 50, limit: { calls: 3, windowMs: 1_000, slackMs: 0, excess: 0, share: 1 } },
    ['limit'],
  ],
  [
    'retries within the budget and above it',
    [call(0), call(1), call(2, 'a', { retry: true }), call(3, 'b', { retry: true })],
    { budget: { ratio: 0.5, more: 0 } },
    ['budget'],
  ],
  [
    'opened on the failures of two',
    [call(1, 'a', { failed: true }), call(2, 'b', { failed: true }), state(3, 'a', 'open', 3)],
    { evidence: { failures: 2, processes: 2 } },
    [],
  ],
  [
    'opened on a failure that counted twice',
    [call(1, 'a', { failed: true }), call(2, 'b'), state(3, 'a', 'open', 3)],
    { evidence: { failures: 2, processes: 1 } },
    ['evidence'],
  ],
  [
    'opened on what one process alone has seen',
    [call(1, 'a', { failed: true }), call(2, 'a', { failed: true }), state(3, 'a', 'open', 3)],
    { evidence: { failures: 2, processes: 2 } },
    ['evidence'],
  ],
  [
    'an answer that comes late is of an older version',
    [state(1, 'a', 'closed', 1), state(5, 'b', 'open', 5), state(6, 'a', 'closed', 1, { version: 2 })],
    {},
    [],
  ],
  [
    'a generation that goes back',
    [state(5, 'b', 'open', 5), state(6, 'a', 'closed', 1)],
    {},
    ['generations'],
  ],
  [
    'probes with a lease, and without one where the store is not reached',
    [
      { at: 1, kind: 'status', process: 'a', status: 'joined' },
      { at: 2, kind: 'probing', process: 'a', resource: R, lease: 7 },
      { at: 3, kind: 'status', process: 'a', status: 'degraded' },
      { at: 4, kind: 'probing', process: 'a', resource: R },
    ],
    {},
    [],
  ],
  [
    'a probe without a lease',
    [
      { at: 1, kind: 'status', process: 'a', status: 'joined' },
      state(2, 'a', 'half_open', 2),
      { at: 200, kind: 'probing', process: 'a', resource: R },
    ],
    {},
    ['probing'],
  ],
  [
    'a probe without a lease, by a call that waited for the store in vain',
    [
      { at: 1, kind: 'status', process: 'a', status: 'joined' },
      state(2, 'a', 'half_open', 2),
      { at: 300, kind: 'probing', process: 'a', resource: R },
      { at: 301, kind: 'waited', process: 'a', ms: 50 },
    ],
    { storeTimeoutMs: 50 },
    [],
  ],
  [
    'a probe under a lease that has ended',
    [probe(0, 'a', 7, 100), { at: 400, kind: 'probing', process: 'a', resource: R, lease: 7 }],
    {},
    ['probing'],
  ],
  [
    'a probe under a lease that was renewed',
    [
      probe(0, 'a', 7, 100),
      probe(90, 'a', 7, 500),
      { at: 400, kind: 'probing', process: 'a', resource: R, lease: 7 },
    ],
    {},
    [],
  ],
  [
    'opened again on failures since it was closed',
    [
      state(1, 'a', 'closed', 1),
      call(2, 'a', { failed: true }),
      state(3, 'a', 'open', 3),
      state(500, 'a', 'closed', 500),
      call(700, 'a', { failed: true }),
      state(800, 'a', 'open', 800),
    ],
    { evidence: { failures: 1, processes: 1 } },
    [],
  ],
  [
    'opened again on failures of before it was closed, which came late',
    [
      state(1, 'a', 'closed', 1),
      call(2, 'a', { failed: true }),
      state(3, 'a', 'open', 3),
      state(500, 'a', 'closed', 500),
      state(800, 'a', 'open', 800),
    ],
    { evidence: { failures: 1, processes: 1 } },
    ['evidence'],
  ],
  [
    'a store that begins anew after it has lost its data',
    [state(5, 'b', 'open', 5), fault(6, 'data-lost'), state(7, 'a', 'closed', 7, { epoch: 7 })],
    {},
    [],
  ],
  [
    'a store that begins anew for one process alone',
    [state(5, 'b', 'open', 5), state(7, 'a', 'closed', 7, { epoch: 7 })],
    {},
    ['epochs'],
  ],
  [
    'a generation that begins twice',
    [state(5, 'b', 'open', 5), state(6, 'a', 'open', 5, { since: 6 })],
    {},
    ['generations'],
  ],
  [
    'all see the opening in time',
    [...bothClosed, state(100, 'a', 'open', 2), state(300, 'b', 'open', 2), fault(9_000, 'end')],
    { seenMs: 250 },
    [],
  ],
  [
    'one sees it too late',
    [...bothClosed, state(100, 'a', 'open', 2), state(400, 'b', 'open', 2), fault(9_000, 'end')],
    { seenMs: 250 },
    ['seen'],
  ],
  [
    'one never sees it',
    [...bothClosed, state(100, 'a', 'open', 2), fault(9_000, 'end')],
    { seenMs: 250 },
    ['seen'],
  ],
  [
    'one never sees it, as it is paused',
    [...bothClosed, fault(50, 'pause', 'b'), state(100, 'a', 'open', 2), fault(9_000, 'end')],
    { seenMs: 250 },
    [],
  ],
  [
    'one says that it does not reach the store',
    [
      ...bothClosed,
      { at: 50, kind: 'status', process: 'b', status: 'degraded' },
      state(100, 'a', 'open', 2),
      { at: 900, kind: 'status', process: 'b', status: 'joined' },
      fault(9_000, 'end'),
    ],
    { seenMs: 250, degradedShare: 0.05 },
    [],
  ],
  [
    'calls are refused in an outage, and soon after it',
    [
      ...[admitted(0), fault(10, 'outage'), fault(50, 'outage-over')],
      ...([20, 100].map((at) => ({ at, kind: 'refused', process: 'a', code: 'CIRCUIT_OPEN' })) as Entry[]),
    ],
    { refusedShare: 0 },
    [],
  ],
  [
    'calls are refused because the store was emptied',
    [admitted(0), fault(10, 'data-lost'), { at: 20, kind: 'refused', process: 'a', code: 'CIRCUIT_OPEN' }],
    { refusedShare: 0.1 },
    ['refused'],
  ],
  [
    'one says so all the time',
    [...started('a', 'b'), { at: 50, kind: 'status', process: 'b', status: 'degraded' }, fault(9_000, 'end')],
    { degradedShare: 0.05 },
    ['degraded'],
  ],
  ['the store comes back to its steady load', loads(190), { loadFactor: 2 }, []],
  ['all come back at once', loads(210), { loadFactor: 2 }, ['load']],
];

for (const [what, history, bounds, expected] of cases) {
  test(`${what}: ${expected.length === 0 ? 'nothing is wrong' : expected.join(', ')}`, () => {
    const checks = check(history, bounds).map((violation) => violation.check);
    assert.deepEqual([...new Set(checks)], expected);
  });
}

test('how long the others took to see an opening', () => {
  const { delaysMs } = seen(
    [...bothClosed, state(100, 'a', 'open', 2), state(140, 'b', 'half_open', 3)],
    undefined,
  );
  assert.deepEqual(delaysMs, [0, 40]);
});
