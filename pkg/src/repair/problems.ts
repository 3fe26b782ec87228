/** Finds the problems of a conversation before it is sent, and repairs them. */

import type { Remedy } from '../classify/remedy.js';
import type { Draft, RequestFormat } from './conversation.js';
import { draftOf, outcome } from './draft.js';
import { dropEmpty, fixOrder, trimEnd } from './messages.js';
import { pairToolCalls } from './pairing.js';
import { fixReasoning } from './reasoning.js';

/** Settings of {@link findProblems} and {@link repairConversation}. */
export interface ConversationOptions {
  /** Default: recognised by the request's fields. */
  format?: RequestFormat | undefined;
  /** The model that is called, if the request does not name it. Its provider's signatures are kept, those of others are not. */
  model?: string | undefined;
}

/** Something in a conversation that its provider refuses. */
export interface ConversationProblem {
  /** The remedy for it. */
  remedy: Remedy;
  /** Its path: `messages[3].content[0]`. */
  at: string;
  /** The problem, for developers. Without content of the conversation. */
  problem: string;
}

/** A changed request. */
export interface RepairedRequest<R> {
  /** The request; what no change concerns is the same object. */
  request: R;
  /** The changes, without content: "added a result for tool call call_7". */
  changes: readonly string[];
}

/** A repair may make another one necessary, twice at most; the rest is a margin. */
const ROUNDS = 5;

/** Repairs all that is known to be refused. */
function repair(draft: Draft): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = draft.notes.length;
    pairToolCalls(draft);
    fixReasoning(draft);
    trimEnd(draft);
    dropEmpty(draft);
    fixOrder(draft);
    if (draft.notes.length === before) return;
  }
}

/**
 * Returns what is wrong with a conversation: tool calls without results, results without calls, empty messages, the order of
 * roles, white space at the end, and reasoning that a model of another provider has signed, where `model` or the request says
 * which one is called. It reports what the providers document that they refuse. Never throws.
 *
 * @param request The body of a request, or the options of a call of the AI SDK.
 * @returns The problems in no particular order; empty for a conversation that is sound, and for what is no conversation.
 *
 * @example
 * const messages = [
 *   { role: 'user', content: 'How is the weather in Bern?' },
 *   { role: 'assistant', content: null, tool_calls: [{ id: 'call_7', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
 * ];
 *
 * findProblems({ model: 'gpt-5', messages })[0]?.problem; // 'tool call call_7 has no result'
 */
export function findProblems(
  request: object,
  options: ConversationOptions = {},
): readonly ConversationProblem[] {
  try {
    const draft = draftOf(request, options ?? {});
    if (draft === undefined) return [];
    repair(draft);
    return draft.notes.flatMap(({ remedy, at, problem }) =>
      problem === undefined ? [] : [{ remedy, at, problem }],
    );
  } catch {
    return []; // a getter or a proxy of the request threw
  }
}

/**
 * Repairs a conversation before it is sent: all that {@link findProblems} finds. Nothing that the user or the model said is
 * lost, and the request that is given is not altered. Never throws.
 *
 * @param request The body of a request, or the options of a call of the AI SDK.
 * @returns The repaired request and what was done; the very same request, and no changes, if it is sound.
 *
 * @example
 * const stored = {
 *   model: 'gpt-5',
 *   messages: [
 *     { role: 'user', content: 'How is the weather in Bern?' },
 *     { role: 'assistant', content: null, tool_calls: [{ id: 'call_7', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
 *   ],
 * };
 *
 * repairConversation(stored).changes; // ['added a result for tool call call_7']
 */
export function repairConversation<R extends object>(
  request: R,
  options: ConversationOptions = {},
): RepairedRequest<R> {
  try {
    const draft = draftOf(request, options ?? {});
    if (draft === undefined) return { request, changes: [] };
    repair(draft);
    return outcome<R>(draft) ?? { request, changes: [] };
  } catch {
    return { request, changes: [] };
  }
}

/**
 * A call of the AI SDK's model without the reasoning that only models of other providers can read, and with what this one must
 * have at its index. The very same call if it is sound. Never throws.
 */
export function readableBy<R extends object>(request: R, model: string): R {
  try {
    const draft = draftOf(request, { format: 'ai-sdk', model });
    if (draft === undefined) return request;
    fixReasoning(draft);
    return outcome<R>(draft)?.request ?? request;
  } catch {
    return request;
  }
}
