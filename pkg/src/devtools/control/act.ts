/** The acts that a person may ask of a process from the dashboard, and the check of what came. */

/** An act, as the dashboard sends it. */
export type Act =
  /** Refuses all calls of a breaker until this is undone. */
  | { readonly act: 'isolate'; readonly breaker: string }
  /** Closes a breaker, and forgets what it has counted. */
  | { readonly act: 'close'; readonly breaker: string }
  /** Changes options of a policy, as `policy.update` does; `null` takes one back. */
  | { readonly act: 'update'; readonly policy: string; readonly options: Readonly<Record<string, unknown>> }
  /** Ends a run as cancelled: its signal aborts. */
  | { readonly act: 'end-run'; readonly run: string }
  /** Takes an earlier act back. */
  | { readonly act: 'undo'; readonly of: string };

/** An act on its way, with its id and the user who did it. */
export type SentAct = Act & { readonly id: string; readonly by: string };

/** Options of a policy that consist of numbers, flags and names. The others are functions and objects of the program. */
const CHANGEABLE = [
  'retry',
  'breaker',
  'timeout',
  'bulkhead',
  'adaptive',
  'rateLimit',
  'hedge',
  'staleIfError',
] as const;

/** Longest name or id. */
const LONGEST = 300;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST;

/** The field that each act needs. */
const FIELDS = {
  isolate: 'breaker',
  close: 'breaker',
  update: 'policy',
  'end-run': 'run',
  undo: 'of',
} as const;

/** Reads an act: a copy of what is known, or what is wrong with it. */
export function readAct(value: unknown): Act | string {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { act } = given;
  if (typeof act !== 'string' || !Object.hasOwn(FIELDS, act))
    return `'act' expects ${Object.keys(FIELDS).join(', ')}, got ${JSON.stringify(act)}`;
  const field = FIELDS[act as keyof typeof FIELDS];
  const name = given[field];
  if (!isText(name)) return `'${field}' of '${act}' expects a text of 1 to ${LONGEST} characters`;
  const read = { act, [field]: name } as unknown as Act;
  if (read.act !== 'update') return read;
  const { options } = given;
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return "'options' of 'update' expects an object of the policy's options";
  const other = Object.keys(options).find((key) => !CHANGEABLE.includes(key as never));
  if (other !== undefined)
    return `'options' of 'update' expects ${CHANGEABLE.join(', ')}, got '${other.slice(0, 50)}'`;
  return { ...read, options: options as Record<string, unknown> };
}

/** Reads an act with its id and its user; `undefined` for anything else. */
export function readSentAct(value: unknown): SentAct | undefined {
  const { id, by } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const act = readAct(value);
  return typeof act !== 'string' && isText(id) && isText(by) ? { ...act, id, by } : undefined;
}
