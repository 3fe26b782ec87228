/**
 * The requests that Anthropic's Messages API refuses, in its words.
 *
 * https://docs.claude.com/en/api/messages (roles, content), https://docs.claude.com/en/docs/agents-and-tools/tool-use (results
 * directly after their calls, and first in their message), https://docs.claude.com/en/docs/build-with-claude/extended-thinking
 * (signatures). The wordings are those of recorded errors; the alternation of roles is that of gateways and of the API before it
 * joined messages itself.
 */
import { type Any, isBlank, repeated } from './shared.js';

export function refusedByAnthropic(request: Any): string | undefined {
  const messages: Any[] = request.messages;
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const isLast = next === undefined;
    if (next?.role === message.role) {
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`;
    }
    const { content } = message;
    const blocks: Any[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (blocks.length === 0 || content === '') {
      if (!isLast || message.role !== 'assistant') {
        return 'messages: all messages must have non-empty content except for the optional final assistant message';
      }
      continue;
    }
    const fault = inBlocks(blocks, message.role);
    if (fault !== undefined) return `messages.${index}: ${fault}`;
    const results = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    const before: Any[] = Array.isArray(messages[index - 1]?.content) ? messages[index - 1].content : [];
    const calls = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
    }
    const orphan = results.find((id) => !calls.includes(id));
    if (orphan !== undefined)
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`;
    if (repeated(results)) return `messages.${index}: each tool_use must have a single result`;
    const own = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    if (isLast && own.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks`;
    if (isLast && message.role === 'assistant' && /\s$/.test(blocks.at(-1).text ?? '')) {
      return 'messages: final assistant content cannot end with trailing whitespace';
    }
  }
  return thinkingMissing(request);
}

function inBlocks(blocks: Any[], role: string): string | undefined {
  let isText = false;
  for (const { type, text, signature, content } of blocks) {
    if (type === 'text' && isBlank(text)) return 'text content blocks must be non-empty';
    if (type === 'tool_result') {
      if (isText) return '`tool_result` blocks must come first';
      const inner: Any[] = Array.isArray(content) ? content : [];
      if (inner.some((one) => one.type === 'text' && isBlank(one.text)))
        return 'text content blocks must be non-empty';
    } else isText = true;
    if (type === 'thinking' && (typeof signature !== 'string' || !/^Er/.test(signature))) {
      return 'Invalid `signature` in `thinking` block';
    }
    if ((type === 'tool_use' || type === 'thinking') && role !== 'assistant') return `unexpected ${type}`;
  }
  return undefined;
}

/** "Expected `thinking` or `redacted_thinking`, but found `tool_use`" for the message whose calls were answered last. */
function thinkingMissing({ thinking, messages }: Any): string | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  const last = messages.at(-1);
  const isLoop = Array.isArray(last.content) && last.content.some(({ type }: Any) => type === 'tool_result');
  const first = messages.at(-2)?.content?.[0]?.type;
  if (!isLoop || first === 'thinking' || first === 'redacted_thinking') return undefined;
  return `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\``;
}
