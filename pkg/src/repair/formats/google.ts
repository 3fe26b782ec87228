/** Google's generateContent, as REST and as `@google/genai` take it. Source: https://ai.google.dev/api/generate-content */

import type { Format } from '../conversation.js';
import { type Fields, fieldsOf, isFields, textOf, withFields } from '../copy.js';

/** The name of a field as this object writes it: REST takes `function_call` too. */
export function spelled(fields: Fields, name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return fields[name] === undefined && fields[snake] !== undefined ? snake : name;
}

const read = (fields: Fields, name: string) => fields[spelled(fields, name)];

export const google: Format = {
  name: 'google',
  signer: 'google',
  results: 'user',
  content: 'parts',
  alternates: true,
  key: () => 'contents',
  role({ role }) {
    if (role === 'model') return 'assistant';
    // 'function' is the role that results had at first. A request with one message may leave it out.
    return role === 'user' || role === 'function' || role === undefined ? 'user' : 'other';
  },
  roleName: (role) => (role === 'assistant' ? 'model' : 'user'),
  part(raw) {
    if (typeof raw === 'string') return { kind: 'text', text: raw };
    const fields = fieldsOf(raw);
    const call = read(fields, 'functionCall');
    if (isFields(call)) return { kind: 'call', id: textOf(call.id), name: textOf(call.name) };
    const result = read(fields, 'functionResponse');
    if (isFields(result)) {
      const key = spelled(fields, 'functionResponse');
      return { kind: 'result', id: textOf(result.id), name: textOf(result.name), media: `${key}.parts` };
    }
    if (fields.thought === true) return { kind: 'reasoning', text: textOf(fields.text) };
    if (isFields(read(fields, 'inlineData')) || isFields(read(fields, 'fileData'))) return { kind: 'media' };
    return typeof fields.text === 'string' ? { kind: 'text', text: fields.text } : { kind: 'other' };
  },
  text: (_, text) => ({ text }),
  result: ({ id, name }, error) => ({
    functionResponse: { ...(id !== undefined && { id }), name, response: { error } },
  }),
  renamed({ kind, raw }, changes) {
    const fields = fieldsOf(raw);
    const key = spelled(fields, kind === 'call' ? 'functionCall' : 'functionResponse');
    return withFields(fields, { [key]: withFields(fieldsOf(fields[key]), changes) });
  },
};
