/** Empty messages, the order of roles, white space at the end, and words of the user at the end. */

import { type Draft, mapParts, newTurn, type Part, type Turn, textPart, withParts } from './conversation.js';
import { fieldsOf, withFields } from './copy.js';
import { pairToolCalls } from './pairing.js';

/** Stands for a beginning that is not in the conversation: the first message must be of the user. */
const BEGINNING = '(The conversation begins here.)';
/** Stands for the only message, which has no text. */
const NO_TEXT = '(no text)';
/** Between a tool's result and words of the user, where a template lets only the model speak: vLLM, Mistral. */
const RESULTS_READ = 'I have read the results of the tools.';
/** For a model that continues no message of its own. */
const GO_ON =
  'Continue your last message exactly where it ends. Do not repeat any of it, and do not comment on the interruption.';

const isSpoken = ({ role }: Turn) => role === 'user' || role === 'assistant';

/** Drops texts that are empty, and messages that nothing is in. */
export function dropEmpty(draft: Draft): void {
  const { format, strict, callee } = draft;
  const isAnthropic = format.name === 'anthropic' || (format.name === 'ai-sdk' && callee === 'anthropic');
  const isBlank = (text: string) => (strict || isAnthropic ? text.trim() === '' : text === '');
  // OpenAI takes an empty text beside other parts, and templates of vLLM do not.
  const isPartwise = strict || !format.name.startsWith('openai');
  const isEmpty = (part: Part): boolean => {
    if (part.kind !== 'text' || part.text === undefined || !isBlank(part.text)) return false;
    const { thoughtSignature, thought_signature, providerOptions } = fieldsOf(part.raw);
    // Gemini signs empty texts, and a marker of a provider may need one before it.
    if (thoughtSignature !== undefined || thought_signature !== undefined) return false;
    return providerOptions === undefined || isAnthropic || strict;
  };
  const last = draft.turns.at(-1);
  const remedy = { kind: 'fix-messages', problem: 'empty' } as const;
  const note = (at: string, problem: string, change: string) =>
    draft.notes.push({ remedy, at, problem, change });

  const spoken = draft.turns.filter(isSpoken);
  const left = draft.turns.flatMap((turn): Turn[] => {
    if (!isSpoken(turn) && !(strict && turn.role === 'system')) return [turn];
    if (turn.parts.length > 0 && !turn.parts.some(isEmpty)) return [turn];
    const isLast = turn === last && turn.role === 'assistant' && format.name === 'anthropic';
    const { content } = fieldsOf(turn.raw);
    // "All messages must have non-empty content except for the optional final assistant message."
    if (isLast && !strict && (content === '' || turn.parts.length === 0)) return [turn];
    const parts = turn.parts.filter((part) => !isEmpty(part));
    if (parts.length === 0) {
      note(turn.at, 'an empty message', 'removed an empty message');
      return [];
    }
    if (!isPartwise) return [turn];
    for (const part of turn.parts.filter(isEmpty)) note(part.at, 'an empty text', 'removed an empty text');
    return [{ ...turn, parts }];
  });
  if (left.some(isSpoken) || spoken.length === 0) draft.turns = left;
  else {
    const kept = spoken.find(({ role }) => role === 'user') ?? spoken[0];
    const filled = (turn: Turn): Turn => ({
      ...turn,
      parts: [textPart(format, turn.role, NO_TEXT, turn.at)],
    });
    draft.turns = draft.turns.flatMap((turn) => {
      if (turn === kept) return filled(turn);
      return left.includes(turn) ? turn : [];
    });
  }
  if (isAnthropic && format.name === 'anthropic') dropEmptyInResults(draft, isBlank);
}

/** Anthropic refuses an empty text within a tool's result and within `system`, but not a result without any. */
function dropEmptyInResults(draft: Draft, isBlank: (text: string) => boolean): void {
  const isEmpty = (block: unknown) => {
    const { type, text } = fieldsOf(block);
    return type === 'text' && typeof text === 'string' && isBlank(text);
  };
  const clean = (blocks: unknown, at: string): readonly unknown[] | undefined => {
    if (!Array.isArray(blocks) || !blocks.some(isEmpty)) return undefined;
    const remedy = { kind: 'fix-messages', problem: 'empty' } as const;
    draft.notes.push({ remedy, at, problem: 'an empty text', change: 'removed an empty text' });
    return blocks.filter((block) => !isEmpty(block));
  };
  draft.turns = mapParts(draft.turns, (part) => {
    if (part.kind !== 'result') return part;
    const raw = fieldsOf(part.raw);
    const content = clean(raw.content, `${part.at}.content`);
    return content === undefined ? part : { ...part, raw: withFields(raw, { content }) };
  });
  const system = clean(draft.request.system, 'system');
  if (system !== undefined) draft.request = withFields(draft.request, { system });
}

/** The first message is the user's, and the roles take turns, where the format or the provider wants that. */
export function fixOrder(draft: Draft): void {
  const { format, strict, callee } = draft;
  if (format.results === 'items' && !strict) return;
  const mustBegin = format.alternates || strict || (callee !== undefined && callee !== 'openai');
  const remedy = { kind: 'fix-messages', problem: 'order' } as const;
  const note = (at: string, problem: string | undefined, change: string) =>
    draft.notes.push({ remedy, at, problem, change });

  const turns = [...draft.turns];
  const first = turns.findIndex((turn) => turn.role !== 'system' && turn.role !== 'other');
  const opening = turns[first];
  if (mustBegin && opening?.role === 'assistant') {
    const problem = 'the first message is not of the user';
    note(opening.at, opening.index < 0 ? undefined : problem, 'added a message of the user at the beginning');
    turns.splice(first, 0, newTurn('user', [textPart(format, 'user', BEGINNING, opening.at)]));
  }
  if (!format.alternates && (!strict || format.results === 'items')) {
    draft.turns = turns.length === draft.turns.length ? draft.turns : turns;
    return;
  }
  const runs: Turn[][] = [];
  for (const turn of turns) {
    const before = runs.at(-1)?.at(-1);
    const isSame = before?.role === turn.role && isSpoken(turn) && !turn.isWhole;
    if (before !== undefined && isSame) {
      const who = turn.role === 'user' ? 'the user' : 'the model';
      const wasSo = before.index >= 0 && turn.index === before.index + 1;
      note(turn.at, wasSo ? `two messages of ${who} in a row` : undefined, `joined two messages of ${who}`);
      runs.at(-1)?.push(turn);
      continue;
    }
    if (format.name === 'openai-chat' && before?.role === 'tool' && turn.role === 'user') {
      const problem = 'a message of the user follows the result of a tool';
      note(turn.at, problem, 'added a message of the model after the results of tools');
      runs.push([newTurn('assistant', [textPart(format, 'assistant', RESULTS_READ, turn.at)])]);
    }
    runs.push([turn]);
  }
  draft.turns = runs.map(joined);
}

/** One turn with the parts of several. Results of tools stay first. */
function joined(run: readonly Turn[]): Turn {
  const [first, ...others] = run as [Turn, ...Turn[]];
  if (others.length === 0) return first;
  const parts = run.flatMap((turn) => turn.parts);
  const isResult = ({ kind }: Part) => kind === 'result';
  return {
    ...first,
    index: others.at(-1)?.index ?? -1,
    parts: [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))],
  };
}

/** The conversation does not end with white space of the model. */
export function trimEnd(draft: Draft): void {
  const { format, strict, turns } = draft;
  const last = turns.at(-1);
  const part = last?.parts.filter(({ slot }) => slot !== '').at(-1);
  if (format.name !== 'anthropic' && !strict) return;
  if (last?.role !== 'assistant' || part?.kind !== 'text' || part.text === undefined) return;
  const text = part.text.trimEnd();
  if (text === part.text) return;
  draft.notes.push({
    remedy: { kind: 'fix-messages', problem: 'trailing-space' },
    at: part.at,
    problem: 'the last message of the model ends with white space',
    change: 'removed white space at the end of the last message',
  });
  const raw = typeof part.raw === 'string' ? text : withFields(fieldsOf(part.raw), { text });
  const parts = last.parts.flatMap((one): Part[] => {
    if (one !== part) return [one];
    return text === '' ? [] : [{ ...part, raw, text }];
  });
  const trimmed = withParts(last, parts);
  draft.turns = [...turns.slice(0, -1), ...(trimmed === undefined ? [] : [trimmed])];
}

/** The conversation ends with the user, who asks the model to go on. */
export function endWithUser(draft: Draft): void {
  // Calls that wait for their results would not be answered by words of the user.
  if (draft.turns.at(-1)?.parts.some(({ kind }) => kind === 'call')) pairToolCalls(draft);
  const last = draft.turns.at(-1);
  if (last?.role !== 'assistant') return;
  const change = 'added a message of the user at the end';
  draft.notes.push({ remedy: { kind: 'end-with-user' }, at: last.at, change });
  draft.turns = [...draft.turns, newTurn('user', [textPart(draft.format, 'user', GO_ON)])];
}

/** Adds words of the user at the end: to a last message of the user, or as one more. */
export function addUserWords(draft: Draft, text: string): void {
  const { format, turns } = draft;
  const last = turns.at(-1);
  if (last?.parts.at(-1)?.text === text) return;
  draft.notes.push({
    remedy: { kind: 'ask-again', because: 'invalid-output' },
    at: last?.at ?? format.key(draft.request),
    change: 'added what was wrong with the answer',
  });
  const part = textPart(format, 'user', text);
  draft.turns =
    last?.role === 'user' && !last.isWhole && last.parts.every(({ slot }) => slot !== '')
      ? [...turns.slice(0, -1), { ...last, parts: [...last.parts, part] }]
      : [...turns, newTurn('user', [part])];
}
