/** Recognises a request's format by its fields. */

import type { Format, RequestFormat } from '../conversation.js';
import { type Fields, fieldsOf, isFields } from '../copy.js';
import { aiSdk } from './ai-sdk.js';
import { anthropic } from './anthropic.js';
import { google } from './google.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

const FORMATS: readonly Format[] = [openaiChat, openaiResponses, anthropic, google, aiSdk];

/** Fields of a message that only one format has. */
const MESSAGE_SIGNS = /^(?:tool_calls|tool_call_id|function_call|reasoning_content|refusal|name)$/;
const PART_SIGNS: Readonly<Record<string, RequestFormat>> = {
  'tool-call': 'ai-sdk',
  'tool-result': 'ai-sdk',
  'tool-approval-request': 'ai-sdk',
  'tool-approval-response': 'ai-sdk',
  reasoning: 'ai-sdk',
  tool_use: 'anthropic',
  tool_result: 'anthropic',
  thinking: 'anthropic',
  redacted_thinking: 'anthropic',
  document: 'anthropic',
  server_tool_use: 'anthropic',
  image_url: 'openai-chat',
  input_audio: 'openai-chat',
  refusal: 'openai-chat',
};

/** Parameters that only one format has, beside a conversation that could be of several. */
const PARAMETER_SIGNS: readonly [RequestFormat, RegExp][] = [
  [
    'ai-sdk',
    /^(?:maxOutputTokens|maxRetries|providerOptions|stopSequences|topP|topK|toolChoice|abortSignal|stopWhen)$/,
  ],
  [
    'anthropic',
    /^(?:system|thinking|stop_sequences|top_k|anthropic_version|anthropic_beta|mcp_servers|container)$/,
  ],
];

/** The format that is named, else the one that the request shows; `undefined` for what is no request. */
export function formatOf(request: Fields, name?: RequestFormat): Format | undefined {
  const found = name ?? recognised(request);
  return FORMATS.find((format) => format.name === found);
}

function recognised(request: Fields): RequestFormat | undefined {
  if (request.contents !== undefined) return 'google';
  if (Array.isArray(request.messages)) return byMessages(request, request.messages);
  if (Array.isArray(request.prompt) || (typeof request.prompt === 'string' && isFields(request.model)))
    return 'ai-sdk';
  if (request.input !== undefined || request.previous_response_id !== undefined) return 'openai-responses';
  return byParameters(request);
}

function byMessages(request: Fields, messages: readonly unknown[]): RequestFormat {
  if (isFields(request.model) || isFields(request.tools)) return 'ai-sdk';
  for (const message of messages) {
    const fields = fieldsOf(message);
    if (Object.keys(fields).some((key) => MESSAGE_SIGNS.test(key))) return 'openai-chat';
    if (isFields(fields.providerOptions)) return 'ai-sdk';
    const parts = Array.isArray(fields.content) ? fields.content : [];
    for (const part of parts) {
      const { type, source, image, mediaType, providerOptions } = fieldsOf(part);
      if (isFields(providerOptions)) return 'ai-sdk';
      if (type === 'image') return isFields(source) && image === undefined ? 'anthropic' : 'ai-sdk';
      if (type === 'file') return mediaType === undefined ? 'openai-chat' : 'ai-sdk';
      // Mistral's reasoning is a list; Anthropic's is a text.
      if (type === 'thinking' && Array.isArray(fieldsOf(part).thinking)) return 'openai-chat';
      const sign = Object.hasOwn(PART_SIGNS, String(type)) ? PART_SIGNS[String(type)] : undefined;
      if (sign !== undefined) return sign;
    }
  }
  return byParameters(request) ?? (/^claude/.test(String(request.model)) ? 'anthropic' : 'openai-chat');
}

function byParameters(request: Fields): RequestFormat | undefined {
  const keys = Object.keys(request);
  if (isFields(request.generationConfig) || isFields(request.config)) return 'google';
  const isNamed = Array.isArray(request.tools) && isFields(fieldsOf(request.tools[0]).input_schema);
  if (isNamed) return 'anthropic';
  return PARAMETER_SIGNS.find(([, sign]) => keys.some((key) => sign.test(key)))?.[0];
}
