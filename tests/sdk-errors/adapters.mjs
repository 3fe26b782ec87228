// One adapter per SDK: chat(ctx) / stream(ctx) make exactly one request with the SDK's own retries disabled.
// ctx = { base, timeout, signal, key, model }
import fs from 'node:fs';
import * as F from './faults.mjs';
import { PORTS } from './server.mjs';
export const ver = (p) => {
  try {
    return JSON.parse(fs.readFileSync(new URL(`./node_modules/${p}/package.json`, import.meta.url))).version;
  } catch {
    return null;
  }
};
for (const k of Object.keys(process.env))
  if (/(API_KEY|_TOKEN|^AZURE_|^OPENAI|^ANTHROPIC|^GOOGLE|^GEMINI|proxy)/i.test(k)) delete process.env[k];
process.env.METADATA_SERVER_DETECTION = 'none'; // google-auth-library: do not probe for a cloud metadata server
globalThis.AI_SDK_LOG_WARNINGS = false;

const drain = async (it) => {
  const out = [];
  for await (const x of it) out.push(x);
  return { drained: out.length, last: out.at(-1) };
};
const msgs = [{ role: 'user', content: F.PROMPT }];
const opt = (o) => Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined));

export const adapters = {};
const add = (key, a) => {
  adapters[key] = { key, ...a };
};

// ---- openai v6 / v4 ----
async function openaiFamily(key, mod, label) {
  const { default: OpenAI, AzureOpenAI } = await import(mod);
  const mk = (c) =>
    new OpenAI(
      opt({ apiKey: c.key ?? F.KEYS.openai, baseURL: `${c.base}/v1`, maxRetries: 0, timeout: c.timeout }),
    );
  const body = (c) => ({ model: c.model ?? F.OPENAI_MODEL, messages: msgs });
  add(key, {
    sdk: label,
    version: ver(mod),
    provider: 'openai',
    model: F.OPENAI_MODEL,
    chat: (c) => mk(c).chat.completions.create(body(c), opt({ signal: c.signal })),
    stream: async (c) =>
      drain(await mk(c).chat.completions.create({ ...body(c), stream: true }, opt({ signal: c.signal }))),
    responses: (c) =>
      mk(c).responses.create({ model: F.OPENAI_MODEL, input: F.PROMPT }, opt({ signal: c.signal })),
    responsesStream: async (c) =>
      drain(
        await mk(c).responses.create(
          { model: F.OPENAI_MODEL, input: F.PROMPT, stream: true },
          opt({ signal: c.signal }),
        ),
      ),
    parse: (c) =>
      mk(c).chat.completions.parse({
        ...body(c),
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {}, strict: true } },
      }),
    azure: (c) =>
      new AzureOpenAI({
        apiKey: F.KEYS.azure,
        baseURL: `${c.base}/openai`,
        apiVersion: '2024-10-21',
        maxRetries: 0,
      }).chat.completions.create(body(c)),
    missingKey: () => {
      new OpenAI({ baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 });
    },
    missingKeyAzure: () => {
      new AzureOpenAI({ baseURL: 'http://127.0.0.1:1/', apiVersion: 'x' });
    },
    badBaseUrl: () =>
      new OpenAI({ apiKey: F.KEYS.openai, baseURL: 'not a url', maxRetries: 0 }).chat.completions.create(
        body({}),
      ),
    badHeaderKey: () =>
      new OpenAI({
        apiKey: `“${F.KEYS.openai}”`,
        baseURL: `http://127.0.0.1:${PORTS.closed}/v1`,
        maxRetries: 0,
      }).chat.completions.create(body({})),
  });
}
await openaiFamily('openai', 'openai', 'openai');
await openaiFamily('openai4', 'openai4', 'openai@4');

// ---- anthropic ----
{
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const mk = (c) =>
    new Anthropic(
      opt({ apiKey: c.key ?? F.KEYS.anthropic, baseURL: c.base, maxRetries: 0, timeout: c.timeout }),
    );
  const body = { model: F.ANTHROPIC_MODEL, max_tokens: 64, messages: msgs };
  add('anthropic', {
    sdk: '@anthropic-ai/sdk',
    version: ver('@anthropic-ai/sdk'),
    provider: 'anthropic',
    model: F.ANTHROPIC_MODEL,
    chat: (c) => mk(c).messages.create(body, opt({ signal: c.signal })),
    stream: async (c) =>
      drain(await mk(c).messages.create({ ...body, stream: true }, opt({ signal: c.signal }))),
    helper: async (c) =>
      mk(c)
        .messages.stream(body, opt({ signal: c.signal }))
        .finalMessage(),
    missingKey: () => new Anthropic({ baseURL: 'http://127.0.0.1:1', maxRetries: 0 }).messages.create(body),
    longRequest: () =>
      new Anthropic({
        apiKey: F.KEYS.anthropic,
        baseURL: 'http://127.0.0.1:1',
        maxRetries: 0,
      }).messages.create({ ...body, max_tokens: 200000 }),
    badBaseUrl: () =>
      new Anthropic({ apiKey: F.KEYS.anthropic, baseURL: 'not a url', maxRetries: 0 }).messages.create(body),
  });
}
// ---- google ----
{
  const { GoogleGenAI } = await import('@google/genai');
  const mk = (c) =>
    new GoogleGenAI({
      apiKey: c.key ?? F.KEYS.google,
      httpOptions: opt({ baseUrl: c.base, timeout: c.timeout }),
    });
  const args = (c) => ({ model: F.GOOGLE_MODEL, contents: F.PROMPT, config: opt({ abortSignal: c.signal }) });
  add('google', {
    sdk: '@google/genai',
    version: ver('@google/genai'),
    provider: 'google',
    model: F.GOOGLE_MODEL,
    chat: (c) => mk(c).models.generateContent(args(c)),
    stream: async (c) => drain(await mk(c).models.generateContentStream(args(c))),
    // HOME is set aside so that no gcloud credentials of this machine are picked up
    missingKey: async (c) => {
      const { HOME } = process.env;
      process.env.HOME = '/nonexistent';
      try {
        return await new GoogleGenAI({ httpOptions: { baseUrl: c.base } }).models.generateContent({
          model: F.GOOGLE_MODEL,
          contents: 'x',
        });
      } finally {
        if (HOME === undefined) delete process.env.HOME;
        else process.env.HOME = HOME;
      }
    },
    vertexMissing: () => {
      new GoogleGenAI({ vertexai: true });
    },
    retried: (c) =>
      new GoogleGenAI({
        apiKey: F.KEYS.google,
        httpOptions: {
          baseUrl: c.base,
          retryOptions: { attempts: 2, initialDelay: 0.05, maxDelay: 0.05, jitter: 0 },
        },
      }).models.generateContent(args(c)),
  });
}
// ---- vercel ai ----
{
  const ai = await import('ai');
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { z } = await import('zod');
  const mk = (key, sdk, pkg, provider, model, mkModel, missing) => {
    const call = (c) =>
      opt({
        model: mkModel(c),
        prompt: F.PROMPT,
        maxRetries: c.maxRetries ?? 0,
        abortSignal: c.signal,
        timeout: c.timeout,
      });
    add(key, {
      sdk,
      version: `${ver('ai')} + ${pkg}@${ver(pkg)}`,
      provider,
      model,
      chat: (c) => ai.generateText(call(c)),
      // fullStream 'error' part: the value handed to onError / emitted as {type:'error', error}
      stream: async (c) => {
        let err,
          n = 0,
          last;
        const r = ai.streamText({ ...call(c), onError: () => {} });
        for await (const p of r.fullStream) {
          n++;
          last = p;
          if (p.type === 'error') {
            err = p;
            break;
          }
          if (p.type === 'abort') {
            return { abortPart: p, note: 'no error thrown: fullStream yields {type:"abort"}' };
          }
        }
        if (err) throw err.error;
        return { drained: n, last };
      },
      textStream: async (c) => {
        const r = ai.streamText({ ...call(c), onError: () => {} });
        let t = '';
        for await (const x of r.textStream) t += x;
        return { text: t, note: 'textStream swallows errors; only onError sees them' };
      },
      awaitText: async (c) => {
        const r = ai.streamText({ ...call(c), onError: () => {} });
        return { text: await r.text };
      },
      object: (c) => ai.generateObject({ ...call(c), schema: z.object({ answer: z.number() }) }),
      tool: (c) =>
        ai.generateText({
          ...call(c),
          tools: {
            search: ai.tool({
              description: 'x',
              inputSchema: z.object({ q: z.string() }),
              execute: async () => {
                throw new Error('tool exploded: ECONNREFUSED 10.0.0.1:5432');
              },
            }),
          },
        }),
      missingKey: missing,
    });
  };
  mk(
    'ai-openai',
    'ai+@ai-sdk/openai',
    '@ai-sdk/openai',
    'openai',
    F.OPENAI_MODEL,
    (c) => {
      const p = createOpenAI({ apiKey: c.key ?? F.KEYS.openai, baseURL: `${c.base}/v1` });
      return c.useResponses ? p.responses(F.OPENAI_MODEL) : p.chat(F.OPENAI_MODEL);
    },
    () =>
      ai.generateText({
        model: createOpenAI({ baseURL: 'http://127.0.0.1:1/v1' }).chat('m'),
        prompt: 'x',
        maxRetries: 0,
      }),
  );
  adapters['ai-openai'].noGateway = () =>
    ai.generateText({ model: 'openai/gpt-canary', prompt: 'x', maxRetries: 0 });
  adapters['ai-openai'].invalidPrompt = (c) =>
    ai.generateText({
      model: createOpenAI({ apiKey: 'x', baseURL: c.base }).chat('m'),
      messages: [],
      maxRetries: 0,
    });
  adapters['ai-openai'].noSuchModel = async () => {
    const reg = ai.createProviderRegistry({ openai: createOpenAI({ apiKey: 'x' }) });
    return reg.languageModel('nope:gpt-canary');
  };
  adapters['ai-openai'].embedUnsupported = async () =>
    ai.customProvider({ languageModels: {} }).embeddingModel('embed');
}
// ---- fetch: send an OpenAI-style chat request ----
const H = { 'content-type': 'application/json', authorization: `Bearer ${F.KEYS.openai}` };
const B = JSON.stringify({ model: F.OPENAI_MODEL, messages: msgs });
{
  const req = (c) =>
    fetch(
      `${c.base}/v1/chat/completions`,
      opt({
        method: 'POST',
        headers: H,
        body: B,
        signal: c.signal ?? (c.timeout ? AbortSignal.timeout(c.timeout) : undefined),
      }),
    );
  const fail = {
    // the ways people turn a non-2xx Response into a thrown value
    textError: async (r) => {
      throw new Error(`HTTP ${r.status}: ${await r.text()}`);
    },
    statusOnly: async (r) => {
      throw new Error(`HTTP error! status: ${r.status}`);
    },
    statusTextOnly: async (r) => {
      throw new Error(`Request failed: ${r.statusText}`);
    },
    bodyMessage: async (r) => {
      const j = await r.json();
      throw new Error(j.error?.message ?? j.message);
    },
    assign: async (r) => {
      const e = new Error('Request failed');
      e.status = r.status;
      e.response = r;
      e.body = await r.text();
      throw e;
    },
    throwResponse: async (r) => {
      throw r;
    },
    throwJson: async (r) => {
      throw await r.json();
    },
  };
  const go = (mode) => async (c) => {
    const r = await req(c);
    if (!r.ok) return fail[mode](r);
    return r.json();
  };
  add('fetch', {
    sdk: 'fetch',
    version: `node ${process.version} (undici ${process.versions.undici})`,
    provider: null,
    model: F.OPENAI_MODEL,
    chat: go('textError'),
    statusOnly: go('statusOnly'),
    statusTextOnly: go('statusTextOnly'),
    bodyMessage: go('bodyMessage'),
    assign: go('assign'),
    throwResponse: go('throwResponse'),
    throwJson: go('throwJson'),
    stream: async (c) => {
      const r = await req(c);
      if (!r.ok) return fail.textError(r);
      const dec = new TextDecoder();
      let s = '';
      for await (const ch of r.body) s += dec.decode(ch, { stream: true });
      return { text: s };
    },
    blindJson: async (c) => (await req(c)).json(),
    fixed: req,
  });
}
