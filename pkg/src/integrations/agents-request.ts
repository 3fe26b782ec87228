/** A request of the OpenAI Agents SDK, seen as one of OpenAI's Responses, so that it can be repaired. */

import { fieldsOf, isFields, withFields } from '../repair/copy.js';
import type { View } from '../repair/mended.js';

/** The fields of a request that are read and written: https://openai.github.io/openai-agents-js/openai/agents-core/type-aliases/modelrequest/. */
export interface AgentsRequest {
  readonly input?: unknown;
  readonly tools?: unknown;
  readonly modelSettings?: unknown;
}

/** The fields of `modelSettings` that have another name in Responses. */
const SETTINGS = { maxTokens: 'max_output_tokens' } as const;

/** The items of a call's history: `callId` is `call_id` in Responses. */
const CALL = /^(function|computer|shell|apply_patch)_call(_result|_output)?$/;

/** A view that gives back the very items that it was read from. */
export function agentsView<R extends AgentsRequest>(): View<R> {
  const originals = new WeakMap<object, object>();
  return {
    read({ input, tools, modelSettings }) {
      const items = Array.isArray(input) ? input.map((item) => seen(item, originals)) : input;
      const { maxTokens, ...settings } = fieldsOf(modelSettings);
      const limit = maxTokens === undefined ? {} : { [SETTINGS.maxTokens]: maxTokens };
      return { ...settings, ...limit, input: items, tools };
    },
    write(request, changed) {
      const { input, tools, max_output_tokens: maxTokens, ...settings } = changed as Record<string, unknown>;
      const limit = maxTokens === undefined ? {} : { maxTokens };
      const items = Array.isArray(input)
        ? input.map((item, _, all) => originals.get(item as object) ?? asItem(item, all))
        : input;
      return withFields(request, {
        input: items,
        tools,
        ...(isFields(request.modelSettings) && { modelSettings: { ...settings, ...limit } }),
      });
    },
  };
}

function seen(item: unknown, originals: WeakMap<object, object>): unknown {
  const { type, callId } = fieldsOf(item);
  const [, kind, result] = CALL.exec(String(type)) ?? [];
  if (!isFields(item) || kind === undefined) return item;
  const names = { type: `${kind}_call${result === undefined ? '' : '_output'}`, callId: undefined };
  const made = withFields(item, { ...names, call_id: callId });
  originals.set(made, item);
  return made;
}

/** An item that a repair has made or changed. */
function asItem(item: unknown, all: readonly unknown[]): unknown {
  const { type, call_id: callId } = fieldsOf(item);
  const [, kind, result] = CALL.exec(String(type)) ?? [];
  if (!isFields(item) || kind === undefined) return item;
  const names = { call_id: undefined, callId };
  if (result === undefined) return withFields(item, names);
  const call = all.find((one) => fieldsOf(one).call_id === callId && one !== item);
  const { name = fieldsOf(call).name, status = 'completed' } = item;
  return withFields(item, { ...names, type: `${kind}_call_result`, name, status });
}
