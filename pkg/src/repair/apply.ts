/** A remedy, applied to a request. */

import type { Remedy, RemedyKind } from '../classify/remedy.js';
import { type Draft, mapParts, type RequestFormat } from './conversation.js';
import { fieldsOf, isFields } from './copy.js';
import { type DraftOptions, draftOf, outcome } from './draft.js';
import { feedback } from './feedback.js';
import { dropMedia } from './media.js';
import { addUserWords, dropEmpty, endWithUser, fixOrder, trimEnd } from './messages.js';
import { renameCalls, renameTools } from './names.js';
import { pairToolCalls } from './pairing.js';
import { type Changed, dropParameter, outputLimitOf, renameParameter, setParameter } from './parameters.js';
import type { RepairedRequest } from './problems.js';
import { fixReasoning, withoutItemId } from './reasoning.js';

/** Settings of {@link applyRemedy}. */
export interface ApplyRemedyOptions<R> {
  /** Default: recognised by the request's fields. */
  format?: RequestFormat | undefined;
  /** Shortens a conversation that is too long. Without it the remedy `shorten` cannot be applied. */
  shorten?: ((request: R, need: { limit?: number | undefined; sent?: number | undefined }) => R) | undefined;
}

/**
 * Changes a request as a remedy asks, after a provider has refused it. The request that is given is not altered, and what the
 * remedy does not concern is the same object.
 *
 * @param request The body of a request, or the options of a call of the AI SDK.
 * @param remedy What has to change: `AgentError.remedy`.
 * @returns The changed request and what was done. `undefined` if nothing would change, or if the remedy cannot be applied to a
 * request: `other-model`, `new-session`, `shorten` without a function, `ask-again` because of an empty answer.
 * @throws Only what `shorten` throws.
 *
 * @example
 * const request = { model: 'gpt-5', temperature: 0.2, messages: [{ role: 'user', content: 'Hello' }] };
 *
 * applyRemedy(request, { kind: 'drop-parameter', name: 'temperature' })?.changes; // ['removed `temperature`']
 */
export function applyRemedy<R extends object>(
  request: R,
  remedy: Remedy,
  options: ApplyRemedyOptions<R> = {},
): RepairedRequest<R> | undefined {
  let shortening: Extract<Remedy, { kind: 'shorten' }>;
  try {
    if (!isFields(request) || typeof remedy !== 'object' || remedy === null) return undefined;
    if (remedy.kind !== 'shorten') return applied(request, remedy, options ?? {});
    shortening = remedy;
  } catch {
    return undefined; // a getter or a proxy of the request threw
  }
  return shortened(request, shortening, options ?? {});
}

/** The request, changed as any remedy but `shorten` asks. */
export function applied<R extends object>(
  request: R,
  remedy: Remedy,
  options: DraftOptions,
): RepairedRequest<R> | undefined {
  return edited(request, options, (draft) => apply(draft, remedy));
}

/** The request after a change of its draft; `undefined` for what is no request, and if nothing has changed. */
export function edited<R extends object>(
  request: R,
  { format, model }: DraftOptions,
  edit: (draft: Draft) => void,
): RepairedRequest<R> | undefined {
  const draft = draftOf(request, { format, model, strict: true });
  if (draft === undefined) return undefined;
  edit(draft);
  return outcome<R>(draft);
}

function shortened<R extends object>(
  request: R,
  { limit, sent }: { limit?: number | undefined; sent?: number | undefined },
  { shorten }: ApplyRemedyOptions<R>,
): RepairedRequest<R> | undefined {
  if (typeof shorten !== 'function') return undefined;
  const next: unknown = shorten(request, {
    ...(limit !== undefined && { limit }),
    ...(sent !== undefined && { sent }),
  });
  if (typeof next !== 'object' || next === null || next === request) return undefined;
  return { request: next as R, changes: ['shortened the conversation'] };
}

type Kinds = { [K in RemedyKind]?: (draft: Draft, remedy: Extract<Remedy, { kind: K }>) => void };

/** How each kind is applied. `shorten` is the application's; the others that are missing need another model or session. */
const KINDS: Kinds = {
  'pair-tool-calls': (draft, { ids }) => pairToolCalls(draft, Array.isArray(ids) ? ids : []),
  'fix-reasoning': fixReasoning,
  'fix-messages': (draft, { problem }) => MESSAGES[problem]?.(draft),
  'end-with-user': endWithUser,
  'drop-parameter': (draft, remedy) =>
    take(draft, remedy, dropParameter(draft.request, String(remedy.name), draft.format)),
  'rename-parameter': (draft, remedy) =>
    take(draft, remedy, renameParameter(draft.request, String(remedy.from), String(remedy.to), draft.format)),
  'set-parameter': (draft, remedy) =>
    take(draft, remedy, setParameter(draft.request, String(remedy.name), remedy.value, draft.format)),
  'raise-output-limit': (draft, remedy) => {
    const { request, format } = draft;
    const limit = outputLimitOf(request, format);
    if (limit !== undefined) take(draft, remedy, setParameter(request, limit.name, limit.value * 2, format));
  },
  'drop-media': dropMedia,
  'rename-calls': renameCalls,
  'rename-tools': renameTools,
  'resend-history': dropReferences,
  'ask-again': (draft, { because }) => {
    const text = because === 'empty' ? undefined : feedback(because);
    if (text !== undefined) addUserWords(draft, text);
  },
};

const MESSAGES = { empty: dropEmpty, order: fixOrder, 'trailing-space': trimEnd };

function apply(draft: Draft, remedy: Remedy): void {
  if (Object.hasOwn(KINDS, remedy.kind))
    (KINDS[remedy.kind] as (draft: Draft, remedy: Remedy) => void)(draft, remedy);
}

function take(draft: Draft, remedy: Remedy, next: Changed | undefined): void {
  if (next === undefined) return;
  draft.request = next.request;
  draft.notes.push({ remedy, at: '', change: next.change });
}

/** References to items that OpenAI has not stored. A conversation that is stored there cannot be sent from here. */
function dropReferences(draft: Draft): void {
  const { format, request } = draft;
  const openai = fieldsOf(fieldsOf(request.providerOptions).openai);
  const isStored = [
    request.previous_response_id,
    request.conversation,
    openai.previousResponseId,
    openai.conversation,
  ];
  if (isStored.some((id) => id !== undefined && id !== null)) return;
  const note = (at: string) =>
    draft.notes.push({
      remedy: { kind: 'resend-history' },
      at,
      change: 'removed a reference to an item that is not stored',
    });
  draft.turns = mapParts(draft.turns, (part) => {
    const isReference = format.results === 'items' && fieldsOf(part.raw).type === 'item_reference';
    const raw = format.name === 'ai-sdk' ? withoutItemId(part.raw) : part.raw;
    if (!isReference && raw === part.raw) return part;
    note(part.at);
    // The SDK would send reasoning as a reference alone.
    return isReference || part.kind === 'reasoning' ? [] : { ...part, raw };
  });
  if (draft.notes.length > 0) pairToolCalls(draft);
}
