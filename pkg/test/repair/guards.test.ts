// Guards of models that repair a request by themselves, against a provider that refuses as the validators do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AgentError, createPolicy, type RepairOptions, SAFE_REPAIRS } from 'halfopen';
import { guardMiddleware } from 'halfopen/ai-sdk';
import { answerFetch } from 'halfopen/guard';
import { guardModel } from 'halfopen/openai-agents';
import { recordEvents } from 'halfopen/testing';
import { REMEDY_KINDS } from '../../src/classify/remedy.js';
import type { Any } from '../../src/rehearse/rules/shared.js';
import { frozen } from './conversations.js';
import { refusedByOpenai } from './validators/refused.js';

const URL_OF_CHAT = 'https://api.openai.com/v1/chat/completions';
const user = { role: 'user', content: 'How is the weather in Bern?' };
const call = { id: 'call_7', type: 'function', function: { name: 'weather', arguments: '{}' } };
const aborted = {
  model: 'gpt-5',
  messages: [user, { role: 'assistant', content: null, tool_calls: [call] }],
};

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const refusal = (message: string, more: object = {}) =>
  json({ error: { message, type: 'invalid_request_error', param: null, code: null, ...more } }, 400);
const answer = (content: string | null, more: object = {}) =>
  json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-5',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, ...more } }],
  });
const unsupported = (name: string) =>
  refusal(`Unsupported parameter: '${name}' is not supported with this model.`, {
    param: name,
    code: 'unsupported_parameter',
  });

/** A guarded fetch whose provider answers as `serve` says, and what it was sent. */
function chat(serve: (body: Any) => Response, repair?: RepairOptions | boolean) {
  const policy = createPolicy({ retry: false });
  const { events } = recordEvents(policy);
  const sent: { body: Any; headers: Headers }[] = [];
  const send = answerFetch(policy, repair === undefined ? {} : { repair }, async (_, init) => {
    const body = JSON.parse(String(init?.body));
    sent.push({ body, headers: new Headers(init?.headers) });
    return serve(body);
  });
  const ask = (body: object, headers: Record<string, string> = {}, url = URL_OF_CHAT) =>
    send(url, { method: 'POST', body: JSON.stringify(body), headers });
  const repaired = () => events.filter((event) => event.type === 'attempt.repaired');
  return { ask, sent, events, repaired };
}

const validating = (body: Any) => {
  const refused = refusedByOpenai(body);
  return refused === undefined ? answer('Sunny.') : refusal(refused);
};

describe('answerFetch', () => {
  test('a tool call whose result an abort has left out gets one', async () => {
    const { ask, sent, repaired } = chat(validating);
    const response = await ask(aborted);
    assert.equal((await response.json()).choices[0].message.content, 'Sunny.');
    assert.deepEqual(sent[0]?.body, aborted);
    assert.equal(sent[1]?.body.messages[2].tool_call_id, 'call_7');
    const [event] = repaired();
    assert.ok(event?.type === 'attempt.repaired');
    assert.deepEqual(
      [event.attempt, event.remedy, event.changes],
      [1, 'pair-tool-calls', ['added a result for tool call call_7']],
    );
  });

  test('with `repair: false` the client gets the refusal of the one request', async () => {
    const { ask, sent, repaired } = chat(validating, false);
    const response = await ask(aborted);
    assert.deepEqual([response.status, sent.length, repaired().length], [400, 1, 0]);
  });

  test('a parameter that the model does not support goes, one after the other, twice at most', async () => {
    const serve = (body: Any) => {
      const name = ['temperature', 'top_p', 'presence_penalty'].find((one) => one in body);
      return name === undefined ? answer('Fine.') : unsupported(name);
    };
    const two = chat(serve);
    const body = { model: 'gpt-5', messages: [user] };
    assert.equal((await two.ask({ ...body, temperature: 0, top_p: 1 })).status, 200);
    assert.deepEqual(two.sent[2]?.body, body);

    const three = chat(serve);
    const response = await three.ask({ ...body, temperature: 0, top_p: 1, presence_penalty: 1 });
    assert.match((await response.json()).error.message, /presence_penalty/);
    assert.equal(three.sent.length, 3);

    const patient = chat(serve, { max: 3 });
    assert.equal((await patient.ask({ ...body, temperature: 0, top_p: 1, presence_penalty: 1 })).status, 200);
  });

  test("where it did not help, the client's error and the call's last event say what was tried", async () => {
    const { ask, events } = chat(() => unsupported('temperature'));
    const response = await ask({ model: 'gpt-5', messages: [user], temperature: 0 });
    const { error } = await response.json();
    // As OpenAI's client makes it.
    const thrown = Object.assign(new Error(`400 ${error.message}`), {
      status: 400,
      headers: response.headers,
      error,
    });
    assert.match(AgentError.from(thrown).message, / \(tried: removed `temperature`\)$/);
    const failed = events.find((event) => event.type === 'call.failed');
    assert.ok(failed?.type === 'call.failed');
    assert.deepEqual(failed.tried, ['removed `temperature`']);
  });

  test('another request has another idempotency key, and a request without one stays without', async () => {
    const { ask, sent } = chat(validating);
    await ask(aborted, { 'Idempotency-Key': 'k', 'Content-Length': '1' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(keys[0], 'k');
    assert.match(String(keys[1]), /^[0-9a-f-]{36}$/);
    assert.equal(sent[1]?.headers.has('content-length'), false);
    await ask(aborted);
    assert.equal(sent[3]?.headers.has('idempotency-key'), false);
  });

  test('a Request is repaired too; a signed one, and those of Ollama, stay as they are', async () => {
    const policy = createPolicy({ retry: false });
    const bodies: Any[] = [];
    const send = answerFetch(policy, {}, async (input, init) => {
      const body = JSON.parse(String(init?.body ?? (await (input as Request).text())));
      bodies.push(body);
      return validating(body);
    });
    const request = new Request(URL_OF_CHAT, { method: 'POST', body: JSON.stringify(aborted) });
    assert.equal((await send(request)).status, 200);
    assert.equal(bodies.length, 2);

    const signed = chat(validating);
    assert.equal((await signed.ask(aborted, { authorization: 'AWS4-HMAC-SHA256 x' })).status, 400);
    assert.equal((await signed.ask(aborted, {}, 'http://localhost:11434/api/chat')).status, 400);
    assert.equal(signed.sent.length, 2);
  });

  test('the application knows its tools by their own names', async () => {
    const tools = [{ type: 'function', function: { name: 'weather.now', parameters: {} } }];
    const serve = (body: Any) => {
      const { name } = body.tools[0].function;
      if (/[^\w-]/.test(name))
        return refusal(
          "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
          { param: 'tools[0].function.name', code: 'invalid_value' },
        );
      const calls = [
        { id: 'call_1', type: 'function', function: { name, arguments: '{"name":"weather_now"}' } },
      ];
      if (body.stream !== true) return answer(null, { tool_calls: calls });
      const delta = { tool_calls: [{ index: 0, ...calls[0] }] };
      const chunks = [
        { choices: [{ index: 0, delta }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ];
      const text = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(
        (data) => `data: ${data}\n\n`,
      );
      return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } });
    };
    const { ask, sent } = chat(serve, { only: ['rename-tools'] });
    const whole = await (await ask({ model: 'gpt-5', messages: [user], tools })).json();
    const [{ function: called }] = whole.choices[0].message.tool_calls;
    assert.deepEqual(called, { name: 'weather.now', arguments: '{"name":"weather_now"}' });
    assert.equal(sent[1]?.body.tools[0].function.name, 'weather_now');
    const streamed = await (await ask({ model: 'gpt-5', messages: [user], tools, stream: true })).text();
    assert.match(streamed, /"name":"weather\.now"/);
    assert.match(streamed, /\[DONE\]/);
  });

  test('lines under the name of JSON pass as they come, also where a character is in two pieces', async () => {
    const tools = [{ type: 'function', function: { name: 'weather.now', parameters: {} } }];
    const lines = new TextEncoder().encode('{"a":"é"}\n{"b":"é"}\n{"c":"é"}\n');
    const serve = (body: Any) => {
      const { name } = body.tools[0].function;
      if (/[^\w-]/.test(name))
        return refusal(
          "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
          { param: 'tools[0].function.name' },
        );
      const pieces = [...lines].map((byte) => Uint8Array.of(byte));
      const stream = new ReadableStream({
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      });
      return new Response(stream, { headers: { 'content-type': 'application/json' } });
    };
    const { ask, sent } = chat(serve, { only: ['rename-tools'] });
    const response = await ask({ model: 'gpt-5', messages: [user], tools });
    assert.equal(await response.text(), new TextDecoder().decode(lines));
    assert.equal(sent.length, 2);
  });

  test('`shorten` mends an overflow, as often as `max` allows; without it the error stays', async () => {
    const serve = ({ messages }: Any) =>
      messages.length <= 2
        ? answer('Fine.')
        : refusal(
            `This model's maximum context length is 128000 tokens. However, your messages resulted in ${messages.length}00000 tokens. Please reduce the length of the messages.`,
            { code: 'context_length_exceeded', param: 'messages' },
          );
    const request = frozen({ model: 'gpt-5', messages: [user, user, user, user] });
    const needs: object[] = [];
    const shorten = async (body: Any, need: object) => {
      needs.push(need);
      return { ...body, messages: body.messages.slice(1) };
    };
    const { ask, repaired } = chat(serve, { shorten });
    assert.equal((await ask(request)).status, 200);
    assert.deepEqual(needs, [
      { limit: 128000, sent: 400000 },
      { limit: 128000, sent: 300000 },
    ]);
    assert.equal(repaired().length, 2);
    const { ask: without, sent } = chat(serve);
    assert.equal((await without(request)).status, 400);
    assert.equal(sent.length, 1);
  });

  test('law: a request is changed `max` times at most, and each time it is another one', async () => {
    const kinds = fc.subarray([...REMEDY_KINDS]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4 }), kinds, async (max, only) => {
        const names = ['a', 'b', 'c', 'd', 'e', 'f'];
        const body = Object.fromEntries(names.map((name) => [name, 1]));
        const { ask, sent } = chat((got) => unsupported(names.find((name) => name in got) ?? 'g'), {
          only,
          max,
        });
        await ask({ model: 'm', messages: [user], ...body });
        assert.equal(sent.length, 1 + (only.includes('drop-parameter') ? max : 0));
        assert.equal(new Set(sent.map((one) => JSON.stringify(one.body))).size, sent.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe('guardMiddleware', () => {
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  const generated = {
    content: [{ type: 'text', text: 'Fine.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
  };
  const refused = (remedy: object) =>
    new AgentError('VALIDATION_ERROR', 'refused', { remedy: remedy as never });

  test('the parameters that the caller passed are never altered', async () => {
    const params = frozen({ prompt, temperature: 0, providerOptions: { openai: { user: 'x' } } }) as Any;
    const seen: Any[] = [];
    const { wrapGenerate } = guardMiddleware(createPolicy());
    const result = await wrapGenerate({
      params,
      model: {
        doGenerate: async (given: Any) => {
          seen.push(given);
          if ('temperature' in given) throw refused({ kind: 'drop-parameter', name: 'temperature' });
          return generated;
        },
      },
    });
    assert.deepEqual(result, generated);
    assert.equal('temperature' in seen[1], false);
    assert.equal(seen[1].prompt, prompt);
  });

  test('off with `repair: false`', async () => {
    let calls = 0;
    const { wrapGenerate } = guardMiddleware(createPolicy(), { repair: false });
    const call = wrapGenerate({
      params: { prompt, temperature: 0 } as Any,
      model: {
        doGenerate: () => {
          calls++;
          return Promise.reject(refused({ kind: 'drop-parameter', name: 'temperature' }));
        },
      },
    });
    await assert.rejects(call, { code: 'VALIDATION_ERROR', message: 'refused' });
    assert.equal(calls, 1);
  });

  test('the limit of an answer that was cut off is raised as the application says', async () => {
    const limits: Any[] = [];
    const cut = new AgentError('INVALID_RESPONSE', 'cut off', {
      remedy: { kind: 'raise-output-limit' },
      retryable: false,
    });
    const doGenerate = async (given: Any) => {
      limits.push(given.maxOutputTokens);
      if (given.maxOutputTokens >= 900) return generated;
      throw cut;
    };
    const { wrapGenerate } = guardMiddleware(createPolicy(), {
      repair: { outputLimit: (present) => (present === undefined ? 1000 : present * 9) },
    });
    await wrapGenerate({ params: { prompt } as Any, model: { doGenerate } });
    assert.deepEqual(limits, [undefined, 1000]);
    const plain = guardMiddleware(createPolicy(), { repair: { only: ['raise-output-limit'] } });
    limits.length = 0;
    await plain.wrapGenerate({ params: { prompt, maxOutputTokens: 450 } as Any, model: { doGenerate } });
    assert.deepEqual(limits, [450, 900]);
  });

  test('a model gets the fault of its answer', async () => {
    const prompts: Any[] = [];
    const { wrapGenerate } = guardMiddleware(createPolicy());
    const because = ['invalid-arguments', 'empty'];
    await wrapGenerate({
      params: { prompt } as Any,
      model: {
        doGenerate: async (given: Any) => {
          prompts.push(given.prompt);
          const reason = because[prompts.length - 1];
          if (reason === undefined) return generated;
          throw new AgentError('INVALID_RESPONSE', reason, {
            remedy: { kind: 'ask-again', because: reason as 'empty' },
            retryable: true,
          });
        },
      },
    });
    assert.match(prompts[1].at(-1).content.at(-1).text, /arguments of your last tool call were not valid/);
    assert.equal(prompts[2], prompts[1], 'an empty answer: the same request again');
  });
});

describe('guardModel of the OpenAI Agents SDK', () => {
  test('items of the history are repaired in their own spelling, and the others stay the same objects', async () => {
    const call = {
      type: 'function_call',
      callId: 'call_7',
      name: 'weather',
      arguments: '{}',
      status: 'completed',
    };
    const question = { role: 'user', content: 'How is the weather in Bern?' };
    const request = frozen({
      input: [question, call],
      modelSettings: { temperature: 0, maxTokens: 9 },
      tools: [],
    }) as Any;
    const seen: Any[] = [];
    const model = {
      async getResponse(given: Any) {
        seen.push(given);
        if (given.input.length === 2)
          throw new AgentError('VALIDATION_ERROR', 'No tool output found', {
            remedy: { kind: 'pair-tool-calls', ids: ['call_7'] },
          });
        if ('temperature' in given.modelSettings)
          throw new AgentError('VALIDATION_ERROR', 'Unsupported', {
            remedy: { kind: 'drop-parameter', name: 'temperature' },
          });
        return {
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Fine.' }] }],
        };
      },
      async *getStreamedResponse() {},
    };
    await guardModel(model, createPolicy({ retry: false })).getResponse(request);
    const last = seen.at(-1);
    assert.deepEqual(last.modelSettings, { maxTokens: 9 });
    assert.equal(last.input[0], question);
    assert.equal(last.input[1], call);
    const { output, ...result } = last.input[2];
    assert.deepEqual(result, {
      type: 'function_call_result',
      callId: 'call_7',
      name: 'weather',
      status: 'completed',
    });
    assert.equal(typeof output, 'string');
  });
});

test('what is safe loses nothing, and a prefill stays', () => {
  assert.equal(SAFE_REPAIRS.includes('end-with-user'), false);
  assert.equal(
    SAFE_REPAIRS.every((kind) => REMEDY_KINDS.includes(kind)),
    true,
  );
});

test('wrong options are named', () => {
  for (const repair of ['yes', { only: ['shorter'] }, { max: -1 }, { shorten: true }]) {
    assert.throws(() => answerFetch(createPolicy(), { repair } as Any), {
      name: 'TypeError',
      message: /repair/,
    });
    assert.throws(() => guardMiddleware(createPolicy(), { repair } as Any), { message: /repair/ });
  }
});
