/**
 * One view of a conversation for all formats of requests: turns with parts, each with the object that it was read from.
 *
 * A repair replaces parts and turns. `written` then makes the request again: a turn whose parts are the same objects in the
 * same order is written as the very message that it was read from.
 */

import type { Remedy } from '../classify/remedy.js';
import { type Fields, fieldsOf, isFields, sameItems, withFields } from './copy.js';

/** The format of a request to a model. */
export type RequestFormat = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google' | 'ai-sdk';

/** The makers of reasoning signatures, which only their own models can read. */
export type Signer = 'anthropic' | 'google' | 'openai';

export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'other';

export interface Part {
  readonly kind: 'text' | 'call' | 'result' | 'reasoning' | 'media' | 'other';
  readonly raw: unknown;
  /** Its path in the given request: `messages[3].content[0]`. */
  readonly at: string;
  /** The field of the message that holds it; '' for the message itself, or for a field that is never changed. */
  readonly slot: string;
  /** Of calls and results. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  /** The files within a tool's result. */
  readonly media?: readonly Part[] | undefined;
}

export interface Turn {
  readonly role: Role;
  /** `undefined` in a turn that a repair has added. */
  readonly raw: unknown;
  readonly at: string;
  /** Its index; -1 in a turn that a repair has added. */
  readonly index: number;
  readonly parts: readonly Part[];
  /** The parts as they were read. */
  readonly read: readonly Part[];
  /** Each part is a message, or an item, of its own. */
  readonly isWhole: boolean;
}

export interface Format {
  readonly name: RequestFormat;
  /** The maker of the signatures in this format; `undefined` if each part names its own. */
  readonly signer?: Signer | undefined;
  /** The field of the request that holds the conversation. */
  key(request: Fields): string;
  /** The turns that hold the results of a call: the next one of the user, the messages of the tool, or items after the calls. */
  readonly results: 'user' | 'tool' | 'items';
  /** The field of a message that holds its texts. */
  readonly content: string;
  /** Roles that take turns, and which come first. */
  readonly alternates: boolean;
  role(message: Fields): Role;
  part(
    raw: unknown,
    role: Role,
  ): Pick<Part, 'kind' | 'id' | 'name' | 'text'> & { media?: string | undefined };
  /** Parts beside the content. `undefined` where the message is one part. */
  more?(message: Fields, at: string): Part[];
  whole?(message: Fields): (Pick<Part, 'kind' | 'id' | 'name'> & { media?: string | undefined }) | undefined;
  /** The name of a role in this format. */
  roleName(role: Role): string;
  text(role: Role, text: string): unknown;
  result(call: Part, text: string): unknown;
  /** The same call, or the same result, with another id or name. */
  renamed(part: Part, changes: { id?: string | undefined; name?: string | undefined }): unknown;
}

/** Something that was wrong, and what was done about it. */
interface Note {
  readonly remedy: Remedy;
  readonly at: string;
  /** `undefined` for what only a repair before it has made necessary. */
  readonly problem?: string | undefined;
  readonly change: string;
}

/** A conversation under repair. Fixers replace `turns` and `request`, and say in `notes` what they did. */
export interface Draft {
  readonly format: Format;
  /** As it was given. */
  readonly original: object;
  request: Fields;
  turns: readonly Turn[];
  readonly notes: Note[];
  readonly model: string;
  /** The maker of the signatures that the called model can read, if it is known. */
  readonly callee: Signer | undefined;
  /** A provider has refused the conversation: do all that may help, and not only what its documentation demands. */
  readonly strict: boolean;
}

/** The messages of a request. A text alone, and parts without a message, are one message of the user. */
function messagesOf(request: Fields, format: Format): readonly unknown[] | undefined {
  const value = request[format.key(request)];
  const { content } = format;
  if (typeof value === 'string') return [{ role: 'user', [content]: asList(format, value) }];
  if (Array.isArray(value)) {
    const isParts =
      format.name === 'google' &&
      value.length > 0 &&
      !value.some((item) => isFields(item) && 'parts' in item);
    return isParts ? [{ role: 'user', parts: value }] : value;
  }
  return isFields(value) && Array.isArray(value[content]) ? [value] : undefined;
}

const asList = (format: Format, text: string) => (text === '' ? [] : [format.text('user', text)]);

export function turnsOf(request: Fields, format: Format): Turn[] | undefined {
  const key = format.key(request);
  return messagesOf(request, format)?.map((message, index) =>
    turnOf(message, index, `${key}[${index}]`, format),
  );
}

function turnOf(raw: unknown, index: number, at: string, format: Format): Turn {
  const turn = { raw, at, index };
  if (!isFields(raw)) return { ...turn, role: 'other', parts: [], read: [], isWhole: true };
  const role = format.role(raw);
  const whole = format.whole?.(raw);
  const parts =
    whole === undefined ? partsOf(raw, role, at, format) : [wholePart(raw, whole, role, at, format)];
  return { ...turn, role, parts, read: parts, isWhole: whole !== undefined };
}

function wholePart(
  raw: Fields,
  { media, ...part }: Pick<Part, 'kind'> & { media?: string | undefined },
  role: Role,
  at: string,
  format: Format,
): Part {
  return { ...part, raw, at, slot: '', ...nested(raw, media, role, at, format) };
}

function partsOf(message: Fields, role: Role, at: string, format: Format): Part[] {
  const slot = format.content;
  const content = message[slot];
  const place = `${at}.${slot}`;
  const more = format.more?.(message, at) ?? [];
  if (content === undefined || content === null) return more;
  if (typeof content === 'string')
    return [{ kind: 'text', raw: content, at: place, slot, text: content }, ...more];
  if (!Array.isArray(content)) return [{ kind: 'other', raw: content, at: place, slot: '' }, ...more];
  const parts = content.map((raw, index): Part => {
    const { media, ...part } = format.part(raw, role);
    const partAt = `${place}[${index}]`;
    return { ...part, raw, at: partAt, slot, ...nested(raw, media, role, partAt, format) };
  });
  return [...parts, ...more];
}

/** The files of a tool's result, which are in a list at the end of a path: `output.value`. */
function nested(raw: unknown, path: string | undefined, role: Role, at: string, format: Format) {
  if (path === undefined) return {};
  const list = path.split('.').reduce((value: unknown, key) => fieldsOf(value)[key], raw);
  if (!Array.isArray(list)) return {};
  const media = list
    .map(
      (item, index): Part => ({
        ...format.part(item, role),
        media: [],
        raw: item,
        at: `${at}.${path}[${index}]`,
        slot: path,
      }),
    )
    .filter(({ kind }) => kind === 'media');
  return media.length > 0 ? { media } : {};
}

/** A turn with other parts; `undefined` if it has no parts left. */
export function withParts(turn: Turn, parts: readonly Part[]): Turn | undefined {
  return parts.length === 0 ? undefined : { ...turn, parts };
}

/** Changes the parts of turns, and drops the empty ones. */
export function mapParts(
  turns: readonly Turn[],
  change: (part: Part, turn: Turn) => Part | readonly Part[],
): readonly Turn[] {
  return turns.flatMap((turn) => {
    const parts = turn.parts.flatMap((part) => change(part, turn));
    if (sameItems(parts, turn.parts)) return [turn];
    return withParts(turn, parts) ?? [];
  });
}

/** A turn that a repair adds. */
export function newTurn(role: Role, parts: readonly Part[], isWhole = false): Turn {
  return { role, raw: undefined, at: parts[0]?.at ?? '', index: -1, parts, read: [], isWhole };
}

export function textPart(format: Format, role: Role, text: string, at = ''): Part {
  return { kind: 'text', raw: format.text(role, text), at, slot: format.content, text };
}

/** The request with the turns of a draft; the very same one if nothing was changed. */
export function written(draft: Draft): object {
  const { format, request } = draft;
  const before = messagesOf(request, format);
  if (before === undefined) return request;
  const messages = draft.turns.flatMap((turn) => messagesIn(turn, format));
  return sameItems(messages, before) ? request : withFields(request, { [format.key(request)]: messages });
}

function messagesIn(turn: Turn, format: Format): readonly unknown[] {
  if (sameItems(turn.parts, turn.read)) return [turn.raw];
  if (turn.isWhole) return turn.parts.map(({ raw }) => raw);
  const base = isFields(turn.raw) ? turn.raw : { role: format.roleName(turn.role) };
  const changes: Record<string, unknown> = {};
  for (const slot of new Set([...turn.read, ...turn.parts].map((part) => part.slot))) {
    if (slot === '') continue;
    const parts = turn.parts.filter((part) => part.slot === slot);
    const read = turn.read.filter((part) => part.slot === slot);
    if (!sameItems(parts.map(rawOf), read.map(rawOf))) {
      changes[slot] = slotValue(parts, slot, base[slot], turn.role, format);
    }
  }
  return [withFields(base, changes)];
}

const rawOf = ({ raw }: Part) => raw;

function slotValue(
  parts: readonly Part[],
  slot: string,
  before: unknown,
  role: Role,
  format: Format,
): unknown {
  const raws = parts.map(rawOf);
  if (slot === format.content) {
    if (raws.length === 0) return format.name === 'openai-chat' ? null : [];
    if (raws.length === 1 && typeof raws[0] === 'string' && !Array.isArray(before)) return raws[0];
    // A message may be a text alone; among other parts it is a part.
    return parts.map(({ kind, raw }) =>
      kind === 'text' && typeof raw === 'string' ? format.text(role, raw) : raw,
    );
  }
  if (raws.length === 0) return undefined;
  return slot === 'tool_calls' || Array.isArray(before) ? raws.flat() : raws.at(-1);
}
