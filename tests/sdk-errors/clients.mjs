// One client for each further SDK: `call` makes one request, without retries of the SDK's own.
// `speaks` names the wire format of its errors, `keeps` what of the response the thrown value still carries.
import { KEYS, PROMPT } from './faults.mjs';

const messages = [{ role: 'user', content: PROMPT }];
const given = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
const signalOf = ({ signal, timeout }) => signal ?? (timeout ? AbortSignal.timeout(timeout) : undefined);

export const clients = [];
const client = (key, provider, speaks, keeps, call, more = {}) =>
  clients.push({ key, provider, speaks, keeps, call, ...more });

for (const [key, from] of [
  ['openai7', 'openai7'],
  ['openai5', 'openai5'],
]) {
  const { default: OpenAI } = await import(from);
  client(
    key,
    'openai',
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      new OpenAI(
        given({ apiKey: KEYS.openai, baseURL: `${base}/v1`, maxRetries: 0, timeout }),
      ).chat.completions.create({ model: 'gpt-canary', messages }, given({ signal })),
  );
}
{
  const { default: Anthropic } = await import('anthropic0');
  client(
    'anthropic0',
    'anthropic',
    'anthropic',
    { status: true, hint: true, id: 'request-id' },
    ({ base, timeout, signal }) =>
      new Anthropic(given({ apiKey: KEYS.anthropic, baseURL: base, maxRetries: 0, timeout })).messages.create(
        { model: 'claude-canary', max_tokens: 9, messages },
        given({ signal }),
      ),
  );
}
{
  const { default: Groq } = await import('groq-sdk');
  client(
    'groq',
    'groq',
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      new Groq(given({ apiKey: KEYS.openai, baseURL: base, maxRetries: 0, timeout })).chat.completions.create(
        { model: 'llama-canary', messages },
        given({ signal }),
      ),
  );
}
{
  const { GoogleGenerativeAI } = await import('@google/generative-ai');
  client(
    'google-old',
    'google',
    'google',
    { status: true, hint: 'body', id: null },
    ({ base, timeout, signal }) =>
      new GoogleGenerativeAI(KEYS.google)
        .getGenerativeModel({ model: 'gemini-canary' }, given({ baseUrl: base, timeout }))
        .generateContent(PROMPT, given({ signal })),
    { abortIsTimeout: true, losesCause: true },
  );
}
{
  const { Mistral } = await import('@mistralai/mistralai');
  client(
    'mistral',
    'mistral',
    'mistral',
    { status: true, hint: true, id: 'mistral-correlation-id' },
    ({ base, timeout, signal }) =>
      new Mistral(
        given({
          apiKey: KEYS.openai,
          serverURL: base,
          timeoutMs: timeout,
          retryConfig: { strategy: 'none' },
        }),
      ).chat.complete({ model: 'mistral-canary', messages }, given({ fetchOptions: signal && { signal } })),
  );
}
{
  const { CohereClientV2 } = await import('cohere-ai');
  client(
    'cohere',
    'cohere',
    'cohere',
    { status: true, hint: true, id: 'x-debug-trace-id' },
    ({ base, timeout, signal }) =>
      new CohereClientV2({ token: KEYS.openai, baseUrl: base, environment: base }).chat(
        { model: 'command-canary', messages },
        given({ maxRetries: 0, timeoutInSeconds: timeout && timeout / 1000, abortSignal: signal }),
      ),
  );
}
{
  const { Ollama } = await import('ollama');
  client(
    'ollama',
    'ollama',
    'ollama',
    { status: true, hint: false, id: null },
    ({ base, timeout, signal }) => {
      const cut = signalOf({ signal, timeout });
      return new Ollama({
        host: base,
        fetch: (url, init) => fetch(url, cut ? { ...init, signal: cut } : init),
      }).chat({ model: 'canary', messages });
    },
  );
}
{
  const { BedrockRuntimeClient, ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime');
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  client(
    'bedrock',
    'bedrock',
    'bedrock',
    { status: true, hint: true, id: 'x-amzn-requestid' },
    ({ base, timeout, signal }) =>
      new BedrockRuntimeClient(
        given({
          region: 'us-east-1',
          endpoint: base,
          maxAttempts: 1,
          credentials: {
            accessKeyId: 'AKIACANARYCANARY0000',
            secretAccessKey: KEYS.azure,
            sessionToken: KEYS.openai,
          },
          requestHandler: new NodeHttpHandler(
            given({ requestTimeout: timeout, throwOnRequestTimeout: timeout ? true : undefined }),
          ),
        }),
      ).send(
        new ConverseCommand({ modelId: 'canary', messages: [{ role: 'user', content: [{ text: PROMPT }] }] }),
        given({ abortSignal: signal }),
      ),
  );
}
{
  const { ChatOpenAI } = await import('@langchain/openai');
  client(
    'langchain',
    'openai',
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      new ChatOpenAI(
        given({
          model: 'gpt-canary',
          apiKey: KEYS.openai,
          maxRetries: 0,
          timeout,
          configuration: { baseURL: `${base}/v1` },
        }),
      ).invoke(PROMPT, given({ signal })),
  );
}
const json = { model: 'gpt-canary', messages };
const headers = { authorization: `Bearer ${KEYS.openai}`, 'content-type': 'application/json' };
{
  const { default: axios } = await import('axios');
  client(
    'axios',
    null,
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      axios.post(`${base}/v1/chat/completions`, json, given({ headers, timeout, signal })),
    { parses: false },
  );
}
{
  const { default: got } = await import('got');
  client(
    'got',
    null,
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      got
        .post(
          `${base}/v1/chat/completions`,
          given({ json, headers, retry: { limit: 0 }, timeout: timeout && { request: timeout }, signal }),
        )
        .json(),
  );
}
{
  const { default: ky } = await import('ky');
  client(
    'ky',
    null,
    'openai',
    { status: true, hint: true, id: 'x-request-id', body: false },
    ({ base, timeout, signal }) =>
      ky
        .post(
          `${base}/v1/chat/completions`,
          given({ json, headers, retry: 0, timeout: timeout ?? false, signal }),
        )
        .json(),
  );
}
{
  const { Agent, interceptors, request } = await import('undici');
  const dispatcher = new Agent().compose(interceptors.responseError());
  client(
    'undici',
    null,
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    async ({ base, timeout, signal }) => {
      const { body } = await request(
        `${base}/v1/chat/completions`,
        given({
          method: 'POST',
          body: JSON.stringify(json),
          headers,
          dispatcher,
          headersTimeout: timeout,
          signal,
        }),
      );
      return body.json();
    },
  );
}
{
  const { default: nodeFetch } = await import('node-fetch');
  client(
    'node-fetch',
    null,
    'openai',
    { status: true, hint: false, id: null },
    async ({ base, timeout, signal }) => {
      const response = await nodeFetch(
        `${base}/v1/chat/completions`,
        given({ method: 'POST', body: JSON.stringify(json), headers, signal: signalOf({ timeout, signal }) }),
      );
      if (!response.ok)
        throw new Error(`Request failed with status code ${response.status}: ${await response.text()}`);
      return response.json();
    },
    { abortIsTimeout: true },
  );
}
{
  const http = await import('node:http');
  const https = await import('node:https');
  client(
    'node-http',
    null,
    'openai',
    { status: true, hint: true, id: 'x-request-id' },
    ({ base, timeout, signal }) =>
      new Promise((resolve, reject) => {
        const request = (base.startsWith('https') ? https : http).request(
          `${base}/v1/chat/completions`,
          given({ method: 'POST', headers, timeout, signal }),
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk) => {
              text += chunk;
            });
            response.on('error', reject);
            response.on('end', () => {
              if (response.statusCode < 400) {
                try {
                  resolve(JSON.parse(text));
                } catch (error) {
                  reject(error);
                }
              } else
                reject(
                  Object.assign(new Error('upstream said no'), {
                    statusCode: response.statusCode,
                    headers: response.headers,
                    body: text,
                  }),
                );
            });
          },
        );
        request.on('timeout', () =>
          request.destroy(Object.assign(new Error('socket timed out'), { code: 'ETIMEDOUT' })),
        );
        request.on('error', reject);
        request.end(JSON.stringify(json));
      }),
  );
}
