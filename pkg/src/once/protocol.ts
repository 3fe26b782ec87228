/**
 * The changes of an act's record: the decisions of `core/src/once`, where they are explained and checked in every order.
 * `tests/vectors/once.json` holds this file to them. Times are the store's, in milliseconds.
 *
 * In TypeScript, because it is a hundred lines of decisions: the smallest WebAssembly module of the package takes 38 kB.
 */

/** Where an act is, and how often it was claimed. */
export type ActRecord = { readonly attempts: number } & (
  | { readonly state: 'running'; readonly owner: string; readonly since: number; readonly until: number }
  | { readonly state: 'unknown'; readonly owner?: string; readonly since: number }
  | { readonly state: 'failed' }
  | { readonly state: 'done' }
);

/** A process's report or request about an act. */
export type Input =
  | { readonly type: 'claim' | 'renew'; readonly owner: string; readonly leaseMs: number }
  | { readonly type: 'done' | 'failed' | 'unknown'; readonly owner: string }
  | { readonly type: 'verified'; readonly happened: boolean | 'unknown' };

/** Why a record stays as it is. */
export type Refusal = 'lost' | 'running' | 'unknown' | 'done' | 'nothing';

/** The next step of a process. */
export type Step =
  | { readonly do: 'claim' }
  | { readonly do: 'act' }
  | { readonly do: 'verify' }
  | { readonly do: 'reuse' }
  | { readonly do: 'wait'; readonly leftMs: number };

/** Returns what a process with this claim does next. */
export function step(record: ActRecord | undefined, own: string, now: number): Step {
  if (record === undefined || record.state === 'failed') return { do: 'claim' };
  if (record.state === 'done') return { do: 'reuse' };
  if (record.state === 'unknown' || record.until <= now) return { do: 'verify' };
  return record.owner === own ? { do: 'act' } : { do: 'wait', leftMs: record.until - now };
}

/** Returns the record after an input, or why it stays. */
export function next(record: ActRecord | undefined, input: Input, now: number): ActRecord | Refusal {
  const attempts = record?.attempts ?? 0;
  switch (input.type) {
    case 'claim': {
      const { owner, leaseMs } = input;
      const todo = step(record, '', now).do;
      if (todo !== 'claim') return todo === 'reuse' ? 'done' : todo === 'verify' ? 'unknown' : 'running';
      return { attempts: attempts + 1, state: 'running', owner, since: now, until: now + leaseMs };
    }
    case 'renew':
      if (record?.state !== 'running' || record.owner !== input.owner) return 'lost';
      return { ...record, until: now + input.leaseMs };
    case 'verified': {
      const todo = step(record, '', now).do;
      if (record === undefined || todo === 'claim') return 'nothing';
      if (todo === 'reuse') return 'done';
      if (todo !== 'verify') return 'running';
      if (input.happened === 'unknown') return unknownOf(record);
      return { attempts, state: input.happened ? 'done' : 'failed' };
    }
    default:
      // The lease may be over: its own knowledge counts until another process knows better.
      if (record === undefined || !('owner' in record) || record.owner !== input.owner) return 'lost';
      return input.type === 'unknown' ? unknownOf(record) : { attempts, state: input.type };
  }
}

function unknownOf(record: ActRecord): ActRecord {
  const { attempts, owner, since = 0 } = record as { attempts: number; owner?: string; since?: number };
  return { attempts, state: 'unknown', ...(owner !== undefined && { owner }), since };
}
