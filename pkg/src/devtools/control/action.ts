/** The actions that a person may ask of a process from the dashboard, and the check of what came. */

import { CHANGEABLE } from '../../option-table.js';

/** An action, as the dashboard sends it. */
export type Action =
  /** Refuses all calls of a breaker until this is undone. */
  | { readonly action: 'isolate'; readonly breaker: string }
  /** Closes a breaker, and forgets what it has counted. */
  | { readonly action: 'close'; readonly breaker: string }
  /** Changes options of a policy, as `policy.update` does; `null` takes one back. */
  | {
      readonly action: 'update';
      readonly policy: string;
      readonly options: Readonly<Record<string, unknown>>;
    }
  /** Ends a run as cancelled: its signal aborts. */
  | { readonly action: 'end-run'; readonly run: string }
  /** Takes an earlier action back. */
  | { readonly action: 'undo'; readonly of: string };

/** An action on its way, with its id and the user who did it. */
export type SentAction = Action & { readonly id: string; readonly by: string };

/** Longest name or id. */
const LONGEST = 300;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST;

/** The field that each action needs. */
const FIELDS = {
  isolate: 'breaker',
  close: 'breaker',
  update: 'policy',
  'end-run': 'run',
  undo: 'of',
} as const;

/** Reads an action: a copy of what is known, or what is wrong with it. */
export function readAction(value: unknown): Action | string {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { action } = given;
  if (typeof action !== 'string' || !Object.hasOwn(FIELDS, action))
    return `'action' expects ${Object.keys(FIELDS).join(', ')}, got ${JSON.stringify(action)}`;
  const field = FIELDS[action as keyof typeof FIELDS];
  const name = given[field];
  if (!isText(name)) return `'${field}' of '${action}' expects a text of 1 to ${LONGEST} characters`;
  const read = { action, [field]: name } as unknown as Action;
  if (read.action !== 'update') return read;
  const { options } = given;
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return "'options' of 'update' expects an object of the policy's options";
  const other = Object.keys(options).find((key) => !CHANGEABLE.includes(key as never));
  if (other !== undefined)
    return `'options' of 'update' expects ${CHANGEABLE.join(', ')}, got '${other.slice(0, 50)}'`;
  return { ...read, options: options as Record<string, unknown> };
}

/** Reads an action with its id and its user; `undefined` for anything else. */
export function readSentAction(value: unknown): SentAction | undefined {
  const { id, by } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const action = readAction(value);
  return typeof action !== 'string' && isText(id) && isText(by) ? { ...action, id, by } : undefined;
}
