/**
 * The requests that OpenAI's Responses refuse, in its words.
 * https://platform.openai.com/docs/api-reference/responses/create, https://platform.openai.com/docs/guides/reasoning
 */
import type { Any } from './shared.js';

export function refusedByResponses({ input }: Any): string | undefined {
  const items: Any[] = input;
  if (items.length === 0) return 'input: empty';
  const calls = new Set<string>();
  const outputs = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === 'function_call') {
      calls.add(item.call_id);
    }
    if (item.type === 'function_call_output') {
      if (!calls.has(item.call_id))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
      if (outputs.has(item.call_id)) return `Duplicate output for ${item.call_id}.`;
      outputs.add(item.call_id);
    }
    if (item.type === 'reasoning') {
      const next = items[index + 1];
      if (next?.type !== 'function_call' && next?.role !== 'assistant') {
        return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
      }
    }
    if (item.role !== undefined && (item.content === '' || item.content.length === 0))
      return `input[${index}]: empty`;
  }
  const missing = [...calls].find((id) => !outputs.has(id));
  return missing === undefined ? undefined : `No tool output found for function call ${missing}.`;
}
