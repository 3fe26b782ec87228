/** OpenAI's Chat Completions, and the many that speak it. Source: https://platform.openai.com/docs/api-reference/chat */

import type { Format, Part, Role } from '../conversation.js';
import { fieldsOf, isFields, textOf, withFields } from '../copy.js';

const KINDS: Readonly<Record<string, Part['kind']>> = {
  text: 'text',
  image_url: 'media',
  input_audio: 'media',
  video_url: 'media',
  file: 'media',
  thinking: 'reasoning', // Mistral
};

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Where DeepSeek, OpenRouter and LiteLLM put reasoning. */
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'];

export const openaiChat: Format = {
  name: 'openai-chat',
  results: 'tool',
  content: 'content',
  alternates: false,
  key: () => 'messages',
  role: ({ role }) => ROLES[String(role)] ?? 'other',
  roleName: (role) => role,
  part(raw) {
    const { type, text } = fieldsOf(raw);
    return { kind: KINDS[String(type)] ?? 'other', text: textOf(text) };
  },
  whole: ({ role, tool_call_id }) =>
    role === 'tool' ? { kind: 'result', id: textOf(tool_call_id), media: 'content' } : undefined,
  more(message, at) {
    const { tool_calls: calls } = message;
    const parts: Part[] = [];
    for (const slot of REASONING) {
      const raw = message[slot];
      const isThere = raw !== undefined && raw !== null && raw !== '';
      if (isThere) parts.push({ kind: 'reasoning', raw, at: `${at}.${slot}`, slot });
    }
    for (const field of ['refusal', 'audio', 'function_call']) {
      const raw = message[field];
      if (raw !== undefined && raw !== null)
        parts.push({ kind: 'other', raw, at: `${at}.${field}`, slot: '' });
    }
    if (!Array.isArray(calls)) return parts;
    const read = calls.map((raw, index): Part => {
      const { id, function: called, custom } = fieldsOf(raw);
      const { name } = fieldsOf(called ?? custom);
      const place = { raw, at: `${at}.tool_calls[${index}]`, slot: 'tool_calls' };
      return { kind: isFields(raw) ? 'call' : 'other', id: textOf(id), name: textOf(name), ...place };
    });
    return [...parts, ...read];
  },
  text: (_, text) => ({ type: 'text', text }),
  result: ({ id }, content) => ({ role: 'tool', tool_call_id: id, content }),
  renamed({ kind, raw }, { id, name }) {
    const fields = fieldsOf(raw);
    if (kind === 'result') {
      const isNamed = name !== undefined && fields.name !== undefined;
      return withFields(fields, { ...(id !== undefined && { tool_call_id: id }), ...(isNamed && { name }) });
    }
    const called = isFields(fields.custom) ? 'custom' : 'function';
    return withFields(fields, {
      ...(id !== undefined && { id }),
      ...(name !== undefined && { [called]: withFields(fieldsOf(fields[called]), { name }) }),
    });
  },
};
