/** OpenAI's Responses: a list of items. Source: https://platform.openai.com/docs/api-reference/responses/create */

import type { Format, Part, Role } from '../conversation.js';
import { type Fields, fieldsOf, textOf, withFields } from '../copy.js';

const KINDS: Readonly<Record<string, Part['kind']>> = {
  input_text: 'text',
  output_text: 'text',
  text: 'text',
  input_image: 'media',
  input_file: 'media',
  input_audio: 'media',
  computer_screenshot: 'media',
};

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

/** Calls that the application carries out. Those of hosted tools have no result beside them. */
const CALL = /^(?:function|custom_tool|computer|local_shell|shell|apply_patch)_call(_output)?$/;

const BLANK_PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

/** The forms of the results of some calls. */
const OUTPUTS: Readonly<Record<string, (text: string) => Fields>> = {
  computer_call: () => ({ output: { type: 'computer_screenshot', image_url: BLANK_PNG } }),
  shell_call: (stderr) => ({ output: [{ stdout: '', stderr, outcome: { type: 'exit', exit_code: 1 } }] }),
  apply_patch_call: (output) => ({ status: 'failed', output }),
};

function isMessage({ type, role }: Fields): boolean {
  return type === 'message' || (type === undefined && typeof role === 'string');
}

export const openaiResponses: Format = {
  name: 'openai-responses',
  signer: 'openai',
  results: 'items',
  content: 'content',
  alternates: false,
  key: () => 'input',
  role(item) {
    if (isMessage(item)) return ROLES[String(item.role)] ?? 'other';
    const call = CALL.exec(String(item.type));
    if (call === null) return item.type === 'reasoning' ? 'assistant' : 'other';
    return call[1] === undefined ? 'assistant' : 'tool';
  },
  roleName: (role) => role,
  whole(item) {
    if (isMessage(item)) return undefined;
    const call = CALL.exec(String(item.type));
    if (call === null) return { kind: item.type === 'reasoning' ? 'reasoning' : 'other' };
    const id = textOf(item.call_id);
    if (call[1] !== undefined) return { kind: 'result', id, media: 'output' };
    return { kind: 'call', id, name: textOf(item.name) };
  },
  part(raw) {
    const { type, text } = fieldsOf(raw);
    return { kind: KINDS[String(type)] ?? 'other', text: textOf(text) };
  },
  text: (role, text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text }),
  result({ id, raw }, text) {
    const type = textOf(fieldsOf(raw).type) ?? 'function_call';
    return { type: `${type}_output`, call_id: id, ...(OUTPUTS[type]?.(text) ?? { output: text }) };
  },
  renamed: ({ kind, raw }, { id, name }) =>
    withFields(fieldsOf(raw), {
      ...(id !== undefined && { call_id: id }),
      ...(name !== undefined && kind === 'call' && { name }),
    }),
};
