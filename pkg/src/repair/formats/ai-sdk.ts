/**
 * The AI SDK: `messages` or `prompt` of `generateText`, and the `prompt` of a language model, which middleware sees.
 * Source: https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message
 */

import type { Format, Part, Role, Signer } from '../conversation.js';
import { type Fields, fieldsOf, isFields, textOf, withFields } from '../copy.js';

const KINDS: Readonly<Record<string, Part['kind']>> = {
  text: 'text',
  reasoning: 'reasoning',
  file: 'media',
  image: 'media',
  // within a tool's result
  media: 'media',
  'file-data': 'media',
  'file-url': 'media',
  'file-id': 'media',
  'image-data': 'media',
  'image-url': 'media',
  'image-file-id': 'media',
};

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Whose signatures are under which key of `providerOptions`. */
const SIGNERS: Readonly<Record<string, Signer>> = {
  anthropic: 'anthropic',
  bedrock: 'anthropic',
  vertexAnthropic: 'anthropic',
  google: 'google',
  vertex: 'google',
  openai: 'openai',
  azure: 'openai',
};

/** A part's own settings for providers: `providerOptions`, or `providerMetadata` as answers have it. */
export function providersOf(raw: unknown): [field: string, byProvider: Fields] | undefined {
  const fields = fieldsOf(raw);
  const field = ['providerOptions', 'providerMetadata'].find((name) => isFields(fields[name]));
  return field === undefined ? undefined : [field, fieldsOf(fields[field])];
}

/** Returns the signer of a part of reasoning, if the part names it. */
export function signerOf(raw: unknown): Signer | undefined {
  const providers = Object.keys(providersOf(raw)?.[1] ?? {});
  return providers
    .map((provider) => (Object.hasOwn(SIGNERS, provider) ? SIGNERS[provider] : undefined))
    .find(Boolean);
}

export const aiSdk: Format = {
  name: 'ai-sdk',
  results: 'tool',
  content: 'content',
  alternates: false,
  key: (request) => (request.messages !== undefined ? 'messages' : 'prompt'),
  role: ({ role }) => ROLES[String(role)] ?? 'other',
  roleName: (role) => role,
  part(raw, role) {
    const { type, text, toolCallId, toolName, providerExecuted } = fieldsOf(raw);
    const named = { id: textOf(toolCallId), name: textOf(toolName) };
    if (type === 'tool-call') return { kind: providerExecuted === true ? 'other' : 'call', ...named };
    if (type === 'tool-result') {
      return { kind: role === 'tool' ? 'result' : 'other', ...named, media: 'output.value' };
    }
    return { kind: KINDS[String(type)] ?? 'other', text: textOf(text), id: named.id };
  },
  text: (_, text) => ({ type: 'text', text }),
  result: ({ id, name }, value) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'error-text', value },
  }),
  renamed: ({ raw }, { id, name }) =>
    withFields(fieldsOf(raw), {
      ...(id !== undefined && { toolCallId: id }),
      ...(name !== undefined && { toolName: name }),
    }),
};
