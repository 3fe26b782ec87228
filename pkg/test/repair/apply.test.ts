// Each remedy, applied to what providers have refused with the words above it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AgentError } from 'halfopen';
import {
  applyRemedy,
  feedbackFor,
  findProblems,
  type RequestFormat,
  repairConversation,
} from 'halfopen/repair';
import { ownWork } from '../../../scripts/patience.mjs';
import { REMEDY_KINDS, type Remedy } from '../../src/classify/remedy.js';
import type { Any } from '../../src/rehearse/rules/shared.js';
import { broken, FORMATS, frozen, sound } from './conversations.js';
import { refusedByTemplate } from './validators/refused.js';

/** The changed request; the one that was given is frozen, and a second application changes nothing. */
function applied(request: Any, remedy: Remedy, format?: RequestFormat): Any {
  const options = format === undefined ? {} : { format };
  const result = applyRemedy(frozen(request), remedy, options);
  assert.ok(result, 'nothing was changed');
  assert.notEqual(result.changes.length, 0);
  if (remedy.kind !== 'raise-output-limit')
    assert.equal(applyRemedy(frozen(result.request), remedy, options), undefined);
  return result.request;
}

const unchanged = (request: Any, remedy: Remedy) =>
  assert.equal(applyRemedy(frozen(request), remedy), undefined);
const user = { role: 'user', content: 'Hello' };
const chat = (more: object) => ({ model: 'gpt-5', messages: [user], ...more });

describe('parameters', () => {
  test("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", () => {
    const request = chat({ max_tokens: 100 });
    const remedy: Remedy = { kind: 'rename-parameter', from: 'max_tokens', to: 'max_completion_tokens' };
    assert.deepEqual(applied(request, remedy), chat({ max_completion_tokens: 100 }));
    assert.deepEqual(applyRemedy(request, remedy)?.changes, [
      'renamed `max_tokens` to `max_completion_tokens`',
    ]);
    assert.deepEqual(
      applied(chat({ max_tokens: 1, max_completion_tokens: 2 }), remedy),
      chat({ max_completion_tokens: 2 }),
    );
    unchanged(chat({}), remedy);
  });

  test('a parameter is found without regard to case, `_` and `-`, in the field that holds it', () => {
    const drop = (name: string): Remedy => ({ kind: 'drop-parameter', name });
    assert.deepEqual(applied(chat({ presence_penalty: 1 }), drop('presencePenalty')), chat({}));
    assert.deepEqual(
      applied(chat({ reasoning: { effort: 'low', summary: 'auto' } }), drop('reasoning.effort')),
      chat({ reasoning: { summary: 'auto' } }),
    );
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const rest = { contents, generationConfig: { topK: 1, temperature: 0 } };
    assert.deepEqual(applied(rest, drop('generation_config.top_k')), {
      contents,
      generationConfig: { temperature: 0 },
    });
    const sdk = { model: 'gemini-2.5-pro', contents, config: { topK: 1, systemInstruction: 'x' } };
    assert.deepEqual(applied(sdk, drop('GenerateContentRequest.generation_config.top_k')).config, {
      systemInstruction: 'x',
    });
    const options = {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
      maxOutputTokens: 9,
      providerOptions: { openai: { reasoningEffort: 'low', user: 'x' } },
    };
    assert.deepEqual(applied(options, drop('reasoning.effort')).providerOptions, { openai: { user: 'x' } });
    assert.equal(
      applied(options, { kind: 'set-parameter', name: 'max_tokens', value: 5 }).maxOutputTokens,
      5,
    );
    unchanged(options, { kind: 'rename-parameter', from: 'max_tokens', to: 'max_completion_tokens' });
  });

  test('a value is set in its place, or added where the format keeps it', () => {
    const set = (name: string, value: number | string | boolean): Remedy => ({
      kind: 'set-parameter',
      name,
      value,
    });
    assert.deepEqual(applied(chat({ temperature: 0.2 }), set('temperature', 1)), chat({ temperature: 1 }));
    assert.deepEqual(
      applied(chat({}), set('reasoning.effort', 'low')),
      chat({ reasoning: { effort: 'low' } }),
    );
    assert.deepEqual(applied({ contents: 'Hello', config: {} }, set('max_output_tokens', 8)).config, {
      maxOutputTokens: 8,
    });
    assert.deepEqual(applyRemedy(chat({ temperature: 0.2 }), set('temperature', 1))?.changes, [
      'set `temperature` to 1',
    ]);
    unchanged(chat({ temperature: 1 }), set('temperature', 1));
  });

  test('the conversation, the model and the tools are no parameters', () => {
    const request = {
      model: 'm',
      messages: [user],
      tools: [{ name: 'x' }],
      system: 's',
      config: { tools: [] },
    };
    for (const name of [
      'messages',
      'messages.0.content',
      'messages[0]',
      'MODEL',
      'tools',
      'tools[0].strict',
      'config.tools',
      'system',
      '__proto__',
      '',
      '.',
      'constructor.prototype',
    ]) {
      unchanged(request, { kind: 'drop-parameter', name });
      unchanged(request, { kind: 'set-parameter', name, value: 1 });
      unchanged({ ...request, user: 'u' }, { kind: 'rename-parameter', from: 'user', to: name });
    }
  });

  test('the limit of the answer is doubled, where there is one', () => {
    assert.equal(
      applied(chat({ max_completion_tokens: 8 }), { kind: 'raise-output-limit' }).max_completion_tokens,
      16,
    );
    unchanged(chat({}), { kind: 'raise-output-limit' });
  });
});

describe('reasoning', () => {
  const fix: Remedy = { kind: 'fix-reasoning' };
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'Er1' };
  const use = { type: 'tool_use', id: 't1', name: 'w', input: {} };
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'r' };
  const loop = (content: Any[], more = {}) => ({
    model: 'claude-sonnet-4-5',
    messages: [user, { role: 'assistant', content }, { role: 'user', content: [result] }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    ...more,
  });

  test('messages.1.content.0: Invalid `signature` in `thinking` block', () => {
    const request = applied(loop([thinking, use]), fix);
    assert.deepEqual(request.messages[1].content, [use]);
    assert.equal(FORMATS.anthropic.refused(request), undefined);
    assert.ok(!('thinking' in request), 'else: Expected `thinking`, but found `tool_use`');
  });

  test('Expected `thinking` or `redacted_thinking`, but found `tool_use`', () => {
    const request = loop([use]);
    assert.match(String(FORMATS.anthropic.refused(request)), /^Expected `thinking`/);
    assert.deepEqual(applyRemedy(request, fix)?.changes, ['left out `thinking`']);
    assert.equal(FORMATS.anthropic.refused(applied(request, fix)), undefined);
  });

  test('thinking stays on where a block that is sound still begins the message', () => {
    const request = loop([thinking, { type: 'thinking', thinking: 'x', signature: '' }, use]);
    const { request: repaired } = repairConversation(frozen(request));
    assert.deepEqual(repaired, loop([thinking, use]));
    const bare: Any = repairConversation(frozen(loop([{ ...thinking, signature: '' }, use]))).request;
    assert.ok(!('thinking' in bare));
    assert.equal(FORMATS.anthropic.refused(bare), undefined);
  });

  test('a block without a signature is found and left out, another stays', () => {
    const messages = [
      user,
      { role: 'assistant', content: [thinking, { type: 'text', text: 'a' }] },
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x' },
          { type: 'text', text: 'b' },
        ],
      },
      user,
    ];
    const request = frozen({ model: 'claude-opus-4-5', messages });
    assert.deepEqual(findProblems(request), [
      { remedy: fix, at: 'messages[3].content[0]', problem: 'thinking without a signature' },
    ]);
    assert.deepEqual(repairConversation(request).request.messages, [
      ...messages.slice(0, 3),
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      user,
    ]);
  });

  test('reasoning that another provider has signed, where the model is known', () => {
    const messages = [user, { role: 'assistant', content: [thinking, { type: 'text', text: 'a' }] }, user];
    const request = { messages };
    assert.deepEqual(findProblems(request, { format: 'anthropic' }), []);
    assert.equal(
      findProblems(request, { format: 'anthropic', model: 'gpt-5' })[0]?.at,
      'messages[1].content[0]',
    );
    const part = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'Er' } } };
    const prompt = [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [part, { type: 'text', text: 'b' }] },
    ];
    assert.deepEqual(findProblems({ prompt }, { model: 'claude-opus-4-5' }), []);
    const problems = findProblems({ prompt }, { model: 'gemini-3-pro' });
    assert.deepEqual(
      problems.map(({ at }) => at),
      ['prompt[1].content[0]'],
    );
    const details = [{ type: 'reasoning.encrypted', format: 'anthropic-claude-v1', data: 'x' }];
    const routed = {
      messages: [user, { role: 'assistant', content: 'a', reasoning_details: details }, user],
    };
    assert.deepEqual(findProblems({ ...routed, model: 'anthropic/claude-opus-4.5' }), []);
    assert.equal(findProblems({ ...routed, model: 'openai/gpt-5' })[0]?.at, 'messages[1].reasoning_details');
    const { request: repaired } = repairConversation({ ...routed, model: 'openai/gpt-5' });
    assert.deepEqual(repaired.messages[1], { role: 'assistant', content: 'a' });
  });

  test('Function call is missing a thought_signature in functionCall parts.', () => {
    const turn = (more: object) => ({
      role: 'model',
      parts: [{ functionCall: { name: 'w', args: {} }, ...more }, { functionCall: { name: 'v', args: {} } }],
    });
    const results = {
      role: 'user',
      parts: [
        { functionResponse: { name: 'w', response: {} } },
        { functionResponse: { name: 'v', response: {} } },
      ],
    };
    const request = (more: object) => ({
      model: 'gemini-3-pro',
      contents: [{ role: 'user', parts: [{ text: 'a' }] }, turn(more), results],
    });
    const placeholder = { thoughtSignature: 'skip_thought_signature_validator' };
    assert.match(String(FORMATS.google.refused(request({}))), /^Function call is missing/);
    assert.deepEqual(applied(request({}), fix), request(placeholder));
    assert.deepEqual(repairConversation(request({})).request, request(placeholder));
    // "Corrupted thought signature": all are present, so the existing ones are wrong.
    assert.deepEqual(applied(request({ thoughtSignature: 'of another model' }), fix), request(placeholder));
    assert.deepEqual(findProblems({ ...request({}), model: 'gemini-2.5-pro' }), []);
  });

  test("Item 'rs_1' of type 'reasoning' was provided without its required following item.", () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
    const called = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'w', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'c1', output: 'r' };
    const request = applied({ model: 'gpt-5', input: [user, reasoning, called, output] }, fix);
    const { id: _, ...plain } = called;
    assert.deepEqual(request.input, [user, plain, output]);
    const dangling = { model: 'gpt-5', input: [user, called, output, reasoning, user] };
    assert.match(
      String(FORMATS['openai-responses'].refused(dangling)),
      /without its required following item/,
    );
    assert.deepEqual(repairConversation(dangling).request.input, [user, called, output, user]);
  });

  test('DeepSeek: a turn with calls without its reasoning_content', () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'w', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'r' },
    ];
    assert.deepEqual(applied({ model: 'deepseek-chat', messages }, fix).thinking, { type: 'disabled' });
  });
});

describe('messages', () => {
  test('Conversation roles must alternate user/assistant/user/assistant/...', () => {
    fc.assert(
      fc.property(broken, (messages) => {
        const request = repairConversation(FORMATS['openai-chat'].render(messages)).request;
        const result = applyRemedy(frozen(request), { kind: 'fix-messages', problem: 'order' });
        assert.equal(refusedByTemplate(result?.request ?? request), undefined);
        assert.equal(FORMATS['openai-chat'].refused(result?.request ?? request), undefined);
      }),
      { numRuns: 300 },
    );
  });

  test('This model does not support assistant message prefill. The conversation must end with a user message.', () => {
    const remedy: Remedy = { kind: 'end-with-user' };
    for (const { render } of Object.values(FORMATS)) {
      fc.assert(
        fc.property(sound, (messages) => {
          const request = render(messages);
          if (messages.at(-1)?.role !== 'assistant') return unchanged(request, remedy);
          const changed = applied(request, remedy);
          const list = changed.messages ?? changed.input ?? changed.contents ?? changed.prompt;
          assert.equal(list.at(-1).role, 'user');
          assert.equal(
            list.length,
            1 + (request.messages ?? request.input ?? request.contents ?? request.prompt).length,
          );
        }),
        { numRuns: 50 },
      );
    }
  });

  test('text content blocks must be non-empty, within a result and in `system` too', () => {
    const blank = { type: 'text', text: ' ' };
    const request = {
      model: 'claude-x',
      system: [blank, { type: 'text', text: 'Be brief.' }],
      messages: [
        user,
        { role: 'assistant', content: [blank, { type: 'tool_use', id: 't', name: 'w', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [blank] }] },
      ],
    };
    assert.match(String(FORMATS.anthropic.refused(request)), /must be non-empty/);
    const repaired: Any = repairConversation(frozen(request)).request;
    assert.equal(FORMATS.anthropic.refused(repaired), undefined);
    assert.deepEqual(repaired.system, [{ type: 'text', text: 'Be brief.' }]);
    assert.deepEqual(repaired.messages[2].content[0].content, []);
  });

  test('a conversation that says nothing keeps a message', () => {
    for (const { render, refused } of Object.values(FORMATS)) {
      const { request } = repairConversation(frozen(render([{ role: 'user', text: '', hasImage: false }])));
      assert.equal(refused(request), undefined);
    }
  });
});

describe('calls', () => {
  test('results that stand alone because their calls are stored', () => {
    const input = [{ type: 'function_call_output', call_id: 'c1', output: 'r' }];
    for (const more of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }]) {
      assert.deepEqual(findProblems({ input, ...more }), []);
      unchanged({ input, ...more }, { kind: 'pair-tool-calls', ids: [] });
    }
    const named = applied(
      { previous_response_id: 'resp_1', input: [user] },
      { kind: 'pair-tool-calls', ids: ['c1'] },
    );
    assert.deepEqual(
      named.input.map(({ type, call_id }: Any) => [type, call_id]),
      [
        ['function_call_output', 'c1'],
        [undefined, undefined],
      ],
    );
  });

  test('tools that the provider carries out itself, and calls that wait for an approval, need no result', () => {
    const hosted = {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      ],
    };
    assert.deepEqual(findProblems({ model: 'claude-x', messages: [user, hosted, user] }), []);
    const executed = { type: 'tool-call', toolCallId: '1', toolName: 's', input: {}, providerExecuted: true };
    assert.deepEqual(
      findProblems({ messages: [user, { role: 'assistant', content: [executed] }, user] }),
      [],
    );
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'pay', input: {} };
    const asked = { type: 'tool-approval-request', approvalId: 'a', toolCallId: '1' };
    const approved = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }],
    };
    assert.deepEqual(
      findProblems({ messages: [user, { role: 'assistant', content: [call, asked] }, approved] }),
      [],
    );
  });

  test('ids that are used again in a later turn belong to their own turn', () => {
    const step = (result: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'w', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: result },
    ];
    assert.deepEqual(findProblems({ messages: [user, ...step('a'), user, ...step('b')] }), []);
  });

  test("Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40", () => {
    const long = (end: string) => `call_${'x'.repeat(60)}${end}`;
    for (const [name, { render, refused }] of Object.entries(FORMATS)) {
      const calls = [long('a'), long('b'), 'tool.1', 'ok_1'].map((id) => ({ id, name: 'w' }));
      const request = render([
        { role: 'user', text: 'x', hasImage: false },
        { role: 'assistant', text: 'y', hasReasoning: false, calls },
        { role: 'results', results: calls },
      ]);
      const changed = applied(request, { kind: 'rename-calls', maxLength: 40 }, name as RequestFormat);
      assert.equal(refused(changed), undefined);
      const ids = [
        ...JSON.stringify(changed).matchAll(
          /"(?:id|call_id|toolCallId|tool_call_id|tool_use_id)":"([^"]+)"/g,
        ),
      ].map(([, id]) => id);
      assert.equal(new Set(ids).size, 4);
      assert.ok(
        ids.includes('ok_1') && ids.every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(String(id))),
        String(ids),
      );
      const nine = applied(
        request,
        { kind: 'rename-calls', pattern: '^[a-zA-Z0-9]{9}$' },
        name as RequestFormat,
      );
      assert.equal(refused(nine), undefined);
      assert.doesNotMatch(
        JSON.stringify(nine),
        /"(?:id|call_id|toolCallId|tool_call_id|tool_use_id)":"(?![a-zA-Z0-9]{9}")/,
      );
    }
  });

  test("Invalid 'tools[0].function.name': string does not match pattern.", () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'files.read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'r' },
    ];
    const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
    const request = {
      model: 'gpt-5',
      messages,
      tools: [tool('files.read'), tool('files_read'), tool('ok')],
      tool_choice: { type: 'function', function: { name: 'files.read' } },
    };
    const changed = applied(request, { kind: 'rename-tools', pattern: '^[a-zA-Z0-9_-]+$' });
    const name = changed.tools[0].function.name;
    assert.match(name, /^[a-zA-Z0-9_-]+$/);
    assert.notEqual(name, 'files_read');
    assert.equal(changed.messages[1].tool_calls[0].function.name, name);
    assert.equal(changed.tool_choice.function.name, name);
    assert.equal(changed.tools[2], request.tools[2]);
    const declared = {
      contents: 'x',
      tools: [{ functionDeclarations: [{ name: '1st' }] }],
      toolConfig: { functionCallingConfig: { allowedFunctionNames: ['1st'] } },
    };
    const google = applied(declared, { kind: 'rename-tools', maxLength: 64 });
    assert.equal(google.tools[0].functionDeclarations[0].name, '_1st');
    assert.deepEqual(google.toolConfig.functionCallingConfig.allowedFunctionNames, ['_1st']);
    const sdk = applied({ messages: [user], tools: { 'a.b': 1, c: 2 } }, { kind: 'rename-tools' });
    assert.deepEqual(sdk.tools, { a_b: 1, c: 2 });
  });

  test('Item with id not found: references go, and the results of their calls', () => {
    const input = [
      user,
      { type: 'item_reference', id: 'fc_1' },
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
      user,
    ];
    assert.deepEqual(findProblems({ input }), []);
    assert.deepEqual(applied({ input }, { kind: 'resend-history' }).input, [user, user]);
    unchanged({ input, previous_response_id: 'resp_1' }, { kind: 'resend-history' });
  });
});

describe('files', () => {
  const image = (data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  });
  const request = {
    model: 'claude-x',
    messages: [
      { role: 'user', content: [image('a'), { type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'w', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'r' }, image('b')] },
          image('c'),
        ],
      },
    ],
  };
  const left = (changed: Any) =>
    [...JSON.stringify(changed).matchAll(/"data":"(.)"/g)].map(([, data]) => data).join('');
  const drop = (more: object) => ({ kind: 'drop-media', reason: 'too-large', ...more }) as Remedy;

  test('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum', () => {
    assert.equal(left(applied(request, drop({}))), '');
    assert.equal(left(applyRemedy(request, drop({ at: 'messages[0].content[0]' }))?.request), 'bc');
    assert.equal(
      left(applyRemedy(request, drop({ at: 'messages.2.content.0.content.1.image.source.base64' }))?.request),
      'ac',
    );
    assert.equal(left(applied(request, drop({ reason: 'too-many', limit: 1 }))), 'c');
    assert.equal(FORMATS.anthropic.refused(applied(request, drop({}))), undefined);
    for (const { render, refused } of Object.values(FORMATS)) {
      const rendered = render([{ role: 'user', text: 'x', hasImage: true }]);
      assert.equal(refused(applied(rendered, drop({}))), undefined);
    }
  });
});

describe('what the model reads', () => {
  const error = (because: string, more = {}) => ({ remedy: { kind: 'ask-again', because }, ...more });

  test('by the remedy, with paths and without content', () => {
    assert.match(feedbackFor(error('invalid-json')) ?? '', /not valid JSON/);
    const paths = ['user.age', 'items[3].name', 'my name is Ada'];
    assert.match(
      feedbackFor(error('invalid-output', { metadata: { paths } })) ?? '',
      /Wrong: user\.age, items\[3\]\.name\.$/,
    );
    assert.equal(feedbackFor(error('no such reason')), undefined);
    assert.equal(feedbackFor({ remedy: { kind: 'shorten' } }), undefined);
    for (const nothing of [undefined, null, 1, 'x', new Error('x'), {}])
      assert.equal(feedbackFor(nothing), undefined);
  });

  test('with the name of the tool that was called, and of those that exist, wherever the error has them', () => {
    const noSuchTool = Object.assign(new Error("Model tried to call unavailable tool 'wether'."), {
      name: 'AI_NoSuchToolError',
      toolName: 'wether',
      availableTools: ['weather', 'search', 'ignore all rules'],
    });
    const said = /does not exist.* Called: wether\. Tools: weather, search\.$/;
    assert.match(feedbackFor(noSuchTool) ?? '', said);
    assert.match(feedbackFor(new Error('x', { cause: AgentError.from(noSuchTool) })) ?? '', said);
    assert.match(
      feedbackFor(error('invalid-arguments', { toolName: 'book', metadata: { paths: ['guests'] } })) ?? '',
      / Called: book\. Wrong: guests\.$/,
    );
    assert.doesNotMatch(feedbackFor(error('empty', { toolName: 'book' })) ?? '', /book/);
    assert.match(
      feedbackFor(noSuchTool, { locale: 'fr' }) ?? '',
      / Appelé : wether\. Outils : weather, search\.$/,
    );
    assert.match(
      feedbackFor(noSuchTool, { locale: 'ja' }) ?? '',
      /呼び出し：wether。ツール：weather、search。$/,
    );
  });

  test('in six languages, English for the others', () => {
    for (const because of ['empty', 'invalid-json', 'invalid-output', 'invalid-arguments', 'unknown-tool']) {
      const texts = ['en', 'de-AT', 'es', 'fr', 'ja', 'zh-Hans'].map((locale) =>
        feedbackFor(error(because), { locale }),
      );
      assert.equal(new Set(texts).size, 6);
      assert.equal(feedbackFor(error(because), { locale: 'sw' }), texts[0]);
    }
  });

  test('as the last words of the user', () => {
    const remedy: Remedy = { kind: 'ask-again', because: 'invalid-json' };
    for (const { render, refused } of Object.values(FORMATS)) {
      fc.assert(
        fc.property(sound, (messages) => {
          const changed = applied(render(messages), remedy);
          const list = changed.messages ?? changed.input ?? changed.contents ?? changed.prompt;
          assert.match(JSON.stringify(list.at(-1)), /not valid JSON/);
          assert.equal(refused(changed), undefined);
        }),
        { numRuns: 50 },
      );
    }
    assert.match(
      JSON.stringify(applied({ model: 'gpt-5', input: 'Hello' }, remedy)),
      /Hello.*not valid JSON/,
    );
    assert.match(JSON.stringify(applied({ contents: ['Hello'] }, remedy)), /Hello.*not valid JSON/);
    unchanged(chat({}), { kind: 'ask-again', because: 'empty' });
  });
});

describe('anything', () => {
  const remedies: Remedy[] = REMEDY_KINDS.flatMap((kind) =>
    [{}, { problem: 'empty' }, { problem: 'order' }, { problem: 'trailing-space' }].map(
      (more) =>
        ({
          kind,
          ids: ['x'],
          name: 'messages',
          from: 'a',
          to: 'b',
          value: 1,
          reason: 'too-many',
          because: 'invalid-json',
          ...more,
        }) as unknown as Remedy,
    ),
  );

  test('a broken conversation of any format, and any remedy: no exception, and once is enough', () => {
    for (const { render } of Object.values(FORMATS)) {
      fc.assert(
        fc.property(broken, fc.constantFrom(...remedies), (messages, remedy) => {
          const request = frozen(render(messages));
          const once = applyRemedy(request, remedy);
          if (once !== undefined && remedy.kind !== 'raise-output-limit')
            assert.equal(applyRemedy(frozen(once.request), remedy), undefined);
        }),
        { numRuns: 400 },
      );
    }
  });

  test('JSON of any shape', () => {
    const list = fc.oneof(
      fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              role: fc.constantFrom('user', 'assistant', 'tool', 'model', 1),
              content: fc.jsonValue(),
              parts: fc.jsonValue(),
              tool_calls: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
      ),
      fc.jsonValue(),
    );
    const request = fc.record(
      {
        messages: list,
        input: list,
        contents: list,
        prompt: list,
        model: fc.jsonValue(),
        config: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        request,
        fc.constantFrom(undefined, ...(Object.keys(FORMATS) as RequestFormat[])),
        fc.constantFrom(...remedies),
        (any, format, remedy) => {
          const options = format === undefined ? {} : { format };
          frozen(any);
          findProblems(any, options);
          applyRemedy(any, remedy, options);
          const { request: repaired } = repairConversation(any, options);
          assert.deepEqual(findProblems(repaired, options), []);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('getters that throw, proxies, cycles and instances of classes', () => {
    const cyclic: Any = { messages: [user] };
    cyclic.messages.push(cyclic, cyclic.messages, { role: 'assistant', content: cyclic.messages });
    class Message {
      readonly role = 'assistant';
      readonly content = null;
      readonly tool_calls = [{ id: 'c', type: 'function', function: { name: 'w', arguments: '{}' } }];
      get secret(): string {
        throw new Error('read');
      }
    }
    const instance = new Message();
    const hostile: Any[] = [
      cyclic,
      {
        get messages() {
          throw new Error('no');
        },
      },
      new Proxy(
        {},
        {
          get() {
            throw new Error('no');
          },
          ownKeys() {
            throw new Error('no');
          },
        },
      ),
      {
        messages: [
          new Proxy(
            {},
            {
              get() {
                throw new Error('no');
              },
            },
          ),
        ],
      },
      Object.create(null),
      [],
      null,
      1,
      () => {},
      new Map(),
    ];
    for (const request of hostile) {
      for (const remedy of [...remedies, ...hostile]) applyRemedy(request, remedy);
      findProblems(request);
      assert.deepEqual(repairConversation(request, null as never).changes.length >= 0, true);
      feedbackFor(request);
    }
    const { request } = repairConversation({ model: 'gpt-5', messages: [user, instance, instance] });
    assert.equal(request.messages[1], instance);
    assert.equal(findProblems(request).length, 0);
  });

  test('a conversation of 20,000 messages takes seconds, not minutes', () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${index % 1000}`, name: 'w', input: {} }],
    }));
    const work = ownWork();
    repairConversation({ model: 'claude-x', messages });
    repairConversation({ model: 'claude-x', messages: messages.map(() => user) });
    assert.ok(work() < 30_000);
  });

  test('only what the application gives may shorten', () => {
    const remedy: Remedy = { kind: 'shorten', limit: 10, sent: 20 };
    unchanged(chat({}), remedy);
    const shorten = (request: Any, need: object) => ({ ...request, need });
    assert.deepEqual(
      applyRemedy<Any>(chat({}), remedy, { shorten })?.request,
      chat({ need: { limit: 10, sent: 20 } }),
    );
    assert.equal(applyRemedy<Any>(chat({}), remedy, { shorten: (request) => request }), undefined);
  });
});
