// Effect's AI packages, with Effect's retries of transient HTTP failures, as their documentation shows them.
import { Chat, Tool, Toolkit } from '@effect/ai';
import { OpenAiClient, OpenAiLanguageModel } from '@effect/ai-openai';
import { FetchHttpClient, HttpClient } from '@effect/platform';
import { Effect, Layer, Redacted, Schema } from 'effect';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const fields = ({ properties }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [
      name,
      type === 'number' ? Schema.Number : Schema.String,
    ]),
  );
const toolkit = Toolkit.make(
  ...Object.entries(TOOLS).map(([name, { description, parameters }]) =>
    Tool.make(name, {
      description,
      parameters: fields(parameters),
      success: Schema.String,
      failure: Schema.String,
      failureMode: 'return',
    }),
  ),
);
const handlers = toolkit.toLayer(
  Object.fromEntries(
    Object.keys(TOOLS).map((name) => [
      name,
      (args) =>
        Effect.tryPromise({
          try: (signal) => callTool(name, args, { signal }),
          catch: (error) => error.message,
        }),
    ]),
  ),
);
const client = OpenAiClient.layer({
  apiKey: Redacted.make(process.env.OPENAI_API_KEY),
  apiUrl: process.env.OPENAI_BASE_URL,
  transformClient: HttpClient.retryTransient({ times: 3 }),
}).pipe(Layer.provide(FetchHttpClient.layer));

const agent = Effect.gen(function* () {
  const chat = yield* Chat.empty;
  let response = yield* chat.generateText({ prompt: TASK, toolkit });
  for (let step = 0; step < 20 && response.toolCalls.length > 0; step++)
    response = yield* chat.generateText({ prompt: [], toolkit });
  return response.text;
}).pipe(Effect.provide(OpenAiLanguageModel.model('gpt-4o')), Effect.provide([client, handlers]));

await main(() => Effect.runPromise(agent));
