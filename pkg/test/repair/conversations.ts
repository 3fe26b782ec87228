/** Conversations without a format, made at random, broken in known ways, and rendered in each format. */
import fc from 'fast-check';
import type { RequestFormat } from 'halfopen/repair';
import type { Any } from '../../src/rehearse/rules/shared.js';
import { refusedByAiSdk } from './validators/ai-sdk.js';
import {
  refusedByAnthropic,
  refusedByGoogle,
  refusedByOpenai,
  refusedByResponses,
} from './validators/refused.js';

interface Call {
  id: string;
  name: string;
}

export type Message =
  | { role: 'user'; text: string; hasImage: boolean }
  | { role: 'assistant'; text: string; hasReasoning: boolean; calls: Call[] }
  | { role: 'results'; results: Call[] };

const word = fc.stringMatching(/^[a-z]{3,8}$/);

/** An exchange: words of the user, steps with calls of tools, and an answer. */
const exchange = fc.record({
  user: word,
  hasImage: fc.boolean(),
  steps: fc.array(
    fc.record({
      text: fc.option(word, { nil: '' }),
      hasReasoning: fc.boolean(),
      names: fc.array(fc.constantFrom('weather', 'search', 'pay'), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
  answer: word,
});

/** A sound conversation. Each text has a number, so that all differ. */
export const sound: fc.Arbitrary<Message[]> = fc
  .tuple(fc.array(exchange, { minLength: 1, maxLength: 4 }), fc.constantFrom('user', 'results', 'assistant'))
  .map(([exchanges, end]) => {
    let count = 0;
    const numbered = (text: string) => (text === '' ? '' : `${text} ${count++}`);
    const messages = exchanges.flatMap(({ user, hasImage, steps, answer }): Message[] => [
      { role: 'user', text: numbered(user), hasImage },
      ...steps.flatMap(({ text, hasReasoning, names }): Message[] => {
        const calls = names.map((name) => ({ id: `call_${count++}`, name }));
        return [
          { role: 'assistant', text: numbered(text), hasReasoning, calls },
          { role: 'results', results: calls },
        ];
      }),
      { role: 'assistant', text: numbered(answer), hasReasoning: false, calls: [] },
    ]);
    if (end === 'results' && messages.at(-2)?.role === 'results') messages.pop();
    else if (end !== 'assistant') messages.push({ role: 'user', text: numbered('last'), hasImage: false });
    return messages;
  });

type Breaker = (messages: Message[], at: (below: number) => number) => Message[];

const withResults = (messages: Message[]) =>
  messages.flatMap((message, index) => (message.role === 'results' ? [index] : []));

/** Each breaks a conversation in one way, or leaves it as it is where it cannot. */
export const BREAKERS: Readonly<Record<string, Breaker>> = {
  droppedResult(messages, at) {
    const places = withResults(messages);
    const index = places[at(places.length)];
    const message = messages[index ?? -1];
    if (message?.role !== 'results') return messages;
    const gone = at(message.results.length);
    const results = message.results.filter((_, number) => number !== gone);
    return messages.flatMap((one, number) =>
      number !== index ? [one] : results.length > 0 ? [{ ...message, results }] : [],
    );
  },
  movedResults(messages, at) {
    const places = withResults(messages);
    const message = messages[places[at(places.length)] ?? -1];
    if (message === undefined) return messages;
    const rest = messages.filter((one) => one !== message);
    const target = at(rest.length + 1);
    return [...rest.slice(0, target), message, ...rest.slice(target)];
  },
  duplicateResults(messages, at) {
    const places = withResults(messages);
    const message = messages[places[at(places.length)] ?? -1];
    const target = at(messages.length + 1);
    return message === undefined
      ? messages
      : [...messages.slice(0, target), message, ...messages.slice(target)];
  },
  orphanResult(messages, at) {
    const target = at(messages.length + 1);
    const orphan: Message = { role: 'results', results: [{ id: 'call_gone', name: 'gone' }] };
    return [...messages.slice(0, target), orphan, ...messages.slice(target)];
  },
  emptyMessage(messages, at) {
    const target = at(messages.length + 1);
    const empty: Message =
      at(2) === 0
        ? { role: 'user', text: '', hasImage: false }
        : { role: 'assistant', text: '', hasReasoning: false, calls: [] };
    return [...messages.slice(0, target), empty, ...messages.slice(target)];
  },
  lostBeginning: (messages) => messages.slice(1),
  lostMessage(messages, at) {
    const gone = at(messages.length);
    return messages.length < 2 ? messages : messages.filter((_, index) => index !== gone);
  },
  swapped(messages, at) {
    const one = at(messages.length);
    const other = at(messages.length);
    const copy = [...messages];
    const [a, b] = [messages[one], messages[other]];
    if (a !== undefined && b !== undefined) {
      copy[one] = b;
      copy[other] = a;
    }
    return copy;
  },
  trailingSpace(messages) {
    const last = messages.at(-1);
    return last?.role === 'assistant' && last.text !== ''
      ? [...messages.slice(0, -1), { ...last, text: `${last.text} \n` }]
      : messages;
  },
  cutOff: (messages, at) => messages.slice(0, 1 + at(messages.length)),
};

/** A conversation after up to three breakages. */
export const broken: fc.Arbitrary<Message[]> = fc
  .tuple(
    sound,
    fc.array(
      fc.tuple(fc.constantFrom(...Object.keys(BREAKERS)), fc.array(fc.nat(), { minLength: 4, maxLength: 4 })),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([messages, breakages]) =>
    breakages.reduce((now, [name, numbers]) => {
      let next = 0;
      const at = (below: number) => (below === 0 ? 0 : (numbers[next++ % numbers.length] ?? 0) % below);
      return BREAKERS[name]?.(now, at) ?? now;
    }, messages),
  )
  .filter((messages) => messages.some(({ role }) => role !== 'results'));

interface Rendered {
  render(messages: readonly Message[]): Any;
  refused(request: Any): string | undefined;
}

const PIXEL = 'iVBORw0KGgo=';

export const FORMATS: Readonly<Record<RequestFormat, Rendered>> = {
  anthropic: {
    refused: refusedByAnthropic,
    render: (messages) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1024,
      messages: messages.map((message) => {
        if (message.role === 'results') {
          const content = message.results.map(({ id }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: `result ${id}`,
          }));
          return { role: 'user', content };
        }
        const { role, text } = message;
        if (role === 'user' && !message.hasImage) return { role, content: text };
        if (role === 'user') {
          const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
          return {
            role,
            content: [
              { type: 'image', source },
              { type: 'text', text },
            ],
          };
        }
        const reasoning = message.hasReasoning
          ? [{ type: 'thinking', thinking: 'hm', signature: `Er${text}` }]
          : [];
        const calls = message.calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} }));
        const isEmpty = text === '' && calls.length > 0;
        return { role, content: [...reasoning, ...(isEmpty ? [] : [{ type: 'text', text }]), ...calls] };
      }),
    }),
  },
  'openai-chat': {
    refused: refusedByOpenai,
    render: (messages) => ({
      model: 'gpt-5',
      messages: [
        { role: 'system', content: 'Be brief.' },
        ...messages.flatMap((message): Any[] => {
          if (message.role === 'results') {
            return message.results.map(({ id }) => ({
              role: 'tool',
              tool_call_id: id,
              content: `result ${id}`,
            }));
          }
          const { role, text } = message;
          if (role === 'user') {
            const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
            return [
              { role, content: message.hasImage ? [{ type: 'text', text: text || 'see' }, image] : text },
            ];
          }
          const calls = message.calls.map(({ id, name }) => ({
            id,
            type: 'function',
            function: { name, arguments: '{}' },
          }));
          return [{ role, content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
        }),
      ],
    }),
  },
  'openai-responses': {
    refused: refusedByResponses,
    render: (messages) => ({
      model: 'gpt-5',
      input: messages.flatMap((message, index): Any[] => {
        if (message.role === 'results') {
          return message.results.map(({ id }) => ({
            type: 'function_call_output',
            call_id: id,
            output: `result ${id}`,
          }));
        }
        const { role, text } = message;
        if (role === 'user') {
          const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` };
          return [
            { role, content: message.hasImage ? [{ type: 'input_text', text: text || 'see' }, image] : text },
          ];
        }
        const calls = message.calls.map(({ id, name }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: '{}',
        }));
        const isSaid = text !== '' || calls.length === 0;
        return [
          ...(message.hasReasoning
            ? [{ type: 'reasoning', id: `rs_${index}`, summary: [], encrypted_content: 'gAAAAx' }]
            : []),
          ...(isSaid ? [{ type: 'message', role, content: [{ type: 'output_text', text }] }] : []),
          ...calls,
        ];
      }),
    }),
  },
  google: {
    refused: refusedByGoogle,
    render: (messages) => ({
      model: 'gemini-3-pro-preview',
      contents: messages.map((message) => {
        if (message.role === 'results') {
          const parts = message.results.map(({ id, name }) => ({
            functionResponse: { id, name, response: { result: id } },
          }));
          return { role: 'user', parts };
        }
        const { role, text } = message;
        if (role === 'user') {
          const image = { inlineData: { mimeType: 'image/png', data: PIXEL } };
          return { role, parts: [...(message.hasImage ? [image] : []), { text }] };
        }
        const calls = message.calls.map(({ id, name }, index) => ({
          functionCall: { id, name, args: {} },
          ...(index === 0 && { thoughtSignature: `Cs${id}` }),
        }));
        const isSaid = text !== '' || calls.length === 0;
        return { role: 'model', parts: [...(isSaid ? [{ text }] : []), ...calls] };
      }),
    }),
  },
  'ai-sdk': {
    refused: refusedByAiSdk,
    render: (messages) => ({
      prompt: messages.map((message) => {
        if (message.role === 'results') {
          const content = message.results.map(({ id, name }) => ({
            type: 'tool-result',
            toolCallId: id,
            toolName: name,
            output: { type: 'text', value: `result ${id}` },
          }));
          return { role: 'tool', content };
        }
        const { role, text } = message;
        if (role === 'user') {
          const image = { type: 'file', mediaType: 'image/png', data: new Uint8Array([1]) };
          return { role, content: [{ type: 'text', text }, ...(message.hasImage ? [image] : [])] };
        }
        const reasoning = message.hasReasoning
          ? [{ type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'Er' } } }]
          : [];
        const calls = message.calls.map(({ id, name }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: {},
        }));
        const isSaid = text !== '' || calls.length === 0;
        return { role, content: [...reasoning, ...(isSaid ? [{ type: 'text', text }] : []), ...calls] };
      }),
    }),
  },
};

export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** All that was said, in order, and the ids of the calls. */
export function saidIn(request: Any): { texts: string[]; calls: string[]; images: number } {
  const texts: string[] = [];
  const calls: string[] = [];
  let images = 0;
  const visit = (value: Any): void => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof value.text === 'string' && value.thinking === undefined && value.type !== 'reasoning')
      texts.push(value.text);
    if (typeof value.content === 'string' && (value.role === 'user' || value.role === 'assistant'))
      texts.push(value.content);
    if (value.type === 'tool_use' || value.type === 'function') calls.push(value.id);
    if (value.type === 'function_call') calls.push(value.call_id);
    if (value.type === 'tool-call') calls.push(value.toolCallId);
    if (value.functionCall) calls.push(value.functionCall.id);
    if (/^(?:image|image_url|input_image|file)$/.test(value.type) || value.inlineData) images += 1;
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(request);
  return { texts, calls, images };
}
