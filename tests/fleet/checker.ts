// Checks what a fleet must keep, on histories alone: it knows nothing of how the fleet does it, and imports nothing of it.
import { type Entry, type Fault, type Of, of } from './history.js';

/** A broken promise, in words, with the time of its break. */
export interface Violation {
  readonly check: string;
  readonly at: number;
  readonly what: string;
}

/** The promises of a run. A check without a bound is not made. */
export interface Bounds {
  /** The number of probe leases that may be valid at any instant. */
  readonly maxProbes?: number;
  /**
   * The number of operations that may run within any `windowMs` (less `slackMs`, for clocks that are read one after the
   * other, and less the time that a process was suspended between its decision and the start of the operation).
   */
  readonly limit?: {
    readonly calls: number;
    readonly windowMs: number;
    readonly slackMs: number;
    /**
     * The number of additional operations after the store has lost its data or while it is lost: the outstanding ones.
     */
    readonly excess: number;
    /**
     * Calls that a process starts before the store's first response do not count: until then it uses its own limit,
     * however long the response takes on a busy machine. Not for an exact limit, for which they wait. Default: they
     * count.
     */
    readonly firstAreOwn?: boolean;
    /**
     * The number of additional operations for each process that did not reach the store within the window, or waited
     * for it in vain: its safe share. A busy machine can bring more processes to that than the ones that are cut off.
     */
    readonly share?: number;
  };
  /** A call waits no longer than this for the store; then its process decides alone. Default: it waits forever. */
  readonly storeTimeoutMs?: number;
  /** The share of all calls that may be retries, and a number of additional ones. */
  readonly budget?: { readonly ratio: number; readonly more: number };
  /** The failures that a breaker needs to open, and the number of processes with failures. */
  readonly evidence?: { readonly failures: number; readonly processes: number };
  /** Of the processes that could reach the store, 99 % have seen an opened breaker after so long, in milliseconds. */
  readonly seenMs?: number;
  /** While the provider is well, at most this share of the calls is refused, whatever becomes of the store. */
  readonly refusedShare?: number;
  /** Processes say for at most this share of the time that they do not reach the store. */
  readonly degradedShare?: number;
  /** The store's load after its return, as a multiple of the steady one. */
  readonly loadFactor?: number;
  /**
   * The steady load by the pace that the fleet has stated, in commands a second: a machine that is too busy for that pace while
   * the steady load is measured would make it look small.
   */
  readonly statedLoad?: number;
  /** The same while the provider is away, where every process looks for its turn to probe. */
  readonly outageLoadFactor?: number;
}

/** Half-open: the instant of its end is not in it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Everything that a history breaks of what was promised, until its end: whoever leaves then gives back what it holds. */
export function check(whole: readonly Entry[], bounds: Bounds): Violation[] {
  const end = of(whole, 'fault').find(({ fault }) => fault === 'end')?.at ?? Number.POSITIVE_INFINITY;
  const history = whole.filter(({ at }) => at <= end);
  const lost = lostSpans(history, bounds.storeTimeoutMs);
  return [
    ...leases(history, bounds.maxProbes),
    ...probing(history, lost),
    ...parts(history),
    ...limit(history, bounds.limit, lost),
    ...budget(history, bounds.budget),
    ...evidence(history, bounds.evidence),
    ...epochs(history),
    ...generations(history),
    ...seen(history, bounds.seenMs).violations,
    ...refused(history, bounds.refusedShare),
    ...degraded(history, bounds.degradedShare),
    ...load(history, 'store-up', bounds.loadFactor, bounds.statedLoad),
    ...load(history, 'outage', bounds.outageLoadFactor, bounds.statedLoad),
  ];
}

/** No lease is held twice, and no more than `maxProbes` are valid at once. */
function leases(history: readonly Entry[], maxProbes: number | undefined): Violation[] {
  const found: Violation[] = [];
  const held = new Map<
    string,
    { process: string; resource: string; epoch: number; from: number; to: number }
  >();
  for (const entry of of(history, 'probe')) {
    // A store that has lost its data counts from the start: its earlier grants belong to the earlier epoch.
    const name = `${entry.resource} ${entry.epoch} ${entry.lease}`;
    const lease = held.get(name);
    if (lease === undefined) {
      held.set(name, { ...entry, from: entry.at, to: entry.until });
    } else if (lease.process !== entry.process) {
      const what = `probe lease ${entry.lease} of ${entry.resource} is held by ${lease.process} and by ${entry.process}`;
      found.push({ check: 'lease held twice', at: entry.at, what });
    } else if (entry.at <= lease.to) {
      lease.to = Math.max(lease.to, entry.until);
    }
  }
  for (const ended of of(history, 'probe-ended')) {
    for (const [name, lease] of held) {
      if (
        lease.process === ended.process &&
        name.startsWith(`${ended.resource} `) &&
        name.endsWith(` ${ended.lease}`)
      )
        lease.to = Math.min(lease.to, ended.at);
    }
  }
  if (maxProbes === undefined) return found;
  for (const group of grouped([...held.values()], ({ resource, epoch }) => `${resource} ${epoch}`)) {
    for (const { at, open } of overlaps(group, maxProbes)) {
      const holders = open.map(({ process }) => process).join(', ');
      const what = `${open.length} probe leases of ${open[0]?.resource} are valid at once, of ${holders}; at most ${maxProbes}`;
      found.push({ check: 'probes', at, what });
    }
  }
  return found;
}

/**
 * A process that reaches the store, and knows that the shared breaker is not closed, runs no probe without a lease, and
 * no process begins one under a lease that has ended.
 */
function probing(history: readonly Entry[], alone: readonly Lost[]): Violation[] {
  const states = of(history, 'state');
  const leases = of(history, 'probe');
  return of(history, 'probing').flatMap(({ at, process, resource, lease }) => {
    const joined = of(history, 'status').some((one) => one.process === process && one.at < at);
    const isAlone = alone.some(
      (span) => span.process === process && at >= span.from && at <= span.to + CLOCK_MS,
    );
    if (isAlone) return [];
    if (lease !== undefined) {
      const held = leases.filter((one) => one.process === process && one.lease === lease && one.at <= at);
      const until = Math.max(...held.map((one) => one.until));
      if (held.length === 0 || at <= until + CLOCK_MS) return [];
      const what = `${process} begins a probe of ${resource} under a lease that ended ${at - until} ms before`;
      return [{ check: 'probing', at, what }];
    }
    // Its own breaker may be open while that of all is closed: then its probes are its own affair.
    const known = states
      .filter((one) => one.process === process && one.resource === resource && one.at < at - CLOCK_MS)
      .at(-1);
    if (!joined || (known?.state !== 'open' && known?.state !== 'half_open')) return [];
    return [
      { check: 'probing', at, what: `${process} runs a probe of ${resource} and holds no lease for it` },
    ];
  });
}

/** The instants at which more than `most` spans are open. */
function overlaps<S extends Span>(spans: readonly S[], most: number): { at: number; open: S[] }[] {
  return spans
    .map(({ from }) => ({ at: from, open: spans.filter((one) => one.from <= from && from < one.to) }))
    .filter(({ open }) => open.length > most);
}

/** At no instant have the processes more of a limit together than there is. */
function parts(history: readonly Entry[]): Violation[] {
  const found: Violation[] = [];
  for (const group of grouped(of(history, 'part'), ({ resource, epoch }) => `${resource} ${epoch}`)) {
    const held = new Map<string, Of<'part'>>();
    // In the order in which the store has granted them.
    for (const entry of [...group].sort((a, b) => a.version - b.version)) {
      held.set(entry.process, entry);
      const valid = [...held.values()].filter(({ until }) => until > entry.at);
      const sum = valid.reduce((total, { amount }) => total + amount, 0);
      if (sum <= entry.limit) continue;
      const what = `${valid.length} processes hold ${sum} of ${entry.resource}, of which there are ${entry.limit}`;
      found.push({ check: 'parts', at: entry.at, what });
    }
  }
  return found;
}

/** Checks how many operations ran within any window. */
function limit(history: readonly Entry[], bound: Bounds['limit'], lost: readonly Lost[]): Violation[] {
  if (bound === undefined) return [];
  const { windowMs, slackMs } = bound;
  const last = history.at(-1)?.at ?? 0;
  const weak = [
    ...spansOf(history, [
      ['store-down', 'store-up'],
      ['data-lost', 'end'],
      ['partition', 'end'],
    ]),
  ];
  const joinedAt = new Map(of(history, 'started').map(({ process }) => [process, last]));
  for (const { process, status, at } of of(history, 'status').reverse())
    if (status === 'joined') joinedAt.set(process, at);
  const isFirst = ({ process, at, decidedMs }: Of<'admitted'>) =>
    bound.firstAreOwn === true && at - decidedMs <= (joinedAt.get(process) ?? 0);
  const counted = of(history, 'admitted').filter((call) => !isFirst(call));
  const found: Violation[] = [];
  for (const calls of grouped(counted, ({ resource }) => resource)) {
    for (const call of calls) {
      const from = call.at - (windowMs - slackMs);
      const count = calls.filter(({ at, decidedMs }) => at - decidedMs > from && at <= call.at).length;
      const isWeak = weak.some(({ from, to }) => call.at >= from && call.at - windowMs < to + windowMs);
      const meanwhile = lost.filter(({ from, to }) => call.at >= from && call.at - windowMs < to);
      const shares = new Set(meanwhile.map(({ process }) => process)).size * (bound.share ?? 0);
      const most = bound.calls + (isWeak ? bound.excess : 0) + shares;
      if (count <= most) continue;
      const what = `${count} calls of ${call.resource} within ${windowMs} ms, of which ${most} are allowed`;
      found.push({ check: 'limit', at: call.at, what });
      break;
    }
  }
  return found;
}

interface Lost extends Span {
  readonly process: string;
}

/**
 * Returns the spans in which processes decided alone: while they report it, and from the time when a call waited in
 * vain until the store responds.
 */
function lostSpans(history: readonly Entry[], afterMs = Number.POSITIVE_INFINITY): Lost[] {
  const last = history.at(-1)?.at ?? 0;
  const heard = of(history, 'state');
  const inVain = of(history, 'waited').filter(({ ms }) => ms >= afterMs);
  return [
    ...degradedSpans(history),
    ...inVain.map(({ process, at, ms }) => ({
      process,
      from: at - ms,
      to: heard.find((state) => state.process === process && state.at > at)?.at ?? last,
    })),
  ];
}

function budget(history: readonly Entry[], bound: Bounds['budget']): Violation[] {
  if (bound === undefined) return [];
  return grouped(of(history, 'call'), ({ resource }) => resource).flatMap((calls) => {
    const retries = calls.filter(({ retry }) => retry).length;
    const most = bound.ratio * (calls.length - retries) + bound.more;
    const what = `${retries} retries of ${calls[0]?.resource}, of which ${Math.floor(most)} are allowed`;
    return retries <= most ? [] : [{ check: 'budget', at: calls.at(-1)?.at ?? 0, what }];
  });
}

/**
 * A breaker opens only on failures since it was closed: no failure counts twice, one process alone does not open it for
 * all, and an earlier failure never counts, however late it is reported. The first opening may use the knowledge of a
 * store that has lost its data.
 */
function evidence(history: readonly Entry[], bound: Bounds['evidence']): Violation[] {
  if (bound === undefined) return [];
  const found: Violation[] = [];
  const failed = [...of(history, 'call').filter((call) => call.failed), ...of(history, 'unanswered')];
  for (const states of grouped(of(history, 'state'), ({ resource, epoch }) => `${resource} ${epoch}`)) {
    let hasOpened = false;
    let before: Of<'state'> | undefined;
    for (const entry of [...states].sort((a, b) => a.version - b.version)) {
      // Openings out of half-open are a probe's.
      const isOfEvidence = entry.state === 'open' && (before === undefined || before.state === 'closed');
      const closedAt = hasOpened && before !== undefined ? before.since - CLOCK_MS : 0;
      hasOpened ||= entry.state === 'open';
      before = entry;
      if (!isOfEvidence) continue;
      const failures = failed.filter(
        ({ resource, at }) => resource === entry.resource && at >= closedAt && at <= entry.at,
      );
      const processes = new Set(failures.map(({ process }) => process)).size;
      if (failures.length >= bound.failures && processes >= bound.processes) continue;
      const what =
        `${entry.resource} opened on ${failures.length} failures of ${processes} processes, ` +
        `where ${bound.failures} of ${bound.processes} are needed`;
      found.push({ check: 'evidence', at: entry.at, what });
    }
  }
  return found;
}

/** A resource starts over only if the store has lost its data. */
function epochs(history: readonly Entry[]): Violation[] {
  const losses = of(history, 'fault').filter(({ fault }) => fault === 'data-lost');
  return grouped(of(history, 'state'), ({ resource }) => resource).flatMap((states) => {
    const first = new Map<number, Of<'state'>>();
    for (const entry of states) if (!first.has(entry.epoch)) first.set(entry.epoch, entry);
    return [...first.values()].slice(1).flatMap(({ at, resource, epoch, process }) => {
      if (losses.some((loss) => loss.at <= at + CLOCK_MS)) return [];
      const what = `${process} sees ${resource} begin anew (epoch ${epoch}), and the store has lost nothing`;
      return [{ check: 'epochs', at, what }];
    });
  });
}

/** Between a fault and the note of it, in milliseconds. */
const CLOCK_MS = 100;

/** In one epoch of the store a later state has no older generation, and one generation begins once. */
function generations(history: readonly Entry[]): Violation[] {
  const found: Violation[] = [];
  for (const states of grouped(of(history, 'state'), ({ resource, epoch }) => `${resource} ${epoch}`)) {
    const began = new Map<number, Of<'state'>>();
    let newest: Of<'state'> | undefined;
    for (const entry of [...states].sort((a, b) => a.version - b.version)) {
      if (newest !== undefined && entry.generation < newest.generation) {
        const what = `${entry.resource} is of generation ${entry.generation} after ${newest.generation}: an update was lost`;
        found.push({ check: 'generations', at: entry.at, what });
      }
      newest = entry;
      const other = began.get(entry.generation);
      if (other === undefined) began.set(entry.generation, entry);
      else if (other.since !== entry.since) {
        const what = `generation ${entry.generation} of ${entry.resource} began at ${other.since} and at ${entry.since}`;
        found.push({ check: 'generations', at: entry.at, what });
      }
    }
  }
  return found;
}

/** How long the processes took to see each opening, and who has not seen it though it could reach the store. */
export function seen(
  history: readonly Entry[],
  boundMs: number | undefined,
): { delaysMs: number[]; violations: Violation[] } {
  const delaysMs: number[] = [];
  const missed: Violation[] = [];
  const within = boundMs ?? Number.POSITIVE_INFINITY;
  const end = history.at(-1)?.at ?? 0;
  const started = new Map(of(history, 'started').map(({ process, at }) => [process, at]));
  for (const states of grouped(of(history, 'state'), ({ resource, epoch }) => `${resource} ${epoch}`)) {
    const openings = grouped(
      states.filter(({ state }) => state === 'open'),
      ({ generation }) => `${generation}`,
    );
    for (const [first] of openings) {
      if (first === undefined) continue;
      const last = first.at + within;
      for (const [process, at] of started) {
        const heardBefore = states.some((one) => one.process === process && one.at < first.at);
        if (at > first.at || !heardBefore || !isReachable(history, process, { from: first.at, to: last }))
          continue;
        const saw = states.find(
          (one) => one.process === process && one.at >= first.at && one.generation >= first.generation,
        );
        if (saw !== undefined) delaysMs.push(saw.at - first.at);
        else if (last < end) {
          const what = `${process} has not seen that ${first.resource} opened (generation ${first.generation})`;
          missed.push({ check: 'seen', at: first.at, what });
        }
      }
    }
  }
  delaysMs.sort((a, b) => a - b);
  if (boundMs === undefined) return { delaysMs, violations: [] };
  const p99 = delaysMs[Math.ceil(delaysMs.length * 0.99) - 1] ?? 0;
  if (p99 > boundMs)
    missed.push({ check: 'seen', at: 0, what: `99 % have seen an opening after ${p99} ms, not ${boundMs}` });
  return { delaysMs, violations: missed };
}

/** After a fault the store's load stays below a multiple of what it was before. */
function load(history: readonly Entry[], what: Fault, factor: number | undefined, stated = 0): Violation[] {
  if (factor === undefined) return [];
  const samples = of(history, 'load');
  const rate = ({ from, to }: Span) => {
    const inside = samples.filter(({ at }) => at >= from && at <= to);
    const [first, last] = [inside[0], inside.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return undefined;
    return ((last.commands - first.commands) / (last.at - first.at)) * 1_000;
  };
  const [steady] = spansOf(history, [['steady-from', 'steady-to']]);
  const measured = steady && rate(steady);
  if (measured === undefined) return [{ check: 'load', at: 0, what: 'no steady load was measured' }];
  const before = Math.max(measured, stated);
  const found: Violation[] = [];
  const faults = of(history, 'fault');
  for (const { at, fault } of faults) {
    if (fault !== what) continue;
    // Entries after another fault do not belong to this return.
    const until = faults.find((next) => next.at > at)?.at ?? at + 10_000;
    for (let from = at; from + 1_000 <= until; from += 500) {
      const after = rate({ from, to: from + 1_000 });
      if (after === undefined || after <= factor * before) continue;
      const much = `${Math.round(after)} commands a second, ${from - at} ms after '${fault}'; steady are ${Math.round(before)}`;
      found.push({ check: 'load', at: from, what: much });
    }
  }
  return found;
}

/** A store that is away, slow or empty changes no call's outcome. */
function refused(history: readonly Entry[], most: number | undefined): Violation[] {
  if (most === undefined) return [];
  // After an outage the breaker is tried, closed, and lets more and more calls through.
  const outages = spansOf(history, [['outage', 'outage-over']]).map(({ from, to }) => ({
    from,
    to: to + AFTER_MS,
  }));
  const isWell = ({ at }: Entry) => !outages.some(({ from, to }) => at >= from && at < to);
  const refusals = of(history, 'refused').filter(isWell);
  const calls = of(history, 'admitted').filter(isWell).length + refusals.length;
  const what = `${refusals.length} of ${calls} calls were refused (${refusals[0]?.code}) while the provider was well`;
  return refusals.length <= most * calls ? [] : [{ check: 'refused', at: refusals[0]?.at ?? 0, what }];
}

/** When processes said that they did not reach the store. */
function degradedSpans(history: readonly Entry[]): Lost[] {
  const last = history.at(-1)?.at ?? 0;
  return grouped(of(history, 'status'), ({ process }) => process).flatMap((entries) =>
    entries.flatMap(({ at, status, process }, index) =>
      status === 'degraded' ? [{ process, from: at, to: entries[index + 1]?.at ?? last }] : [],
    ),
  );
}

/**
 * A process that always reports that it does not reach the store would keep every promise about what it then sees.
 */
function degraded(history: readonly Entry[], most: number | undefined): Violation[] {
  if (most === undefined) return [];
  const last = history.at(-1)?.at ?? 0;
  const lived = of(history, 'started').reduce((sum, { at }) => sum + last - at, 0);
  const spent = degradedSpans(history).reduce((sum, { from, to }) => sum + to - from, 0);
  const what = `processes did not reach the store for ${Math.round((100 * spent) / lived)} % of the time`;
  return spent <= most * lived ? [] : [{ check: 'degraded', at: last, what }];
}

/** Returns `true` if a process ran and could reach the store all the time. */
function isReachable(history: readonly Entry[], process: string, { from, to }: Span): boolean {
  const concerned = history.filter(
    (entry) => entry.kind !== 'fault' || entry.process === undefined || entry.process === process,
  );
  const away = spansOf(concerned, [
    ['pause', 'resume'],
    ['kill', 'end'],
    ['partition', 'heal'],
    ['store-down', 'store-up'],
    ['data-lost', 'data-lost'],
  ]);
  const own = degradedSpans(history).filter((span) => span.process === process);
  return (
    !away.some((span) => span.from < to && span.to + AFTER_MS > from) &&
    !own.some((span) => span.from < to && span.to > from)
  );
}

/** After a fault a process needs so long to find its way back. */
const AFTER_MS = 5_000;

/** Returns the spans from a fault to its end, or to the end of the history. */
function spansOf(history: readonly Entry[], pairs: readonly (readonly [begin: Fault, end: Fault])[]): Span[] {
  const faults = of(history, 'fault');
  const last = history.at(-1)?.at ?? 0;
  return pairs.flatMap(([begin, end]) =>
    faults
      .filter(({ fault }) => fault === begin)
      .map(({ at, process }) => ({
        from: at,
        to:
          faults.find(
            (one) => one.fault === end && one.at >= at && (one.process === process || end === 'end'),
          )?.at ?? last,
      })),
  );
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
