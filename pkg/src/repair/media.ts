/** Files, images and audio that a provider does not take: a few words replace them. */

import type { Remedy } from '../classify/remedy.js';
import { type Draft, mapParts, type Part } from './conversation.js';
import { fieldsOf, withFields } from './copy.js';

type DropMedia = Extract<Remedy, { kind: 'drop-media' }>;

const REASONS: Readonly<Record<DropMedia['reason'], string>> = {
  'too-large': 'too large',
  'too-many': 'too many files',
  unsupported: 'a type that the model does not read',
  unreadable: 'not readable',
};

/** Drops the part at the path; if there are too many, the oldest beyond the limit; else all. */
export function dropMedia(draft: Draft, remedy: DropMedia): void {
  const all = draft.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'media' ? [part] : (part.media ?? []))),
  );
  const dropped = new Set(chosen(all, remedy));
  const words = `(A file was left out: ${REASONS[remedy.reason] ?? remedy.reason}.)`;
  const note = ({ at }: Part) => draft.notes.push({ remedy, at, change: `left out the file at ${at}` });
  draft.turns = mapParts(draft.turns, (part, { role }) => {
    const raw = draft.format.text(role, words);
    if (dropped.has(part)) {
      note(part);
      return { kind: 'text', raw, at: part.at, slot: part.slot, text: words };
    }
    const inside = part.media?.filter((one) => dropped.has(one)) ?? [];
    if (inside.length === 0) return part;
    for (const one of inside) note(one);
    const raws = new Set(inside.map((one) => one.raw));
    return { ...part, media: [], raw: replaced(part.raw, (inside[0]?.slot ?? '').split('.'), raws, raw) };
  });
}

function chosen(all: readonly Part[], { reason, at, limit }: DropMedia): readonly Part[] {
  if (typeof at === 'string') {
    const path = dotted(at);
    const pointed = all.filter((part) => `${path}.`.startsWith(`${dotted(part.at)}.`));
    if (pointed.length > 0) return pointed;
  }
  const keeps = reason === 'too-many' && typeof limit === 'number' && limit >= 0 ? Math.floor(limit) : 0;
  return all.slice(0, Math.max(0, all.length - keeps));
}

/** `messages[3].content[1]`, as OpenAI writes it, and `messages.3.content.1`, as Anthropic does, are one path. */
const dotted = (path: string) => path.replace(/[.[\]]+/g, '.').replace(/\.$/, '');

/** A result of a tool in which other words stand for some items of the list at the end of a path. */
function replaced(
  raw: unknown,
  [key = '', ...rest]: readonly string[],
  items: ReadonlySet<unknown>,
  by: unknown,
): unknown {
  const fields = fieldsOf(raw);
  const value = fields[key];
  const next = Array.isArray(value)
    ? value.map((item) => (items.has(item) ? by : item))
    : replaced(value, rest, items, by);
  return withFields(fields, { [key]: next });
}
