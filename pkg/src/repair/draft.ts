/** The beginning and the end of a repair: which conversation it is, and what has become of it. */

import type { Draft, RequestFormat, Signer } from './conversation.js';
import { turnsOf, written } from './conversation.js';
import { fieldsOf, isFields } from './copy.js';
import { formatOf } from './formats/recognise.js';

export interface DraftOptions {
  readonly format?: RequestFormat | undefined;
  readonly model?: string | undefined;
  readonly strict?: boolean | undefined;
}

const SIGNERS: readonly [Signer, RegExp][] = [
  ['anthropic', /claude|anthropic/],
  ['google', /gemini|google/],
  ['openai', /(?:^|[/.:])(?:gpt|o\d|chatgpt|codex|computer-use)|openai|azure/],
];

/** A conversation to repair; `undefined` for any other value. */
export function draftOf(
  request: unknown,
  { format: name, model, strict = false }: DraftOptions,
): Draft | undefined {
  if (!isFields(request)) return undefined;
  const format = formatOf(request, name);
  if (format === undefined) return undefined;
  const called = modelOf(request, model);
  const callee = SIGNERS.find(([, sign]) => sign.test(called))?.[0];
  const turns = turnsOf(request, format) ?? [];
  return { format, original: request, request, turns, notes: [], model: called, callee, strict };
}

/** The name of the model that is called, in lower case; '' where nothing says it. */
function modelOf(request: Record<string, unknown> | object, model: string | undefined): string {
  const own = fieldsOf(request).model;
  const { modelId, provider } = fieldsOf(own);
  const name = model ?? (typeof own === 'string' ? own : `${provider ?? ''}/${modelId ?? ''}`);
  return String(name).toLowerCase();
}

/** The repaired request, and what was done; `undefined` if nothing was. */
export function outcome<R extends object>(
  draft: Draft,
): { request: R; changes: readonly string[] } | undefined {
  const request = written(draft);
  if (request === draft.original || draft.notes.length === 0) return undefined;
  return { request: request as R, changes: [...new Set(draft.notes.map(({ change }) => change))] };
}
