/**
 * The requests that OpenAI's Chat Completions refuse, in its words.
 * https://platform.openai.com/docs/api-reference/chat/create, https://platform.openai.com/docs/guides/function-calling
 */
import { type Any, repeated } from './shared.js';

export function refusedByOpenai(request: Any): string | undefined {
  const messages: Any[] = request.messages;
  if (messages.length === 0) return "Invalid 'messages': empty array";
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (role === 'tool') {
      if (!open.includes(id)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) return missing(open);
    if (calls !== undefined && calls.length === 0) return `[] is too short - 'messages.${index}.tool_calls'`;
    const hasContent =
      typeof content === 'string' ? content !== '' : Array.isArray(content) && content.length > 0;
    if (!hasContent && calls === undefined)
      return `Invalid value for 'content': messages.[${index}] has none`;
    open = (calls ?? []).map((call: Any) => call.id);
    if (repeated(open)) return 'duplicate ids';
  }
  return open.length > 0 ? missing(open) : undefined;
}

const missing = (ids: readonly string[]) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;

/**
 * The requests that only the chat templates of vLLM and Mistral refuse. https://docs.mistral.ai/capabilities/completion
 */
export function refusedByTemplate({ messages }: Any): string | undefined {
  const spoken = messages.filter(({ role }: Any) => role !== 'system');
  if (spoken[0]?.role !== 'user')
    return 'Conversation roles must alternate user/assistant/user/assistant/...';
  const isBad = spoken.some(({ role }: Any, index: number) => {
    const next = spoken[index + 1]?.role;
    return (role === next && role !== 'tool') || (role === 'tool' && next === 'user');
  });
  return isBad ? 'Conversation roles must alternate user/assistant/user/assistant/...' : undefined;
}
