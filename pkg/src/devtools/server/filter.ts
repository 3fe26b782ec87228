/**
 * The events that a reader wants: `GET /events?from=…&to=…&policy=…&process=…&text=…`.
 *
 * `policy` and `process` may be given several times. Events that belong to no policy, such as the introduction of a process
 * or the end of an instance of the core, pass every `policy`; introductions pass every range of time, too. `text` selects
 * whole calls: each that has an event whose line contains it, whatever the case.
 */

/** The events that pass. */
export interface EventFilter {
  /** Events from this moment on, in milliseconds since 1970. */
  readonly from: number;
  /** Events before this moment. */
  readonly to: number;
  readonly policies: readonly string[];
  readonly processes: readonly string[];
  /** In lower case. */
  readonly text: string;
}

/** The fields of an event that a filter reads. */
export interface FilterFields {
  readonly source?: unknown;
  readonly time?: unknown;
  readonly type?: unknown;
  readonly policy?: unknown;
  readonly call?: unknown;
}

/** Longest `text`, and most values of `policy` and `process`. */
const LONGEST_TEXT = 200;
const MOST_VALUES = 100;

/** A query that cannot be read; the message says what was expected. */
export class BadFilter extends Error {}

/** Reads a query; `undefined` where it asks for everything. */
export function readFilter(query: URLSearchParams): EventFilter | undefined {
  const from = moment(query, 'from') ?? Number.NEGATIVE_INFINITY;
  const to = moment(query, 'to') ?? Number.POSITIVE_INFINITY;
  if (from > to) throw new BadFilter("'from' is later than 'to'");
  const filter = {
    from,
    to,
    policies: values(query, 'policy'),
    processes: values(query, 'process'),
    text: '',
  };
  filter.text = (query.get('text') ?? '').toLowerCase();
  if (filter.text.length > LONGEST_TEXT)
    throw new BadFilter(`'text' has more than ${LONGEST_TEXT} characters`);
  const { policies, processes, text } = filter;
  const isAll =
    from === Number.NEGATIVE_INFINITY &&
    to === Number.POSITIVE_INFINITY &&
    policies.length + processes.length === 0;
  return isAll && text === '' ? undefined : filter;
}

function values(query: URLSearchParams, name: string): string[] {
  const found = query.getAll(name);
  if (found.length > MOST_VALUES) throw new BadFilter(`'${name}' is given more than ${MOST_VALUES} times`);
  return found;
}

/** A moment as milliseconds since 1970, or as a date that `Date` reads (ISO 8601). */
function moment(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(value)) return value;
  throw new BadFilter(
    `'${name}' is '${text.slice(0, 40)}', expected milliseconds since 1970 or a date (2026-11-23T08:00:00Z)`,
  );
}

/** Returns `true` if an event passes all of a filter except `text`. */
export function passes(filter: EventFilter, event: FilterFields): boolean {
  const { from, to, policies, processes } = filter;
  const time = Number(event.time);
  if (event.type !== 'process.started' && !(time >= from && time < to)) return false;
  if (policies.length > 0 && event.policy !== undefined && !policies.includes(String(event.policy)))
    return false;
  return processes.length === 0 || processes.includes(String(event.source));
}

/** Names the call of an event; `undefined` for one that belongs to none. */
export function callOf({ source, call }: FilterFields): string | undefined {
  return typeof call === 'string' ? `${String(source)}/${call}` : undefined;
}
