// Each rule: a request that breaks it and nothing else gets its status, its code and its words, and without the break it passes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Rehearsal, startRehearsal } from '../../src/rehearse/index.js';
import { ANTHROPIC_RULES } from '../../src/rehearse/rules/anthropic.js';
import { GOOGLE_RULES } from '../../src/rehearse/rules/google.js';
import { OPENAI_CHAT_RULES } from '../../src/rehearse/rules/openai-chat.js';
import { OPENAI_RESPONSES_RULES } from '../../src/rehearse/rules/openai-responses.js';
import { type Any, type Rule, refusalOf } from '../../src/rehearse/rules/shared.js';

/** Fields that break a rule, and the words that the provider has for it. */
type Row = readonly [change: object, words: string];

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const PNG = 'iVBORw0KGgo';
const LONG = 'word '.repeat(900_000);

// ---- OpenAI chat completions
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
const chatTool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const chatImage = (url: string) => ({ messages: [user([{ type: 'image_url', image_url: { url } }])] });
const CHAT: Record<string, Row> = {
  'model-given': [{ model: undefined }, 'you must provide a model parameter'],
  'model-found': [
    { model: 'gpt-4-32k' },
    'The model `gpt-4-32k` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations',
  ],
  'temperature-range': [
    { temperature: 3 },
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
  ],
  'reasoning-has-no-temperature': [
    { model: 'gpt-5', temperature: 0.2 },
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
  ],
  'tool-names': [
    { tools: [chatTool('a b')] },
    "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  'tool-name-length': [
    { tools: [chatTool('a'.repeat(65))] },
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  'tool-count': [
    { tools: many(129, (index) => chatTool(`f${index}`)) },
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
  ],
  'image-type': [
    chatImage('data:image/tiff;base64,AAAA'),
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  ],
  'image-size': [
    chatImage(`data:image/png;base64,${'A'.repeat(28_000_000)}`),
    'Image size exceeds the maximum of 20 MB.',
  ],
  'context-length': [
    { messages: [user(LONG)] },
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 1125015 tokens. Please reduce the length of the messages.",
  ],
  'messages-given': [
    { messages: [] },
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  'roles-known': [
    { messages: [{ role: 'wizard', content: 'Hello' }] },
    "Invalid value: 'wizard'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  ],
  'reasoning-has-other-limit': [
    { model: 'gpt-5', max_tokens: 100 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  'output-limit': [
    { max_tokens: 20_000 },
    'max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.',
  ],
  'stop-count': [
    { stop: ['a', 'b', 'c', 'd', 'e'] },
    "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.",
  ],
  'calls-not-empty': [
    { messages: [user('Hello'), { role: 'assistant', content: 'Hello', tool_calls: [] }] },
    "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  'results-have-calls': [
    { messages: [user('Hello'), result('a')] },
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  'calls-have-results': [
    { messages: [user('Hello'), calls('a', 'b'), result('a')] },
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
  ],
  'ids-unique': [
    { messages: [user('Hello'), calls('a', 'a'), result('a')] },
    "Duplicate value for 'tool_call_id'.",
  ],
  'content-given': [
    { messages: [user(null)] },
    "Invalid value for 'content': expected a string, got null. (messages.[0].content)",
  ],
};

// ---- OpenAI responses
const item = (type: string, call_id: string) =>
  type === 'function_call'
    ? { type, call_id, name: 'f', arguments: '{}' }
    : { type, call_id, output: 'done' };
const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const image = (image_url: string) => ({ input: [user([{ type: 'input_image', image_url }])] });
const shared = (name: string, change: object, words?: string): Row => [
  change,
  words ?? (CHAT[name] as Row)[1],
];
const RESPONSES: Record<string, Row> = {
  'model-given': shared('model-given', { model: undefined }),
  'model-found': shared('model-found', { model: 'gpt-4-32k' }),
  'temperature-range': shared('temperature-range', { temperature: 3 }),
  'reasoning-has-no-temperature': shared('reasoning-has-no-temperature', {
    model: 'gpt-5',
    temperature: 0.2,
  }),
  'tool-names': shared('tool-names', { tools: [tool('a b')] }),
  'tool-name-length': shared('tool-name-length', { tools: [tool('a'.repeat(65))] }),
  'tool-count': shared('tool-count', { tools: many(129, (index) => tool(`f${index}`)) }),
  'image-type': shared('image-type', image('data:image/tiff;base64,AAAA')),
  'image-size': shared('image-size', image(`data:image/png;base64,${'A'.repeat(28_000_000)}`)),
  'context-length': [
    { input: LONG },
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  'input-given': [{ input: undefined }, "Missing required parameter: 'input'."],
  'least-output-tokens': [
    { max_output_tokens: 4 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 4 instead.",
  ],
  'output-limit': [
    { max_output_tokens: 20_000 },
    'max_output_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.',
  ],
  'content-given': [
    { input: [user('')] },
    "Invalid 'input[0].content': empty. Expected a value with minimum length 1.",
  ],
  'response-stored': [
    { previous_response_id: 'resp_none' },
    "Previous response with id 'resp_none' not found.",
  ],
  'results-have-calls': [
    { input: [user('Hello'), item('function_call_output', 'a')] },
    'No tool call found for function call output with call_id a.',
  ],
  'one-result-each': [
    {
      input: [
        user('Hello'),
        item('function_call', 'a'),
        item('function_call_output', 'a'),
        item('function_call_output', 'a'),
      ],
    },
    'Duplicate tool output found for call_id a.',
  ],
  'calls-have-results': [
    { input: [user('Hello'), item('function_call', 'a')] },
    'No tool output found for function call a.',
  ],
  'reasoning-is-followed': [
    { input: [user('Hello'), { type: 'reasoning', id: 'rs_1', summary: [] }] },
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  'reasoning-own': [
    {
      input: [
        user('Hello'),
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAx' },
        assistant('Hello'),
        user('Hello'),
      ],
    },
    'The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  ],
};

// ---- Anthropic messages
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const used = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'done' });
const say = (text: string) => ({ type: 'text', text });
const picture = (media_type: string, data: string) => ({
  messages: [user([{ type: 'image', source: { type: 'base64', media_type, data } }])],
});
const after4 = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 };
const ANTHROPIC: Record<string, Row> = {
  'model-found': [{ model: 'claude-2.1' }, 'model: claude-2.1'],
  'model-given': [{ model: undefined }, 'model: Field required'],
  'max-tokens-given': [{ max_tokens: undefined }, 'max_tokens: Field required'],
  'max-tokens-of-model': [
    { max_tokens: 65_000 },
    'max_tokens: 65000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  ],
  'temperature-range': [{ temperature: 1.5 }, 'temperature: range: 0..1'],
  'one-sampler': [
    { temperature: 0.5, top_p: 0.5 },
    '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  ],
  'thinking-budget': [
    { thinking: { type: 'enabled', budget_tokens: 100 } },
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ],
  'messages-given': [{ messages: [] }, 'messages: at least one message is required'],
  'roles-known': [
    { messages: [user('Hello'), { role: 'system', content: 'Hello' }] },
    'messages.1: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ],
  'first-is-user': [
    { messages: [assistant('Hello'), user('Hello')] },
    'messages: first message must use the "user" role',
  ],
  'roles-alternate': [
    { messages: [user('Hello'), user('Hello')] },
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  ],
  'content-not-empty': [
    { messages: [user('')] },
    'messages.0: all messages must have non-empty content except for the optional final assistant message',
  ],
  'text-not-blank': [{ messages: [user(' ')] }, 'messages.0: text content blocks must be non-empty'],
  'results-come-first': [
    { messages: [user('Hello'), assistant([use('a')]), user([say('Hello'), used('a')])] },
    'messages.2: `tool_result` blocks must come first',
  ],
  'blocks-of-role': [
    { messages: [user([use('a')])] },
    'messages.0: `tool_use` blocks can only be in `assistant` messages',
  ],
  'calls-have-results': [
    { messages: [user('Hello'), assistant([use('a')]), user('Hello')] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  'results-have-calls': [
    { messages: [user([used('a')])] },
    'messages.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  'one-result-each': [
    { messages: [user('Hello'), assistant([use('a')]), user([used('a'), used('a')])] },
    'messages.2: each tool_use must have a single result. Found multiple `tool_result` blocks',
  ],
  'ids-unique': [
    { messages: [user('Hello'), assistant([use('a'), use('a')]), user([used('a')])] },
    'messages.1: `tool_use` ids must be unique',
  ],
  'signature-own': [
    {
      messages: [
        user('Hello'),
        assistant([{ type: 'thinking', thinking: 'Well', signature: 'Erx' }, say('Hello')]),
        user('Hello'),
      ],
    },
    'messages.1: Invalid `signature` in `thinking` block',
  ],
  'no-trailing-whitespace': [
    { messages: [user('Hello'), assistant('Well ')] },
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  'no-prefill': [
    { model: 'claude-opus-4-6', messages: [user('Hello'), assistant('Well')] },
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  'thinking-kept': [
    { ...after4, messages: [user('Hello'), assistant([use('a')]), user([used('a')])] },
    'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
  ],
  'tool-names': [
    { tools: [{ name: 'a b', input_schema: { type: 'object' } }] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  'tool-names-unique': [
    { tools: many(2, () => ({ name: 'a', input_schema: { type: 'object' } })) },
    'tools: Tool names must be unique.',
  ],
  'image-type': [
    picture('image/tiff', 'AAAA'),
    "messages.0: source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  'image-matches-type': [
    picture('image/jpeg', PNG),
    'messages.0: Image does not match the provided media type image/jpeg',
  ],
  'image-size': [
    picture('image/png', PNG + 'A'.repeat(8_000_000)),
    'messages.0: image exceeds 5 MB maximum: 6000008 bytes > 5242880 bytes',
  ],
  'context-length': [{ messages: [user(LONG)] }, 'prompt is too long: 1125023 tokens > 200000 maximum'],
};

// ---- Google generateContent
const parts = (role: string, ...list: object[]) => ({ role, parts: list });
const asked = (more: object = {}) => parts('model', { functionCall: { name: 'f', args: {} }, ...more });
const answered = parts('user', { functionResponse: { name: 'f', response: {} } });
const hello = parts('user', { text: 'Hello' });
const GOOGLE: Record<string, Row> = {
  'model-found': [
    { model: 'gemini-1.5-pro' },
    'models/gemini-1.5-pro is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.',
  ],
  'contents-given': [{ contents: [] }, '* GenerateContentRequest.contents: contents is not specified'],
  'roles-known': [
    { contents: [parts('assistant', { text: 'Hello' })] },
    'Please use a valid role: user, model.',
  ],
  'first-is-user': [
    { contents: [parts('model', { text: 'Hello' }), hello] },
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  'roles-alternate': [
    { contents: [hello, hello] },
    'Please ensure that multiturn requests alternate between user and model.',
  ],
  'parts-given': [
    { contents: [parts('user')] },
    '* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.',
  ],
  'text-not-empty': [
    { contents: [parts('user', { text: '' })] },
    'Unable to submit request because it must have a text parameter.',
  ],
  'results-match-calls': [
    { contents: [hello, asked(), hello] },
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  ],
  'results-have-calls': [
    { contents: [answered] },
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  'signature-given': [
    { model: 'gemini-3-pro-preview', contents: [hello, asked(), answered] },
    'Function call is missing a thought_signature in functionCall parts.',
  ],
  'signature-own': [
    { model: 'gemini-3-pro-preview', contents: [hello, asked({ thoughtSignature: 'Csx' }), answered] },
    'Corrupted thought signature.',
  ],
  'tool-names': [
    { tools: [{ functionDeclarations: [{ name: '1 b' }] }] },
    '* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.',
  ],
  'output-limit': [
    { generationConfig: { maxOutputTokens: 70_000 } },
    'Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.',
  ],
  'temperature-range': [
    { generationConfig: { temperature: 3 } },
    '* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].',
  ],
  'image-type': [
    { contents: [parts('user', { inlineData: { mimeType: 'image/tiff', data: 'AAAA' } })] },
    'Unsupported MIME type: image/tiff',
  ],
  'context-length': [
    { contents: [parts('user', { text: LONG })] },
    'The input token count (1125020) exceeds the maximum number of tokens allowed (1048576).',
  ],
};

interface WireOfRules {
  rules: readonly Rule[];
  rows: Record<string, Row>;
  base: Any;
  path: (request: Any) => string;
  codeOf: (body: Any) => string;
  usualCode: string | null;
}
const WIRES: Record<string, WireOfRules> = {
  'openai-chat': {
    rules: OPENAI_CHAT_RULES,
    rows: CHAT,
    base: { model: 'gpt-4o', messages: [user('Hello')] },
    path: () => '/v1/chat/completions',
    codeOf: ({ error }) => error.code,
    usualCode: null,
  },
  'openai-responses': {
    rules: OPENAI_RESPONSES_RULES,
    rows: RESPONSES,
    base: { model: 'gpt-4o', input: [user('Hello')] },
    path: () => '/v1/responses',
    codeOf: ({ error }) => error.code,
    usualCode: null,
  },
  anthropic: {
    rules: ANTHROPIC_RULES,
    rows: ANTHROPIC,
    base: { model: 'claude-sonnet-4-5', max_tokens: 2000, messages: [user('Hello')] },
    path: () => '/v1/messages',
    codeOf: ({ error }) => error.type,
    usualCode: 'invalid_request_error',
  },
  gemini: {
    rules: GOOGLE_RULES,
    rows: GOOGLE,
    base: { model: 'gemini-2.5-pro', contents: [hello] },
    path: ({ model }) => `/v1beta/models/${model}:generateContent`,
    codeOf: ({ error }) => error.status,
    usualCode: 'INVALID_ARGUMENT',
  },
};

/** Recorded errors, without the quotes and numbers in them. */
const bare = (text: string) => text.replace(/\\?[`'"]|\d+/g, '');
const RECORDED = bare(
  readFileSync(join(import.meta.dirname, '../../../tests/sdk-errors/faults.mjs'), 'utf8'),
);

let rehearsal: Rehearsal;
before(async () => {
  rehearsal = await startRehearsal({ scenario: 'question' });
});
after(() => rehearsal.close());

async function post(
  path: string,
  request: object,
): Promise<{ status: number; body: Any; rule: string | undefined }> {
  const answer = await fetch(rehearsal.env.ANTHROPIC_BASE_URL + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-x',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(request),
  });
  return { status: answer.status, body: await answer.json(), rule: rehearsal.requests.at(-1)?.rule };
}

for (const [name, { rules, rows, base, path, codeOf, usualCode }] of Object.entries(WIRES)) {
  describe(name, () => {
    test('each rule has a row, and each row a rule', () => {
      assert.deepEqual(Object.keys(rows).sort(), rules.map((rule) => rule.name).sort());
    });
    test('nothing is wrong with the request that the rows change', async () => {
      assert.equal((await post(path(base), base)).status, 200);
    });
    for (const [rule, [change, words]] of Object.entries(rows)) {
      test(rule, async () => {
        const request = { ...base, ...change };
        const { source, status, code, isOnlyOfGateways, isRecorded } = rules.find(
          (one) => one.name === rule,
        ) as Rule;
        const answer = await post(path(request), request);
        if (isOnlyOfGateways) {
          assert.equal(answer.status, 200);
          const refusal = refusalOf(rules, request, { isOwn: () => true }, true);
          assert.deepEqual([refusal?.rule.name, refusal?.words], [rule, words]);
        } else {
          assert.deepEqual(
            {
              rule: answer.rule,
              status: answer.status,
              code: codeOf(answer.body),
              words: answer.body.error.message,
            },
            { rule, status: status ?? 400, code: code ?? usualCode, words },
          );
        }
        // The beginning of the words is enough: recorded errors hold ids of their own.
        const sample = bare(words.replace(/^messages\.\d+: /, '')).slice(0, 40);
        assert.equal(isRecorded === true, RECORDED.includes(sample), `isRecorded, of: ${words}`);
        assert.equal(
          source.startsWith('tests/') && !isRecorded,
          false,
          'the source is a page, or has the words',
        );
      });
    }
  });
}
