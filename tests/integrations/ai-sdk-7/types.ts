// The types of the AI SDK 7 and of `halfopen/ai-sdk` fit. Compiled, and never run.
import { createOpenAI } from '@ai-sdk/openai';
import { embed, generateText, streamText, wrapEmbeddingModel, wrapLanguageModel } from 'ai';
import { createPolicy } from 'halfopen';
import { failoverModel, guardCall, guardMiddleware, runSettings } from 'halfopen/ai-sdk';
import { createRun } from 'halfopen/run';

const policy = createPolicy();
const openai = createOpenAI();

export const guarded = wrapLanguageModel({
  model: openai.chat('gpt-5'),
  middleware: guardMiddleware(policy),
});
export const joined = failoverModel([
  { model: openai.chat('gpt-5'), policy },
  { model: guarded, policy },
]);
export const embedding = wrapEmbeddingModel({
  model: openai.embedding('text-embedding-3-small'),
  middleware: guardMiddleware(policy),
});

export const text: Promise<string> = generateText({ model: joined, prompt: 'hi' }).then(
  (result) => result.text,
);
export const vector: Promise<number[]> = embed({ model: embedding, value: 'hi' }).then(
  (result) => result.embedding,
);
export const stream: AsyncIterable<string> = guardCall(policy, ({ signal }) =>
  streamText({ model: guarded, prompt: 'hi', abortSignal: signal }),
).textStream;
export const inARun: Promise<string> = generateText(
  runSettings(createRun(), { model: guarded, prompt: 'hi' }, { escalateTo: openai.chat('gpt-5') }),
).then((result) => result.text);
