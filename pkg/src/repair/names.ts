/** Ids of calls and names of tools that a provider does not take, after a failover for instance. */

import { type Draft, mapParts, type Part } from './conversation.js';
import { type Fields, fieldsOf, isFields, sameItems, withFields } from './copy.js';
import { spelled } from './formats/google.js';

/** The allowed form of a name. */
interface Shape {
  readonly forbidden: RegExp;
  readonly alphabet: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** Gemini: "Must start with a letter or an underscore". */
  readonly mustBeginWithLetter: boolean;
}

interface Limits {
  readonly pattern?: string | undefined;
  readonly maxLength?: number | undefined;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `0123456789${LETTERS}${LETTERS.toUpperCase()}`;
/** A class of characters with a count: `^[a-zA-Z0-9_-]{1,64}$`. */
const CLASS = /^\^?\[([^\]^\\]+|[^\]^\\]*\\[wd-][^\]^\\]*)\](?:[+*]|\{(\d{1,4})(,?)(\d{1,4})?\})?\$?$/;

function shapeOf({ pattern, maxLength }: Limits, mustBeginWithLetter: boolean): Shape {
  const [, characters, from, comma, to] = CLASS.exec(String(pattern)) ?? [];
  const longest = Math.min(
    characters === undefined
      ? Number.POSITIVE_INFINITY
      : Number(to ?? (comma === '' ? from : undefined) ?? Number.POSITIVE_INFINITY),
    typeof maxLength === 'number' && maxLength >= 1 ? Math.floor(maxLength) : Number.POSITIVE_INFINITY,
  );
  const forbidden = classOf(characters) ?? /[^a-zA-Z0-9_-]/g;
  const alphabet = [...ALPHABET].filter((letter) => letter.replace(forbidden, '') !== '').join('');
  const minLength = Math.min(Number(from ?? 1), longest);
  return { forbidden, alphabet, minLength, maxLength: longest, mustBeginWithLetter };
}

function classOf(characters: string | undefined): RegExp | undefined {
  try {
    const forbidden = new RegExp(`[^${characters}]`, 'g');
    // A class without two letters or digits leaves nothing to tell names apart with.
    return characters !== undefined && '0Aa'.replace(forbidden, '').length > 0 ? forbidden : undefined;
  } catch {
    return undefined;
  }
}

/** New names for those that do not fit; the others keep theirs, and no two become one. */
function renaming(names: Iterable<string>, shape: Shape): ReadonlyMap<string, string> {
  const all = new Set(names);
  const renamed = new Map<string, string>();
  const fits = (name: string) => made(name, shape) === name;
  const taken = new Set([...all].filter(fits));
  let count = 0;
  for (const name of all) {
    if (taken.has(name) && fits(name)) continue;
    let next = made(name, shape);
    while (taken.has(next)) {
      const mark = numeral(count, shape.alphabet);
      if (mark.length > shape.maxLength) return new Map(); // more names than this shape has
      count += 1;
      next = `${made(name, shape).slice(0, Math.min(shape.maxLength, 1e4) - mark.length)}${mark}`;
      if (!fits(next)) next = made(name, shape);
    }
    taken.add(next);
    renamed.set(name, next);
  }
  return renamed;
}

function made(name: string, shape: Shape): string {
  const filler = '_'.replace(shape.forbidden, '');
  let text = name.replace(shape.forbidden, filler);
  if (shape.mustBeginWithLetter && !/^[a-zA-Z_]/.test(text)) text = `_${text}`;
  const pad = shape.alphabet[0] ?? '0';
  return text.slice(0, shape.maxLength).padEnd(Math.max(1, shape.minLength), pad);
}

function numeral(number: number, alphabet: string): string {
  let rest = number;
  let text = '';
  do {
    text = `${alphabet[rest % alphabet.length]}${text}`;
    rest = Math.floor(rest / alphabet.length);
  } while (rest > 0);
  return text;
}

/** Gives tool calls, and their results, ids that the provider takes. */
export function renameCalls(draft: Draft, limits: Limits): void {
  const { format, turns } = draft;
  const isNamed = ({ kind, raw }: Part) =>
    kind === 'call' || kind === 'result' || fieldsOf(raw).toolCallId !== undefined;
  const ids = turns.flatMap(({ parts }) => parts.flatMap((part) => (isNamed(part) ? (part.id ?? []) : [])));
  const names = renaming(ids, shapeOf(limits, false));
  const noted = new Set<string>();
  draft.turns = mapParts(turns, (part) => {
    const id = part.id === undefined || !isNamed(part) ? undefined : names.get(part.id);
    // Responses: "Expected an ID that begins with 'fc'".
    const own = format.results === 'items' && part.kind === 'call' ? fieldsOf(part.raw).id : undefined;
    const isForeign = typeof own === 'string' && !/^(?:fc|ctc|cu|lsh|sh|apc)/.test(own);
    if (id === undefined && !isForeign) return part;
    const raw = isForeign ? withFields(fieldsOf(part.raw), { id: undefined }) : part.raw;
    const change = id === undefined ? 'removed the id of an item' : `renamed tool call ${part.id} to ${id}`;
    if (!noted.has(change)) draft.notes.push({ remedy: { kind: 'rename-calls' }, at: part.at, change });
    noted.add(change);
    const plain = { ...part, raw };
    return id === undefined ? plain : { ...plain, id, raw: format.renamed(plain, { id }) };
  });
}

/** Gives tools names that the provider takes: their definitions, the choice of one, and the calls in the conversation. */
export function renameTools(draft: Draft, limits: Limits): void {
  const { format, request } = draft;
  const config = format.name === 'google' && isFields(request.config) ? 'config' : undefined;
  const holder = config === undefined ? request : fieldsOf(request[config]);
  const isNamed = ({ kind, raw }: Part) =>
    kind === 'call' || kind === 'result' || fieldsOf(raw).toolName !== undefined;
  const used = draft.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (isNamed(part) ? nameOf(part) : [])),
  );
  const names = renaming([...definedIn(holder.tools), ...used], shapeOf(limits, format.name === 'google'));
  if (names.size === 0) return;
  for (const [from, to] of names) {
    draft.notes.push({
      remedy: { kind: 'rename-tools' },
      at: 'tools',
      change: `renamed tool ${from} to ${to}`,
    });
  }
  draft.turns = mapParts(draft.turns, (part) => {
    const name = isNamed(part) ? nameOf(part).map((one) => names.get(one))[0] : undefined;
    return name === undefined ? part : { ...part, name, raw: format.renamed(part, { name }) };
  });
  const changes: Record<string, unknown> = {};
  for (const key of ['tools', 'tool_choice', 'toolChoice', 'toolConfig', 'tool_config']) {
    const renamed = key === 'tools' ? toolsRenamed(holder[key], names) : choiceRenamed(holder[key], names);
    if (renamed !== holder[key]) changes[key] = renamed;
  }
  if (Object.keys(changes).length === 0) return;
  const next = withFields(holder, changes);
  draft.request = config === undefined ? next : withFields(request, { [config]: next });
}

/** The name of a call; in Chat Completions a result may have one too. */
const nameOf = ({ name, raw, kind }: Part): string[] => {
  const own = kind === 'result' && name === undefined ? fieldsOf(raw).name : name;
  return typeof own === 'string' ? [own] : [];
};

function declarations(tool: Fields): [key: string, list: readonly unknown[]] | undefined {
  const key = spelled(tool, 'functionDeclarations');
  const list = tool[key];
  return Array.isArray(list) ? [key, list] : undefined;
}

export function definedIn(tools: unknown): string[] {
  if (isFields(tools)) return Object.keys(tools);
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const fields = fieldsOf(tool);
    const declared = declarations(fields);
    if (declared !== undefined) return definedIn(declared[1]);
    const name = fields.name ?? fieldsOf(fields.function ?? fields.custom).name;
    return typeof name === 'string' ? [name] : [];
  });
}

function toolsRenamed(tools: unknown, names: ReadonlyMap<string, string>): unknown {
  if (isFields(tools)) {
    if (!Object.keys(tools).some((name) => names.has(name))) return tools;
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [names.get(name) ?? name, tool]));
  }
  if (!Array.isArray(tools)) return tools;
  const renamed = tools.map((tool) => {
    if (!isFields(tool)) return tool;
    const declared = declarations(tool);
    if (declared === undefined) return nameReplaced(tool, names);
    const list = toolsRenamed(declared[1], names);
    return list === declared[1] ? tool : withFields(tool, { [declared[0]]: list });
  });
  return sameItems(renamed, tools) ? tools : renamed;
}

/** An object whose `name` is one of the old ones, its own or that of its `function` or `custom`. */
function nameReplaced(fields: Fields, names: ReadonlyMap<string, string>): Fields {
  for (const key of ['function', 'custom']) {
    const inner = fields[key];
    if (!isFields(inner)) continue;
    const next = nameReplaced(inner, names);
    return next === inner ? fields : withFields(fields, { [key]: next });
  }
  const key = typeof fields.toolName === 'string' ? 'toolName' : 'name';
  const name = names.get(String(fields[key]));
  return name === undefined || typeof fields[key] !== 'string' ? fields : withFields(fields, { [key]: name });
}

function choiceRenamed(choice: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!isFields(choice)) return choice;
  const calling = spelled(choice, 'functionCallingConfig');
  const inner = choice[calling];
  if (!isFields(inner)) return nameReplaced(choice, names);
  const key = spelled(inner, 'allowedFunctionNames');
  const allowed = inner[key];
  if (!Array.isArray(allowed)) return choice;
  const renamed = allowed.map((name) => names.get(name) ?? name);
  return sameItems(renamed, allowed)
    ? choice
    : withFields(choice, { [calling]: withFields(inner, { [key]: renamed }) });
}
