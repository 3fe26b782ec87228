// The handler's reports while it reads: status lines, debug records, the whole exchange, and their cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AgentError,
  EmptyResponseError,
  formatErrorMessage,
  getUserFriendlyMessage,
  InvalidStructureError,
  LOCALES,
  MissingAttributeError,
  NoCandidatesError,
  NoTextError,
  NoToolActivityError,
  ResponseError,
  ResponseHandler,
  ResponseValidationError,
  STREAM_RESET,
  ToolExecutionError,
  ToolFailedError,
  ToolNotFoundError,
  UnexpectedTypeError,
} from 'halfopen';

const text = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

async function* stream(...chunks: unknown[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
}

test('every row of the hierarchy: its parent, code and message', () => {
  const rows: [ResponseError, abstract new (...args: never[]) => ResponseError, string, string][] = [
    [new EmptyResponseError('r'), ResponseError, 'INVALID_RESPONSE', 'Empty response: r'],
    [new NoCandidatesError('r'), EmptyResponseError, 'INVALID_RESPONSE', 'Empty response: r'],
    [new NoTextError('r'), EmptyResponseError, 'INVALID_RESPONSE', 'Empty response: r'],
    [new NoToolActivityError('r'), EmptyResponseError, 'INVALID_RESPONSE', 'Empty response: r'],
    [
      new ResponseValidationError('e', 'g'),
      ResponseError,
      'INVALID_RESPONSE',
      'Invalid response structure: expected e, got g',
    ],
    [
      new MissingAttributeError('e', 'g'),
      ResponseValidationError,
      'INVALID_RESPONSE',
      'Invalid response structure: expected e, got g',
    ],
    [
      new InvalidStructureError('e', 'g'),
      ResponseValidationError,
      'INVALID_RESPONSE',
      'Invalid response structure: expected e, got g',
    ],
    [
      new UnexpectedTypeError('e', 'g'),
      ResponseValidationError,
      'INVALID_RESPONSE',
      'Invalid response structure: expected e, got g',
    ],
    [new ToolExecutionError('t', 'e'), ResponseError, 'TOOL_EXECUTION_ERROR', "Tool 't' failed: e"],
    [new ToolNotFoundError('t', 'e'), ToolExecutionError, 'NOT_FOUND', "Tool 't' failed: e"],
    [new ToolFailedError('t', 'e'), ToolExecutionError, 'TOOL_EXECUTION_ERROR', "Tool 't' failed: e"],
  ];
  for (const [error, parent, code, message] of rows) {
    assert.ok(error instanceof parent && AgentError.is(error), error.name);
    assert.equal(error.name, error.constructor.name);
    assert.deepEqual([error.code, error.message, error.retryable], [code, message, false]);
  }
});

test('the whole exchange, with its status lines', async () => {
  const statuses: string[] = [];
  const handler = new ResponseHandler({ statusCallback: (status) => statuses.push(status) });
  assert.equal(await handler.collect(() => stream(text('Hel'), text('lo'), stop)), 'Hello');
  assert.deepEqual(statuses, ['⏳ Sending message to AI...', '💭 Hel', '💭 Hello']);
});

test('a promise of a stream is one', async () => {
  assert.equal(await new ResponseHandler().collect(async () => stream(text('Hi'), stop)), 'Hi');
});

test('no stream at all', async () => {
  for (const nothing of [undefined, null]) {
    const statuses: string[] = [];
    const handler = new ResponseHandler({ statusCallback: (status) => statuses.push(status) });
    await assert.rejects(
      handler.collect(() => nothing as never),
      (error) => error instanceof EmptyResponseError && error.reason === 'no response stream received',
    );
    assert.deepEqual(statuses, [
      '⏳ Sending message to AI...',
      '⚠️ Empty response: no response stream received',
    ]);
  }
});

test('an empty stream, an error in mid-stream and a wrong stream say what they are before they reject', async () => {
  const cases: [() => unknown, string, string][] = [
    [() => stream(), 'NoToolActivityError', '⚠️ Empty response: no text or tool activity after 0 chunks'],
    [() => stream(text('Some text'), new TypeError('Missing attribute')), 'AgentError', '❌ Error: '],
    [() => [], 'UnexpectedTypeError', '❌ Invalid response structure: expected response stream, got object'],
    [
      () => {
        throw Object.assign(new Error('429 slow down'), { status: 429, requestID: 'req_0123' });
      },
      'AgentError',
      '❌ Error: Too many requests were sent to the service in a short time. Please try again in a moment.',
    ],
    [
      () => {
        throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED' });
      },
      'AgentError',
      '❌ Error: Could not connect to the service. Check that it is running and can be reached.',
    ],
    [
      () => stream({ promptFeedback: { blockReason: 'SAFETY' } }),
      'ResponseError',
      `❌ Error: ${getUserFriendlyMessage('CONTENT_FILTERED')}`,
    ],
  ];
  for (const [source, name, status] of cases) {
    const statuses: string[] = [];
    const debug: unknown[][] = [];
    const handler = new ResponseHandler({
      statusCallback: (told) => statuses.push(told),
      onDebug: (...told) => debug.push(told),
    });
    const error = await handler.collect(source as never).catch((thrown) => thrown);
    assert.equal(error.name, name);
    assert.ok(statuses.at(-1)?.startsWith(status), statuses.at(-1));
    if (['RATE_LIMITED', 'NETWORK_ERROR', 'CONTENT_FILTERED'].includes(error.code)) {
      assert.doesNotMatch(String(statuses.at(-1)), /429|HTTP|ECONNREFUSED|SAFETY|\brule\b/);
      assert.equal(debug.at(-1)?.[0], 'Exchange failed');
      const [, details] = debug.at(-1) as [string, { error?: unknown }];
      assert.equal(details.error, error.message);
    } else assert.ok(statuses.at(-1)?.endsWith(error.message), statuses.at(-1));
  }
});

/** How the line of a failure begins, by language. */
const FAILED: Record<string, string> = {
  en: '❌ Error: ',
  de: '❌ Fehler: ',
  es: '❌ Error: ',
  fr: '❌ Erreur\u{a0}: ',
  ja: '❌ エラー：',
  zh: '❌ 错误：',
};

test('the status of a provider’s error is in the language of the handler', async () => {
  for (const locale of LOCALES) {
    const statuses: string[] = [];
    const handler = new ResponseHandler({ locale, statusCallback: (told) => statuses.push(told) });
    const failing = () =>
      Promise.reject(Object.assign(new Error('x'), { status: 529, requestID: 'req_0123' }));
    await handler.collect(failing as never).catch(() => {});
    const sentence = getUserFriendlyMessage('PROVIDER_OVERLOADED', {}, { locale });
    assert.equal(statuses.at(-1), FAILED[locale] + sentence);
  }
});

test('a hand-made chunk is of no provider; one that only Google sends is Google’s', async () => {
  const down = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED' });
  const bug = () => new TypeError('x is undefined');
  const candidates = [{ content: { parts: [{ text: 'Hi' }] } }];
  for (const [chunk, thrown, provider] of [
    [{ text: 'Hi' }, down(), undefined],
    [{ text: 'Hi' }, bug(), undefined],
    [{ text: 'Hi', candidates }, down(), 'google'],
    [{ candidates }, down(), 'google'],
  ] as const) {
    const handler = new ResponseHandler();
    const error = await handler.collect(() => stream(chunk, thrown)).catch((caught) => caught);
    assert.equal(error.provider.provider, provider);
    assert.equal(/Google/.test(formatErrorMessage(error)), provider === 'google', formatErrorMessage(error));
    assert.equal(handler.text, 'Hi');
  }
  const given = new ResponseHandler({ format: 'google' });
  const error = await given.collect(() => stream({ text: 'Hi' }, down())).catch((caught) => caught);
  assert.equal(error.provider.provider, 'google');
});

test('a tool that does not exist is named, and has not moved', () => {
  const error = new ToolNotFoundError('wether', 'no such tool');
  assert.equal(
    error.userMessage(),
    'There is no tool named “wether”, so this step could not be done. Try again, or describe the task in another way.',
  );
});

test('a text that a chunk owns is read beside a call; a getter of its class is not', () => {
  const candidates = [{ content: { parts: [{ functionCall: { name: 'search' } }] } }];
  let read = 0;
  class Chunk {
    candidates = candidates;
    get text(): string {
      read++;
      return 'warned';
    }
  }
  const handler = new ResponseHandler({ format: 'google' });
  assert.equal(handler.processChunk(new Chunk())?.text, '');
  assert.equal(read, 0);
  assert.equal(handler.processChunk({ text: 'Let me', candidates })?.text, 'Let me');
});

test('a stream of tools names the last of them, a whole response says that the task is completed', () => {
  const call = { index: 0, id: 'a', function: { name: 'search', arguments: '{}' } };
  const streamed = new ResponseHandler();
  streamed.processChunk({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  assert.equal(streamed.getFinalResponse(), 'Analysis complete. Executed search successfully.');
  const whole = new ResponseHandler();
  whole.processResponse({ choices: [{ index: 0, message: { content: null, tool_calls: [call] } }] });
  assert.equal(whole.getFinalResponse(), 'Task completed using available tools.');
});

test('the sentence for a whole answer of tools alone is in the language of the handler', () => {
  const call = { index: 0, id: 'a', function: { name: 'search', arguments: '{}' } };
  const sentences: Record<string, string> = {
    en: 'Task completed using available tools.',
    de: 'Aufgabe mit den verfügbaren Werkzeugen erledigt.',
    es: 'Tarea completada con las herramientas disponibles.',
    fr: 'Tâche accomplie à l’aide des outils disponibles.',
    ja: '利用可能なツールを使って作業を完了しました。',
    zh: '已使用可用工具完成任务。',
  };
  assert.deepEqual(Object.keys(sentences).sort(), [...LOCALES].sort());
  for (const [locale, sentence] of Object.entries(sentences)) {
    const handler = new ResponseHandler({ locale });
    handler.processResponse({ choices: [{ index: 0, message: { content: null, tool_calls: [call] } }] });
    assert.equal(handler.getFinalResponse(), sentence);
  }
});

test('status lines and the sentence for tools are in the language of the handler, after a reset too', async () => {
  const call = { index: 0, id: 'a', function: { name: 'search', arguments: '{}' } };
  const rows: [string, string[], string][] = [
    [
      'en',
      ['⏳ Sending message to AI...', '🔧 Using search...'],
      'Analysis complete. Executed search successfully.',
    ],
    [
      'de-AT',
      ['⏳ Nachricht wird an die KI gesendet …', '🔧 search wird verwendet …'],
      'Analyse abgeschlossen. search wurde erfolgreich ausgeführt.',
    ],
    [
      'es',
      ['⏳ Enviando el mensaje a la IA…', '🔧 Usando search…'],
      'Análisis completado. search se ejecutó correctamente.',
    ],
    [
      'fr',
      ['⏳ Envoi du message à l’IA…', '🔧 Utilisation de search…'],
      'Analyse terminée. L’exécution de search a réussi.',
    ],
    [
      'ja',
      ['⏳ AIにメッセージを送信しています…', '🔧 searchを使用しています…'],
      '分析が完了しました。searchを正常に実行しました。',
    ],
    ['zh-Hans', ['⏳ 正在向AI发送消息……', '🔧 正在使用search……'], '分析完成。已成功执行search。'],
    [
      'tlh',
      ['⏳ Sending message to AI...', '🔧 Using search...'],
      'Analysis complete. Executed search successfully.',
    ],
  ];
  for (const [locale, [sending, using], sentence] of rows) {
    const statuses: string[] = [];
    const handler = new ResponseHandler({ locale, statusCallback: (status) => statuses.push(status) });
    const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] } }] };
    assert.equal(await handler.collect(() => stream(chunk, stop)), sentence);
    assert.deepEqual(statuses, [sending, using]);
    await assert.rejects(handler.collect(() => stream(new Error('boom'))));
    assert.equal(statuses.at(-1), `${FAILED[locale.slice(0, 2)] ?? FAILED.en}boom`);
  }
  assert.throws(() => new ResponseHandler({ locale: 7 as never }), /locale/);
});

test('no secret gets into a status line', async () => {
  const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');
  const statuses: string[] = [];
  const handler = new ResponseHandler({ statusCallback: (status) => statuses.push(status) });
  const failed = {
    type: 'tool-error',
    toolCallId: 'c',
    toolName: 'search',
    error: new Error(`refused ${key}`),
  };
  await assert.rejects(handler.collect(() => stream({ type: 'start' }, failed)));
  assert.match(statuses.at(-1) ?? '', /^❌ Error: .*“search”/);
  assert.doesNotMatch(statuses.join(), /refused|sk-/);
  await assert.rejects(handler.collect(() => stream(text('Hi'), new Error(`refused ${key}`))));
  assert.equal(statuses.at(-1), '❌ Error: refused [redacted]');
});

// The example of the design: a stream that says something, then fails with an error that no provider sent.
test('test_streaming_with_errors', async () => {
  class AttributeError extends Error {}
  const statuses: string[] = [];
  const handler = new ResponseHandler({ statusCallback: (status) => statuses.push(status) });
  const error = await handler
    .collect(() => stream(text('Some text'), new AttributeError('Missing attribute')))
    .then(assert.fail, (thrown) => thrown);
  const response = formatErrorMessage(error, { technicalDetails: true });
  assert.ok(response.toLowerCase().includes('error occurred'), response);
  assert.ok(response.includes('AttributeError: Missing attribute'), response);
  assert.equal(handler.text, 'Some text');
  assert.deepEqual(statuses, ['⏳ Sending message to AI...', '💭 Some text', '❌ Error: Missing attribute']);
});

test('each chunk has its debug record, with the ignored parts', () => {
  const told: unknown[] = [];
  const handler = new ResponseHandler({ onDebug: (message, details) => told.push([message, details]) });
  handler.processChunk(text('Hi'));
  handler.processChunk({ ...stop, sparkle: 1 });
  handler.processChunk({ type: 'confetti' });
  const record = { hasText: false, hasToolCall: false };
  assert.deepEqual(told, [
    ['Processed chunk', { chunkNum: 1, hasText: true, hasToolCall: false }],
    ['Processed chunk', { chunkNum: 2, ...record }],
    ['Passed over unknown fields', { chunkNum: 2, ...record, fields: ['sparkle'] }],
    ['Processed chunk', { chunkNum: 3, ...record }],
    ['Passed over unknown fields', { chunkNum: 3, ...record, fields: ['type'] }],
    ['Passed over a chunk of an unknown type', { chunkNum: 3, ...record, type: 'confetti' }],
  ]);
});

test('a chunk that fails has its record too', () => {
  const told: unknown[] = [];
  const handler = new ResponseHandler({ onDebug: (message, details) => told.push([message, details]) });
  assert.throws(() => handler.processChunk({ promptFeedback: { blockReason: 'SAFETY' } }), ResponseError);
  assert.equal(told.length, 1);
  const [message, { stack, ...details }] = told[0] as [string, Record<string, unknown>];
  assert.equal(message, 'Chunk processing failed');
  assert.deepEqual(details, {
    chunkNum: 1,
    hasText: false,
    hasToolCall: false,
    error: 'Response blocked: SAFETY',
  });
  assert.match(String(stack), /Response blocked: SAFETY\n.*response\.test\.ts/s);
});

test('the record of a failed chunk has a stack, whatever failed, and no secret', () => {
  const key = ['sk', 'proj', 'Zm9vYmFyYmF6cXV4MTIzNDU2'].join('-');
  const own = new Error(`refused ${key}`);
  const rows: [unknown, RegExp][] = [
    [{ error: { message: 'overloaded', code: 503 } }, /\n.*response\.test\.ts/s],
    [{ type: 'error', error: own }, /Error: refused \[redacted\]\n.*response\.test\.ts/s],
  ];
  for (const [chunk, expected] of rows) {
    const told: Record<string, unknown>[] = [];
    const handler = new ResponseHandler({ onDebug: (_, details) => told.push({ ...details }) });
    assert.throws(() => handler.processChunk(chunk), AgentError);
    assert.match(String(told.at(-1)?.stack), expected);
    assert.ok(!JSON.stringify(told).includes(key));
  }
});

test("an observer's error or rejection changes nothing", async () => {
  const handler = new ResponseHandler({
    statusCallback: async () => {
      throw new Error('status');
    },
    onDebug: () => {
      throw new Error('debug');
    },
  });
  assert.equal(await handler.collect(() => stream(text('Hi'), stop)), 'Hi');
});

test('a wrong option is a TypeError that names it', () => {
  assert.throws(() => new ResponseHandler({ format: 'gemini' as never }), /format/);
  assert.throws(() => new ResponseHandler({ statusCallback: 'log' as never }), /statusCallback/);
  assert.throws(() => new ResponseHandler({ onStatus: () => {} } as never), /onStatus/);
  assert.throws(() => new ResponseHandler().watch(null as never), TypeError);
});

test('values that throw when they are read are not there', () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
      has() {
        throw new Error('no');
      },
      ownKeys() {
        throw new Error('no');
      },
    },
  );
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  const handler = new ResponseHandler();
  for (const value of [
    hostile,
    revoked.proxy,
    { choices: hostile },
    { choices: revoked.proxy },
    { candidates: [hostile] },
    Symbol('x'),
    () => {},
    7n,
  ]) {
    handler.processChunk(value);
    assert.throws(() => handler.validateResponse(value), ResponseError);
  }
  // The core is unharmed.
  assert.equal(handler.processChunk(text('Hi'))?.text, 'Hi');
});

test('a handler may be used from within a chunk that it reads', () => {
  const handler = new ResponseHandler();
  const chunk = {
    get choices() {
      handler.processChunk(text('inner '));
      return [{ index: 0, delta: { content: 'outer' } }];
    },
  };
  handler.processChunk(chunk);
  assert.match(handler.text, /inner .*outer/);
});

test('the reset of a policy\u2019s stream, and reset(), begin anew', () => {
  const handler = new ResponseHandler();
  handler.processChunk(text('old'));
  assert.equal(handler.processChunk(STREAM_RESET), null);
  handler.processChunk(text('new'));
  assert.equal(handler.getFinalResponse(), 'new');
  handler.reset();
  assert.deepEqual(
    [handler.text, handler.chunkCount, handler.toolActivity, handler.lastToolName],
    ['', 0, false, undefined],
  );
});

test('handlers do not hear each other', () => {
  const [one, other] = [new ResponseHandler(), new ResponseHandler()];
  one.processChunk(text('one'));
  other.processChunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'other' } });
  one.processChunk(text('!'));
  assert.deepEqual(
    [one.text, other.text, one.format, other.format],
    ['one!', 'other', 'openai-chat', 'anthropic'],
  );
});

test('a hundred thousand chunks, each with its status, are read through', () => {
  let last = '';
  const handler = new ResponseHandler({
    statusCallback: (status) => {
      last = status;
    },
  });
  const chunk = text('0123456789');
  for (let i = 0; i < 100_000; i++) handler.processChunk(chunk);
  assert.equal(handler.text.length, 1_000_000);
  assert.equal(handler.chunkCount, 100_000);
  assert.equal(last, `💭 ${'0123456789'.repeat(5)}...`);
});
