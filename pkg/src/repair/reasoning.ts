/**
 * Reasoning and its signatures. A signature is good for the models of one provider only, and each provider has rules of its
 * own for when reasoning must come back: see the functions.
 */

import { type Draft, mapParts, type Part, type Signer, type Turn } from './conversation.js';
import { type Fields, fieldsOf, isFields, textOf, withFields } from './copy.js';
import { providersOf, signerOf } from './formats/ai-sdk.js';
import { spelled } from './formats/google.js';

/** https://ai.google.dev/gemini-api/docs/thought-signatures: "to skip validation", for a history without signatures. */
const PLACEHOLDER = 'skip_thought_signature_validator';

const REMEDY = { kind: 'fix-reasoning' } as const;

/** Removes reasoning that the model cannot read, and supplies what it must have. */
export function fixReasoning(draft: Draft): void {
  if (draft.strict) signCalls(draft, true);
  else dropForeign(draft);
  if (draft.strict) dropAll(draft);
  if (!draft.strict && /gemini-(?:[3-9]|\d\d)/.test(draft.model)) signCalls(draft, false);
  if (draft.format.name === 'anthropic' || draft.format.name === 'ai-sdk') thinkingOff(draft);
}

/** Reasoning that says, or shows by its place, that another provider's model has signed it. */
function dropForeign(draft: Draft): void {
  const { format, callee, turns } = draft;
  const foreign = (part: Part): string | undefined => {
    if (part.kind === 'reasoning') {
      const fault = faultOf(part, draft);
      if (fault !== undefined) return fault;
    }
    const signer = signedBy(part, draft);
    const isForeign = signer !== undefined && callee !== undefined && signer !== callee;
    return isForeign ? `reasoning that a model of another provider has signed` : undefined;
  };
  const changed = mapParts(turns, (part) => {
    const problem = foreign(part);
    if (problem === undefined) return part;
    draft.notes.push({ remedy: REMEDY, at: part.at, problem, change: removal(part, format.name) });
    return part.kind === 'reasoning' ? [] : { ...part, raw: withoutSignature(part) };
  });
  const isItems = format.results === 'items';
  const isForeignOwner = callee !== undefined && callee !== 'openai';
  draft.turns = isItems
    ? withoutDangling(draft, isForeignOwner ? withoutIds(changed, turns) : changed)
    : changed;
}

const removal = ({ kind, id }: Part, _format: string) =>
  kind === 'reasoning' ? 'removed reasoning' : `removed the signature of tool call ${id ?? ''}`.trimEnd();

/** Anthropic: a block of thinking needs its signature. https://docs.claude.com/en/docs/build-with-claude/extended-thinking */
function faultOf({ raw }: Part, { format }: Draft): string | undefined {
  if (format.name !== 'anthropic') return undefined;
  const { type, signature, data } = fieldsOf(raw);
  const seal = type === 'thinking' ? signature : data;
  if (typeof seal !== 'string' || seal === '') return 'thinking without a signature';
  // OpenAI's and Azure's encrypted reasoning is a Fernet token.
  return seal.startsWith('gAAAA') ? 'reasoning that a model of another provider has signed' : undefined;
}

function signedBy(part: Part, { format }: Draft): Signer | undefined {
  const raw = fieldsOf(part.raw);
  if (format.name === 'google')
    return signatureOf(part) !== undefined || raw.thought === true ? 'google' : undefined;
  if (format.name === 'openai-chat') return signedInChat(part);
  if (part.kind !== 'reasoning') return undefined;
  return format.name === 'ai-sdk' ? signerOf(raw) : format.signer;
}

/** OpenRouter names the format of encrypted reasoning, LiteLLM has Anthropic's blocks, Google's own endpoint signs calls. */
function signedInChat({ slot, raw, kind }: Part): Signer | undefined {
  if (kind === 'call') return signatureInChat(raw) === undefined ? undefined : 'google';
  if (slot === 'thinking_blocks') return 'anthropic';
  if (slot !== 'reasoning_details' || !Array.isArray(raw)) return undefined;
  const formats = raw.map((detail) => textOf(fieldsOf(detail).format) ?? '');
  const signers = { anthropic: 'anthropic', google: 'google', openai: 'openai', azure: 'openai' } as const;
  const prefix = formats
    .map((name) => /^[a-z]+/.exec(name)?.[0] ?? '')
    .find((name) => Object.hasOwn(signers, name));
  return prefix === undefined ? undefined : signers[prefix as keyof typeof signers];
}

const signatureInChat = (raw: unknown) =>
  fieldsOf(fieldsOf(fieldsOf(raw).extra_content).google).thought_signature;

/** Gemini's signature of a part. */
function signatureOf({ raw }: Part): unknown {
  const fields = fieldsOf(raw);
  return fields[spelled(fields, 'thoughtSignature')];
}

function withoutSignature({ raw }: Part): unknown {
  const fields = fieldsOf(raw);
  if (signatureInChat(raw) !== undefined) return withSignatureInChat(fields, undefined);
  return withFields(fields, { [spelled(fields, 'thoughtSignature')]: undefined });
}

function withSignatureInChat(fields: Fields, thought_signature: string | undefined): Fields {
  const extra = fieldsOf(fields.extra_content);
  const google = withFields(fieldsOf(extra.google), { thought_signature });
  return withFields(fields, { extra_content: withFields(extra, { google }) });
}

/** A reasoning item must be followed by its outcome: "was provided without its required following item". */
function withoutDangling(draft: Draft, turns: readonly Turn[]): readonly Turn[] {
  const isReasoning = (turn: Turn | undefined) => turn?.parts[0]?.kind === 'reasoning';
  const kept: Turn[] = [];
  for (const turn of [...turns].reverse()) {
    const next = kept.at(-1);
    const isFollowed = next !== undefined && (next.role === 'assistant' || next.role === 'other');
    if (!isReasoning(turn) || isFollowed) kept.push(turn);
    else {
      const problem = 'reasoning without the item that followed it';
      draft.notes.push({ remedy: REMEDY, at: turn.at, problem, change: 'removed reasoning' });
    }
  }
  return kept.length === turns.length ? turns : kept.reverse();
}

/** Items of the model remember the reasoning before them by their ids. Without it they must be new. */
function withoutIds(turns: readonly Turn[], before: readonly Turn[]): readonly Turn[] {
  if (turns.length === before.length) return turns;
  return turns.map(withoutId);
}

function withoutId(turn: Turn): Turn {
  const raw = fieldsOf(turn.raw);
  if (turn.role !== 'assistant' || raw.id === undefined) return turn;
  const plain = withFields(raw, { id: undefined });
  if (!turn.isWhole) return { ...turn, raw: plain, read: [], parts: turn.parts };
  return { ...turn, parts: turn.parts.map((part) => ({ ...part, raw: plain })) };
}

/** A provider has refused the reasoning and does not say which: all of it goes, with what belongs to it. */
function dropAll(draft: Draft): void {
  const { format } = draft;
  const before = draft.turns;
  draft.turns = mapParts(before, (part) => {
    if (part.kind === 'reasoning' || isReasoningReference(part)) {
      draft.notes.push({ remedy: REMEDY, at: part.at, change: 'removed reasoning' });
      return [];
    }
    const raw = format.name === 'ai-sdk' ? withoutItemId(part.raw) : part.raw;
    if (raw === part.raw) return part;
    draft.notes.push({ remedy: REMEDY, at: part.at, change: 'removed the id of an item' });
    return { ...part, raw };
  });
  if (format.results === 'items') {
    draft.turns = draft.turns.map((turn) => {
      const plain = withoutId(turn);
      if (plain !== turn)
        draft.notes.push({ remedy: REMEDY, at: turn.at, change: 'removed the id of an item' });
      return plain;
    });
  }
  const isDeepSeek = format.name === 'openai-chat' && /deepseek/.test(draft.model);
  const isOff = fieldsOf(draft.request.thinking).type === 'disabled';
  const hasCalls = draft.turns.some(({ parts }) => parts.some(({ kind }) => kind === 'call'));
  if (!isDeepSeek || isOff || !hasCalls) return;
  // https://api-docs.deepseek.com/guides/thinking_mode: a turn with calls must bring its reasoning_content back.
  draft.request = withFields(draft.request, { thinking: { type: 'disabled' } });
  draft.notes.push({ remedy: REMEDY, at: 'thinking', change: 'turned thinking off' });
}

function isReasoningReference({ raw }: Part): boolean {
  const { type, id } = fieldsOf(raw);
  return type === 'item_reference' && typeof id === 'string' && id.startsWith('rs_');
}

/** Without the id of an item at OpenAI, by which the SDK would refer to it. */
export function withoutItemId(raw: unknown): unknown {
  const [field, providers] = providersOf(raw) ?? [];
  const names = Object.keys(providers ?? {}).filter(
    (name) => fieldsOf(providers?.[name]).itemId !== undefined,
  );
  if (field === undefined || providers === undefined || names.length === 0) return raw;
  const plain = names.map((name) => [name, withFields(fieldsOf(providers[name]), { itemId: undefined })]);
  return withFields(fieldsOf(raw), { [field]: withFields(providers, Object.fromEntries(plain)) });
}

/**
 * Gemini 3 wants a signature at the first call of each step. If it is missing, its documented placeholder does; where all
 * are there and a provider has refused them, the placeholder replaces them.
 */
function signCalls(draft: Draft, isRefused: boolean): void {
  const sign = signing(draft);
  if (sign === undefined) return;
  const { turns } = draft;
  const isUsers = ({ role, parts }: Turn) => role === 'user' && parts.some(({ kind }) => kind !== 'result');
  // Only the present turn is checked: what came after the last words of the user.
  const start = isRefused ? 0 : turns.map(isUsers).lastIndexOf(true);
  const firsts = new Set(
    turns
      .slice(Math.max(start, 0))
      .flatMap(({ role, parts }) =>
        role === 'assistant' ? (parts.find(({ kind }) => kind === 'call') ?? []) : [],
      ),
  );
  const isMissing = (part: Part) => firsts.has(part) && sign.of(part) === undefined;
  const all = turns.flatMap(({ parts }) => parts);
  const areMissing = all.some(isMissing);
  const areReal = !all.some((part) => sign.of(part) === PLACEHOLDER);
  const mustReplace = (part: Part) => {
    const signature = sign.of(part);
    return isRefused && !areMissing && areReal && signature !== undefined;
  };
  draft.turns = mapParts(turns, (part) => {
    if (!isMissing(part) && !mustReplace(part)) return part;
    const name = part.id ?? part.name ?? '';
    const isCall = firsts.has(part);
    const change = isCall ? `set the placeholder signature of tool call ${name}` : 'removed a signature';
    draft.notes.push({ remedy: REMEDY, at: part.at, problem: `tool call ${name} has no signature`, change });
    return { ...part, raw: sign.with(part, isCall ? PLACEHOLDER : undefined) };
  });
}

interface Signing {
  of(part: Part): unknown;
  with(part: Part, signature: string | undefined): unknown;
}

/** How Gemini's signatures are written in a format; `undefined` where no model of Google is called. */
function signing({ format, model, request, turns }: Draft): Signing | undefined {
  const isGemini = /gemini/.test(model);
  if (format.name === 'google') {
    return {
      of: signatureOf,
      with({ raw }, signature) {
        const fields = fieldsOf(raw);
        return withFields(fields, { [spelled(fields, 'thoughtSignature')]: signature });
      },
    };
  }
  if (format.name === 'openai-chat' && isGemini) {
    return {
      of: ({ raw }) => signatureInChat(raw),
      with: ({ raw }, value) => withSignatureInChat(fieldsOf(raw), value),
    };
  }
  if (format.name !== 'ai-sdk') return undefined;
  const hasKey = (raw: unknown) => fieldsOf(providersOf(raw)?.[1]).google !== undefined;
  const isGoogle =
    isGemini || hasKey(request) || turns.some(({ parts }) => parts.some(({ raw }) => hasKey(raw)));
  if (!isGoogle) return undefined;
  return {
    of: ({ raw }) => fieldsOf(fieldsOf(providersOf(raw)?.[1]).google).thoughtSignature,
    with({ raw }, thoughtSignature) {
      const [field, providers] = providersOf(raw) ?? ['providerOptions', {}];
      const google = withFields(fieldsOf(providers.google), { thoughtSignature });
      return withFields(fieldsOf(raw), { [field]: withFields(providers, { google }) });
    },
  };
}

/**
 * Anthropic: with thinking on, the message whose tools were called last must begin with thinking. "Expected `thinking` or
 * `redacted_thinking`, but found `tool_use`". If that is gone, thinking is left out of this request.
 */
function thinkingOff(draft: Draft): void {
  const { format, request, turns, strict, notes } = draft;
  const isNative = format.name === 'anthropic';
  const options = fieldsOf(request.providerOptions);
  const own = isNative ? request : fieldsOf(options.anthropic);
  const thinking = fieldsOf(own.thinking);
  if (!isFields(own.thinking) || thinking.type === 'disabled') return;
  const last = turns.filter(({ role }) => role === 'assistant').at(-1);
  const isLoop = last?.parts.some(({ kind }) => kind === 'call') === true && endsWithResults(turns);
  const begins = last?.parts[0]?.kind === 'reasoning';
  const hasChanged = notes.some(({ remedy }) => remedy.kind === 'fix-reasoning');
  if (!isLoop || begins || !(strict || (hasChanged && thinking.type === 'enabled'))) return;
  if (strict && thinking.type !== 'enabled' && hasChanged) return; // adaptive thinking demands no block
  notes.push({
    remedy: REMEDY,
    at: isNative ? 'thinking' : 'providerOptions.anthropic.thinking',
    change: 'left out `thinking`',
  });
  if (isNative) draft.request = withFields(request, { thinking: undefined });
  else {
    const anthropic = withFields(own, { thinking: undefined });
    draft.request = withFields(request, { providerOptions: withFields(options, { anthropic }) });
  }
}

/** Returns `true` if the conversation ends with results of tools, or with the calls themselves. */
function endsWithResults(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last?.parts.some(({ kind }) => kind === 'result' || kind === 'call') === true;
}
