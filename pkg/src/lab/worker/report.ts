/** The result of a replay or an exploration as the Lab view shows it: sentences, and a row for each policy. */

import type { Exploration, ExploredPoint } from '../explore.js';
import type { FullReplay } from '../replay.js';
import type { Totals } from '../result.js';
import { OF_IDENTITY } from '../says.js';
import type { Expect, LabPolicy } from '../scenario.js';
import { type Band, flat, nested } from '../simulate-many.js';

/** A policy, and what it comes to. */
interface ReportRow {
  policy: string;
  totals: Totals;
  /** By the path of a total; empty if nothing was drawn. */
  bands: Readonly<Record<string, Band>>;
  /** The text below its name. */
  note?: string | undefined;
  /** `true` if it meets the limits. */
  meets?: boolean | undefined;
  /** Its options, to be shown as code. */
  options?: LabPolicy | undefined;
  /** Sentences about single calls. */
  calls?: readonly string[] | undefined;
}

/** The result. */
export interface Report {
  report: 'replay' | 'explore';
  says: readonly string[];
  rows: readonly ReportRow[];
}

/** The most rows and calls that are shown. */
const MOST_POINTS = 40;
const MOST_CALLS = 200;

/** Limits in words. */
const LIMITS: Readonly<Record<keyof Expect, string>> = {
  minSuccessRate: 'the smallest share of successes',
  maxAmplification: 'the largest load',
  maxUserP95Ms: 'the longest p95',
  maxCost: 'the largest cost',
  minRecoveredGoodput: 'the smallest goodput at the end',
};

/** A log, replayed under some policies. */
export function replayReport(
  replays: readonly { policy: string; options: LabPolicy; replay: FullReplay }[],
): Report {
  const [first] = replays;
  const rows = replays.map(
    ({ policy, options, replay: { after, afterBand, changed, censored, unknown } }): ReportRow => {
      const drawn = changed.filter(({ modelled }) => modelled).length;
      const unclear = changed.filter((change) => change.unknown).length;
      const calls = changed
        .slice(0, MOST_CALLS)
        .map(
          ({ call, before, after, modelled }) => `${call}: ${before} → ${after}${modelled ? ', drawn' : ''}`,
        );
      if (changed.length > calls.length) calls.push(`and ${changed.length - calls.length} more`);
      const ends =
        changed.length === 0
          ? 'no call ends otherwise'
          : `${counted(changed.length, 'call')} end${changed.length === 1 ? 's' : ''} otherwise, ${drawn} with drawn results${unclear > 0 ? `; ${unclear} unknown` : ''}`;
      const sure =
        unknown !== undefined ? 'unknown, see the ranges: ' : censored === undefined ? '' : 'a guess: ';
      const totals = withoutGaps(after, afterBand);
      return { policy, totals, bands: bandsOf(totals, afterBand), note: sure + ends, options, calls };
    },
  );
  if (first === undefined) return { report: 'replay', says: [], rows };
  const { before } = first.replay;
  // It depends on the other policy: calls that would have more time do not count.
  const shares = replays.map(({ policy, replay }) => ({ policy, share: percent(replay.identity) }));
  const isOne = shares.every(({ share }) => share === shares[0]?.share);
  const identity = isOne
    ? `Identity ${shares[0]?.share}`
    : `Identity ${shares.map(({ policy, share }) => `${share} under '${policy}'`).join(', ')}`;
  const says = replays.every(({ replay }) => replay.identity === 1)
    ? `${identity}: under its own policies the log gives back its own outcomes.`
    : `${identity}: under its own policies the log gives back only this share of its outcomes. Read the rest with care.`;
  // The identity is the first sentence, and the policies share the others.
  const others = replays.flatMap(({ replay }) => replay.says).filter((text) => !text.startsWith(OF_IDENTITY));
  return {
    report: 'replay',
    says: [says, ...new Set(others)],
    rows: [{ policy: 'As recorded', totals: before, bands: {} }, ...rows],
  };
}

/** Reports a grid over the options of a policy. `paths` are the varied ones. */
export function exploreReport(
  policy: string,
  paths: readonly string[],
  limits: Expect,
  { present, points, blocking }: Exploration,
): Report {
  const limited = Object.values(limits).some((limit) => limit !== undefined);
  const meeting = points.filter(({ meets }) => meets).length;
  const front = points.filter(({ onFront }) => onFront);
  const shown = [...front.filter(({ meets }) => meets), ...front.filter(({ meets }) => !meets)].slice(
    0,
    MOST_POINTS,
  );
  const says = [
    `${counted(points.length, 'combination')}, of which ${front.length} ${front.length === 1 ? 'is' : 'are'} on the front: no other is as good in success, load, p95 and cost, and better in one of them.`,
  ];
  if (blocking !== undefined) {
    const limit = limits[blocking as keyof Expect];
    says.push(
      `No combination meets the limits. The cause is ${LIMITS[blocking as keyof Expect]} (${limit}).`,
    );
  } else if (limited)
    says.push(
      `${counted(meeting, 'combination')} meet${meeting === 1 ? 's' : ''} the limits with every seed.`,
    );
  if (front.length > shown.length) says.push(`${shown.length} of the front are shown.`);
  const row = (name: string, point: ExploredPoint, note: string): ReportRow => ({
    policy: name,
    totals: point.totals,
    bands: bandsOf(point.totals, point.band),
    note,
    ...(limited && { meets: point.meets }),
    options: point.policy,
  });
  return {
    report: 'explore',
    says,
    rows: [
      row(
        policy,
        present,
        present.onFront ? 'the present one; no combination is better in all' : 'the present one',
      ),
      ...shown.map((point) => row(nameOf(point.policy, paths), point, gains(present.totals, point.totals))),
    ],
  };
}

/** The values of the options that vary. */
function nameOf(policy: LabPolicy, paths: readonly string[]): string {
  const value = (path: string) =>
    path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], policy);
  return paths
    .map((path) => `${path} ${typeof value(path) === 'string' ? value(path) : JSON.stringify(value(path))}`)
    .join(', ');
}

/** Returns the gains and costs of a policy against another one. */
function gains(from: Totals, to: Totals): string {
  const parts: readonly [number, (value: number) => string][] = [
    [to.successRate - from.successRate, (value) => `${(value * 100).toFixed(1)} points of success`],
    [to.amplification - from.amplification, (value) => `${value.toFixed(2)} requests a call`],
    [to.userMs.p95 - from.userMs.p95, (value) => `${(value / 1000).toFixed(2)} s of p95`],
    [to.cost - from.cost, (value) => `${value.toFixed(2)} of cost`],
  ];
  const said = parts
    .map(([change, say]) => (change < 0 ? '−' : '+') + say(Math.abs(change)))
    .filter((text) => !/^.0[.0]* /.test(text));
  return said.length > 0 ? said.join(', ') : 'as the present one';
}

/** The totals, with the middle of its range for each that the log cannot tell: a row and its bar need a number. */
function withoutGaps(totals: Totals, { low, high }: { low: Totals; high: Totals }): Totals {
  const [lows, highs] = [new Map(flat(low)), new Map(flat(high))];
  const middle = (path: string) => ((lows.get(path) ?? 0) + (highs.get(path) ?? 0)) / 2;
  return nested(flat(totals).map(([path, value]) => [path, Number.isNaN(value) ? middle(path) : value]));
}

function bandsOf(mean: Totals, { low, high }: { low: Totals; high: Totals }): Record<string, Band> {
  const [lows, highs] = [new Map(flat(low)), new Map(flat(high))];
  return Object.fromEntries(
    flat(mean).map(([path, value]) => [
      path,
      { mean: value, low: lows.get(path) ?? 0, high: highs.get(path) ?? 0 },
    ]),
  );
}

/** All of it only if it is all. */
function percent(share: number): string {
  return share === 1 ? '100 %' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * The options to vary, one on a line: `retry.maxRetries=0,1,2`. Values are JSON where they can be, else words.
 *
 * @throws TypeError where a line is something else.
 */
export function varied(text: string): Record<string, unknown[]> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new TypeError('expected values of at least one option');
  return Object.fromEntries(
    lines.map((line) => {
      const [, option, values] = /^\s*([\w.]+)\s*=(.+)$/.exec(line) ?? [];
      if (option === undefined || values === undefined)
        throw new TypeError(`expected <option>=<value>,<value>…, got '${line.trim()}'`);
      return [
        option,
        jsonOr(`[${values}]`, () => values.split(',').map((word) => jsonOr(word, () => word.trim()))),
      ];
    }),
  );
}

function jsonOr<T>(text: string, otherwise: () => T): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return otherwise();
  }
}
