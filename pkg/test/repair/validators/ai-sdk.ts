/**
 * The prompts that the AI SDK itself refuses (MissingToolResultsError), and those whose requests providers refuse.
 * https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-missing-tool-results-error
 */
import { type Any, repeated } from '../../../src/rehearse/rules/shared.js';

export function refusedByAiSdk(request: Any): string | undefined {
  const messages: Any[] = request.messages ?? request.prompt;
  if (messages.length === 0) return 'messages must not be empty';
  let open: string[] = [];
  for (const { role, content } of messages) {
    if (role === 'tool') {
      const ids = content.map(({ toolCallId }: Any) => toolCallId);
      if (repeated(ids) || ids.some((id: string) => !open.includes(id)))
        return 'a tool result without a tool call';
      open = open.filter((id) => !ids.includes(id));
      if (content.length === 0) return 'an empty message';
      continue;
    }
    if (open.length > 0) return `Tool results are missing for tool calls ${open.join(', ')}`;
    if (content.length === 0) return 'an empty message';
    if (Array.isArray(content) && content.some(({ type, text }: Any) => type === 'text' && text === ''))
      return 'an empty text';
    open =
      role === 'assistant' && Array.isArray(content)
        ? content.filter(({ type }: Any) => type === 'tool-call').map(({ toolCallId }: Any) => toolCallId)
        : [];
  }
  if (open.length > 0) return `Tool results are missing for tool calls ${open.join(', ')}`;
  const isClaude = /claude/.test(request.model?.modelId ?? '');
  return isClaude && messages.find(({ role }) => role !== 'system')?.role !== 'user'
    ? 'first message must use the "user" role'
    : undefined;
}
