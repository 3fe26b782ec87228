/** Anthropic's Messages API. Source: https://docs.claude.com/en/api/messages */

import type { Format } from '../conversation.js';
import { fieldsOf, textOf, withFields } from '../copy.js';

const KINDS: Readonly<Record<string, 'reasoning' | 'media'>> = {
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
  image: 'media',
  document: 'media',
};

export const anthropic: Format = {
  name: 'anthropic',
  signer: 'anthropic',
  results: 'user',
  content: 'content',
  alternates: true,
  key: () => 'messages',
  role: ({ role }) => (role === 'user' || role === 'assistant' ? role : 'other'),
  roleName: (role) => role,
  part(raw) {
    const { type, id, name, tool_use_id, text } = fieldsOf(raw);
    if (type === 'text') return { kind: 'text', text: textOf(text) };
    if (type === 'tool_use') return { kind: 'call', id: textOf(id), name: textOf(name) };
    if (type === 'tool_result') return { kind: 'result', id: textOf(tool_use_id), media: 'content' };
    return { kind: KINDS[String(type)] ?? 'other' };
  },
  text: (_, text) => ({ type: 'text', text }),
  result: ({ id }, content) => ({ type: 'tool_result', tool_use_id: id, content, is_error: true }),
  renamed: ({ kind, raw }, { id, name }) =>
    withFields(fieldsOf(raw), {
      ...(id !== undefined && { [kind === 'call' ? 'id' : 'tool_use_id']: id }),
      ...(name !== undefined && kind === 'call' && { name }),
    }),
};
