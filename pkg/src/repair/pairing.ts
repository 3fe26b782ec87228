/**
 * Tool calls and their results: each call gets one result, where the format wants it.
 *
 * Ids may be used again in a later turn (some models count from zero in each), so a call first takes the result at its
 * index, and only then one that is left anywhere else.
 */

import { type Draft, type Format, newTurn, type Part, type Turn, withParts } from './conversation.js';
import { fieldsOf, sameItems } from './copy.js';

/** The result of a call without one. The tool may have acted before it was interrupted, and the model must know that. */
const NO_RESULT = 'No result: the tool call was interrupted. It may or may not have taken effect.';

interface Place {
  readonly part: Part;
  readonly turn: number;
}

/** Results that no call has taken yet, by the keys under which a call looks for them. */
class Results {
  private readonly byKey = new Map<string, Place[]>();
  private readonly taken: Set<Part>;
  private readonly format: Format;

  constructor(places: readonly Place[], taken: Set<Part>, format: Format) {
    this.taken = taken;
    this.format = format;
    for (const place of places) {
      for (const key of keysOf(place.part, format)) {
        const list = this.byKey.get(key);
        if (list === undefined) this.byKey.set(key, [place]);
        else list.push(place);
      }
    }
    for (const list of this.byKey.values()) list.reverse(); // so that the first is cheap to take
  }

  /** The first result of a call, if there is one. */
  take(call: Part): Place | undefined {
    for (const key of keysOf(call, this.format)) {
      const list = this.byKey.get(key) ?? [];
      for (let place = list.pop(); place !== undefined; place = list.pop()) {
        if (this.taken.has(place.part) || !mayBelong(place.part, call)) continue;
        this.taken.add(place.part);
        return place;
      }
    }
    return undefined;
  }
}

/** Gemini's calls may have no id; then their results belong to them by the name of the function. */
function keysOf({ id, name }: Part, format: Format): string[] {
  const keys = id === undefined ? [] : [`id ${id}`];
  return format.name === 'google' ? [...keys, `name ${name}`] : keys;
}

/** Without an id, a call cannot be matched with its result. Gemini matches them by name. */
const canBePaired = ({ id }: Part, format: Format) => id !== undefined || format.name === 'google';

const mayBelong = (result: Part, call: Part) =>
  result.id === call.id || result.id === undefined || call.id === undefined;

/** Gives each call of a tool its result, and drops results that belong to no call. */
export function pairToolCalls(draft: Draft, ids: readonly string[] = []): void {
  const { format, turns } = draft;
  const isOpen = isContinued(draft);
  const taken = new Set<Part>();
  const ends = zoneEnds(turns, format);
  const wanting: Place[] = [];
  /** The results found at the place of each turn of calls. */
  const found: Map<number, Part[]> = new Map();
  const known = new Set<string | undefined>();

  turns.forEach((turn, index) => {
    if (turn.role !== 'assistant') return;
    const calls = turn.parts.filter((part) => part.kind === 'call' && canBePaired(part, format));
    if (calls.length === 0) return;
    const inPlace = resultsIn(turns, ends.start(index), ends.end(index));
    const results = new Results(inPlace, taken, format);
    for (const part of calls) {
      known.add(part.id ?? part.name);
      if (results.take(part) === undefined && !awaitsApproval(turn, part, ends.end(index), turns)) {
        wanting.push({ part, turn: index });
      }
    }
  });

  const others = resultsIn(turns, 0, turns.length).filter(({ part }) => !taken.has(part));
  const elsewhere = new Results(others, taken, format);
  const moved = new Set<Part>();
  for (const { part: call, turn } of wanting) {
    const result = elsewhere.take(call);
    // Items of Responses need not follow their call at once; a provider that has refused them gets them there.
    if (result !== undefined && format.results === 'items' && result.turn > turn && !draft.strict) continue;
    const name = call.id ?? call.name ?? '';
    const remedy = { kind: 'pair-tool-calls', ids: call.id === undefined ? [] : [call.id] } as const;
    if (result === undefined) {
      const change = `added a result for tool call ${name}`;
      draft.notes.push({ remedy, at: call.at, problem: `tool call ${name} has no result`, change });
    } else {
      moved.add(result.part);
      const problem = `the result of tool call ${name} does not follow it`;
      draft.notes.push({
        remedy,
        at: result.part.at,
        problem,
        change: `moved the result of tool call ${name} to its call`,
      });
    }
    const parts = found.get(turn) ?? [];
    parts.push(result?.part ?? { ...call, kind: 'result', raw: format.result(call, NO_RESULT) });
    found.set(turn, parts);
  }

  // "No tool call found for function call output": the one that is named goes, unless a repair has added it.
  const isKept = ({ id, raw }: Part) =>
    isOpen && !(draft.strict && id !== undefined && ids.includes(id) && fieldsOf(raw).output !== NO_RESULT);
  const remains = (part: Part): boolean => {
    if (part.kind !== 'result' || (taken.has(part) && !moved.has(part))) return true;
    if (!canBePaired(part, format)) return true;
    if (moved.has(part)) return false;
    if (isKept(part)) return true;
    const name = part.id ?? part.name ?? '';
    const problem = known.has(part.id ?? part.name)
      ? `a second result of tool call ${name}`
      : `a result without a tool call: ${name}`;
    const remedy = { kind: 'pair-tool-calls', ids: part.id === undefined ? [] : [part.id] } as const;
    draft.notes.push({ remedy, at: part.at, problem, change: `removed ${problem}` });
    return false;
  };
  const kept = turns.map(({ parts }) =>
    parts.every(({ kind }) => kind !== 'result') ? parts : parts.filter(remains),
  );
  draft.turns = arranged(turns, kept, found, ends, format);
  if (format.name === 'anthropic') resultsFirst(draft);
  if (isOpen && draft.strict) answerStored(draft, ids, known);
}

/** The turns with the parts that they keep, and the results in `found` behind the turn of calls that they belong to. */
function arranged(
  turns: readonly Turn[],
  kept: readonly (readonly Part[])[],
  found: ReadonlyMap<number, Part[]>,
  zones: Zones,
  format: Format,
): readonly Turn[] {
  const into = new Map<number, readonly Part[]>();
  const before = new Map<number, readonly Part[]>();
  for (const [index, parts] of found) {
    const end = zones.end(index);
    const last = turns[end - 1];
    const hasMessage = end > zones.start(index) && last !== undefined && !last.isWhole;
    const [map, number] = hasMessage ? [into, end - 1] : [before, end];
    map.set(number, [...(map.get(number) ?? []), ...parts]);
  }
  const isWhole = format.name === 'openai-chat' || format.results === 'items';
  const slot = isWhole ? '' : format.content;
  const result: Turn[] = [];
  for (let index = 0; index <= turns.length; index += 1) {
    const added = before.get(index)?.map((part) => ({ ...part, slot }));
    if (added !== undefined)
      result.push(newTurn(format.results === 'user' ? 'user' : 'tool', added, isWhole));
    const turn = turns[index];
    if (turn === undefined) break;
    const joined = into.get(index)?.map((part) => ({ ...part, slot })) ?? [];
    const own = kept[index] ?? [];
    const parts = [
      ...own.filter(({ kind }) => kind === 'result'),
      ...joined,
      ...own.filter(({ kind }) => kind !== 'result'),
    ];
    const isSame = joined.length === 0 && sameItems(own, turn.parts);
    const next = isSame ? turn : withParts(turn, joined.length === 0 ? own : parts);
    if (next !== undefined) result.push(next);
  }
  return result;
}

interface Zones {
  start(index: number): number;
  end(index: number): number;
}

/** Where the results of a turn's calls are expected: from `start` to before `end`. */
function zoneEnds(turns: readonly Turn[], { results }: Format): Zones {
  const runEnd = endsOfRuns(turns, 'tool');
  const assistantEnd = endsOfRuns(turns, 'assistant');
  const start = (index: number) => (results === 'items' ? (assistantEnd[index] ?? index) + 1 : index + 1);
  return {
    start,
    end(index) {
      const first = start(index);
      if (results === 'user') return turns[first]?.role === 'user' ? first + 1 : first;
      return turns[first]?.role === 'tool' ? (runEnd[first] ?? first) + 1 : first;
    },
  };
}

/** For each turn of a role, the number of the last one in its run. */
function endsOfRuns(turns: readonly Turn[], role: Turn['role']): number[] {
  const ends: number[] = [];
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const next = turns[index + 1]?.role === role ? ends[index + 1] : undefined;
    ends[index] = turns[index]?.role === role && next !== undefined ? next : index;
  }
  return ends;
}

function resultsIn(turns: readonly Turn[], start: number, end: number): Place[] {
  return turns
    .slice(start, end)
    .flatMap(({ parts }, offset) =>
      parts.filter(({ kind }) => kind === 'result').map((part) => ({ part, turn: start + offset })),
    );
}

/** The AI SDK itself carries out a call at the end, once the user has approved it. */
function awaitsApproval({ parts }: Turn, call: Part, end: number, turns: readonly Turn[]): boolean {
  return (
    end === turns.length &&
    parts.some(({ raw }) => {
      const { type, toolCallId } = fieldsOf(raw);
      return type === 'tool-approval-request' && toolCallId === call.id;
    })
  );
}

/** Returns `true` if calls may be stored at the provider, outside of the request: their results are then alone in it. */
function isContinued({ format, request, turns }: Draft): boolean {
  if (format.name !== 'openai-responses') return false;
  const isStored = (value: unknown) => value !== undefined && value !== null;
  return (
    isStored(request.previous_response_id) ||
    isStored(request.conversation) ||
    turns.some(({ raw }) => fieldsOf(raw).type === 'item_reference')
  );
}

/**
 * Anthropic refuses a text before the results of the same message.
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use#handling-results-from-client-tools
 */
function resultsFirst(draft: Draft): void {
  draft.turns = draft.turns.map((turn) => {
    const last = turn.parts.map(({ kind }) => kind).lastIndexOf('result');
    const isMixed = turn.parts.slice(0, last).some(({ kind }) => kind !== 'result');
    if (last < 1 || !isMixed) return turn;
    const results = turn.parts.filter(({ kind }) => kind === 'result');
    draft.notes.push({
      remedy: { kind: 'pair-tool-calls', ids: results.flatMap(({ id }) => id ?? []) },
      at: turn.parts[last]?.at ?? turn.at,
      problem: 'the results of tool calls must come first in their message',
      change: 'moved the results of tool calls to the beginning of their message',
    });
    return { ...turn, parts: [...results, ...turn.parts.filter(({ kind }) => kind !== 'result')] };
  });
}

/** A call that is stored at the provider, and that it names because no result came. */
function answerStored(draft: Draft, ids: readonly string[], known: ReadonlySet<string | undefined>): void {
  const { format, turns } = draft;
  const there = new Set(
    turns.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'result').map(({ id }) => id)),
  );
  const noted = new Set(
    draft.notes.flatMap(({ remedy }) => (remedy.kind === 'pair-tool-calls' ? remedy.ids : [])),
  );
  const missing = ids.filter((id) => !known.has(id) && !there.has(id) && !noted.has(id));
  if (missing.length === 0) return;
  const parts = missing.map((id): Part => {
    const call: Part = { kind: 'result', raw: {}, at: '', slot: '', id };
    return { ...call, raw: format.result(call, NO_RESULT) };
  });
  draft.turns = [newTurn('tool', parts, true), ...turns];
  for (const id of missing) {
    const change = `added a result for tool call ${id}`;
    draft.notes.push({
      remedy: { kind: 'pair-tool-calls', ids: [id] },
      at: format.key(draft.request),
      change,
    });
  }
}
