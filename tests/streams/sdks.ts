// The real SDKs, each as a function from an address to its own stream.
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { jsonSchema, streamText, type ToolSet } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';

export interface Sdk {
  name: string;
  /** The folder of recorded streams that it speaks. */
  folder: string;
  stream(baseURL: string): Promise<AsyncIterable<unknown>>;
}

const messages = [{ role: 'user' as const, content: 'Say hello' }];

function openai(baseURL: string): OpenAI {
  return new OpenAI({ apiKey: 'test', baseURL, maxRetries: 0 });
}

function aiSdk(baseURL: string) {
  const model = createOpenAI({ apiKey: 'test', baseURL }).chat('gpt-5-mini');
  // Without `execute`: the model's call is all that is read here.
  const tools: ToolSet = {
    weather: { inputSchema: jsonSchema<never>({ type: 'object' }) },
    time: { inputSchema: jsonSchema<never>({ type: 'object' }) },
  };
  return streamText({ model, tools, prompt: 'Say hello', maxRetries: 0, onError: () => {} });
}

export const SDKS: readonly Sdk[] = [
  {
    name: 'openai, chat completions',
    folder: 'openai-chat',
    stream: (baseURL) =>
      openai(baseURL).chat.completions.create({ model: 'gpt-5-mini', messages, stream: true }),
  },
  {
    name: 'openai, responses',
    folder: 'openai-responses',
    stream: (baseURL) =>
      openai(baseURL).responses.create({ model: 'gpt-5-mini', input: 'Say hello', stream: true }),
  },
  {
    name: '@anthropic-ai/sdk',
    folder: 'anthropic',
    stream: (baseURL) =>
      new Anthropic({ apiKey: 'test', baseURL, maxRetries: 0 }).messages.create({
        model: 'claude-test',
        max_tokens: 100,
        messages,
        stream: true,
      }),
  },
  {
    name: '@google/genai',
    folder: 'google',
    stream: (baseUrl) =>
      new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } }).models.generateContentStream({
        model: 'gemini-2.5-flash',
        contents: 'Say hello',
      }),
  },
  { name: 'ai, fullStream', folder: 'openai-chat', stream: async (baseURL) => aiSdk(baseURL).fullStream },
  {
    name: 'ai, toUIMessageStream',
    folder: 'openai-chat',
    stream: async (baseURL) => aiSdk(baseURL).toUIMessageStream(),
  },
  { name: 'ai, textStream', folder: 'openai-chat', stream: async (baseURL) => aiSdk(baseURL).textStream },
  {
    name: 'ollama',
    folder: 'ollama',
    stream: async (host) => new Ollama({ host }).chat({ model: 'llama3.2', messages, stream: true }),
  },
];
