// cases: [{id, sdk, sdkVersion, provider, fault, expected, wire, why, run}]   run() => Promise; rejects with the LIVE error object.
// Call setup() once before running; teardown() afterwards. (run() also calls setup() lazily.)

import { execFile } from 'node:child_process';
import dns from 'node:dns';
import fs from 'node:fs';
import os from 'node:os';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { adapters, ver } from './adapters.mjs';
import * as F from './faults.mjs';
import { origin, PORTS, register, start, stop } from './server.mjs';

const { X } = F;
// Provenance of each mocked body. 'seen' = wording located in public issue threads or docs; 'sdk' = taken from SDK source;
// 'recall' = follows the API's known shape, wording NOT checked against a public source. ids, orgs and keys are invented.
const SEEN = {
  openai: [
    'context-length',
    'region',
    'rate-limit-sec',
    'rate-limit-ms',
    'rate-limit-body-only',
    'rate-limit-request-too-large',
    'server-error',
  ],
  azure: ['content-filter'],
  compat: ['litellm-ratelimit'],
  anthropic: [
    'context-length',
    'context-length-max-tokens',
    'max-tokens-too-large',
    'bad-request-tool-schema',
    'permission',
    'rate-limit-sec',
    'rate-limit-ms',
  ],
  google: [
    'context-length',
    'rate-limit-retryinfo',
    'quota-per-day',
    'quota-limit-zero',
    'vertex-exhausted',
    'model-capacity-429',
    'rate-limit-header',
  ],
};
for (const [t, tab] of Object.entries(F)) {
  if (/Ok$|KEYS/.test(t) || typeof tab !== 'object') continue;
  for (const [f, spec] of Object.entries(tab))
    if (spec && typeof spec === 'object' && spec.exp)
      spec.src = SEEN[t]?.includes(f)
        ? 'seen'
        : spec.transport
          ? 'n/a'
          : spec.src === 'sdk'
            ? 'sdk'
            : 'recall';
}
export const setup = start;
export const teardown = stop;
const lost = (() => {
  try {
    return JSON.parse(fs.readFileSync(new URL('./lost.json', import.meta.url)));
  } catch {
    return {};
  }
})();
export const cases = [];
const ids = new Set();
const sleepAbort = (ms, reason) => {
  const ac = new AbortController();
  const t = setTimeout(() => ac.abort(reason), ms);
  t.unref?.();
  return ac.signal;
};
// The truth the thrown value cannot carry: [idRegex, {code?, accept?, ambiguous, retryable?}]. ambiguous => do not score retryable.
const OV = [
  [
    /^(openai|openai4|anthropic|google)\.chat\.abort-signal-timeout$/,
    {
      code: 'CANCELLED',
      retryable: false,
      accept: ['TIMEOUT'],
      ambiguous: 'AbortSignal.timeout() is indistinguishable from a user abort in the thrown value',
    },
  ],
  [
    /^google\.chat\.client-timeout$/,
    {
      code: 'TIMEOUT',
      accept: ['CANCELLED'],
      ambiguous: 'SDK timeout surfaces as an AbortError: identical to user abort',
    },
  ],
  [
    /^openai\.chat\.compat-vllm-context$/,
    { code: 'VALIDATION_ERROR', accept: ['CONTEXT_LENGTH_EXCEEDED'], ambiguous: 'body discarded by SDK' },
  ],
  [
    /^fetch\.(statusOnly|statusTextOnly|throwResponse)\..*context-length$/,
    {
      code: 'VALIDATION_ERROR',
      accept: ['CONTEXT_LENGTH_EXCEEDED', 'UNKNOWN'],
      ambiguous: 'wrapper kept only the status',
    },
  ],
  [
    /^fetch\.(statusOnly|statusTextOnly|throwResponse)\..*overloaded-503$/,
    { code: 'SERVER_ERROR', accept: ['PROVIDER_OVERLOADED'] },
  ],
  [
    /^fetch\.blindJson\.blind-json-502-html$/,
    { code: 'INVALID_RESPONSE', accept: ['SERVER_ERROR'], ambiguous: 'status lost' },
  ],
  [
    /^fetch\.blindJson\.blind-json-429-text$/,
    {
      code: 'RATE_LIMITED',
      accept: ['INVALID_RESPONSE'],
      ambiguous: 'status lost; text quoted inside a SyntaxError',
    },
  ],
  [
    /\.awaitText\.await-text-429$/,
    {
      code: 'INVALID_RESPONSE',
      accept: ['UNKNOWN', 'RATE_LIMITED'],
      ambiguous: 'NoOutputGeneratedError hides the 429',
    },
  ],
  [/\.proxy-407$/, { ambiguous: 'fetch() turns a 407 into "fetch failed" with an empty cause' }],
  [/\.tls-to-plain-port$/, { ambiguous: 'ECONNRESET, looks like a transient reset' }],
  [
    /^(ai-openai|fetch)\..*abort-(custom|string)-reason$/,
    { ambiguous: "some clients throw the caller's own reason", accept: ['UNKNOWN'] },
  ],
  [
    /^node\.local\.(config-json-syntax|throw-number|aggregate-any|type-error-undefined)$/,
    { ambiguous: 'needs context' },
  ],
];
function push(c) {
  if (ids.has(c.id)) throw new Error(`dup ${c.id}`);
  ids.add(c.id);
  for (const [re, o] of OV)
    if (re.test(c.id)) {
      const { ambiguous, accept, ...rest } = o;
      Object.assign(c.expected, rest);
      if (accept) c.expected.accept = [...new Set([...(rest.code ? [] : c.expected.accept), ...accept])];
      if (ambiguous) c.ambiguous = ambiguous;
    }
  if (!c.ambiguous && c.unrecoverable) delete c.unrecoverable;
  const run0 = c.run;
  c.run = async () => {
    await start();
    return run0();
  };
  // fields the SDK provably discards (measured by generate.mjs --relearn) are nulled, the wire truth stays in c.wire
  c.lost = lost[c.id] ?? [];
  for (const f of c.lost) if (f in c.expected) c.expected[f] = null;
  if (c.expected.retryAfterMs == null) delete c.expected.retryAfterTolMs;
  cases.push(c);
}
const exp = (e, o) => ({
  code: e.code,
  retryable: e.retryable,
  accept: e.accept ?? [],
  statusCode: o.statusCode ?? null,
  retryAfterMs: e.retryAfterMs ?? null,
  ...(e.retryAfterTolMs ? { retryAfterTolMs: e.retryAfterTolMs } : {}),
  provider: o.provider ?? null,
  requestId: o.requestId ?? null,
  model: o.model ?? null,
});
function wireCase(a, op, fault, spec, o = {}) {
  const id = `${a.key}.${op}.${fault}`;
  const sp = spec.kind ? spec : { kind: 'http', ...spec };
  const slug = register(id, sp);
  const base = `${o.origin ?? origin.http}/x/${slug}`;
  const status =
    sp.kind === 'http'
      ? sp.status
      : sp.kind === 'stream' || sp.kind === 'partial'
        ? (sp.status ?? 200)
        : null;
  push({
    id,
    sdk: a.sdk,
    sdkVersion: a.version,
    provider: a.provider,
    op,
    fault,
    src: spec.src ?? 'n/a',
    why: o.why ?? spec.why,
    unrecoverable: spec.unrecoverable,
    expected: exp(o.exp ?? spec.exp, {
      statusCode: sp.kind === 'http' ? status : null,
      provider:
        o.provider !== undefined ? o.provider : spec.provider !== undefined ? spec.provider : a.provider,
      requestId: spec.requestId ?? null,
      model: a.model,
    }),
    wire: { status, kind: sp.kind, requestId: spec.requestId ?? null },
    run: () => a[op]({ base, ...(o.ctx ? o.ctx() : {}) }),
  });
}
const table = (a, op, t, prefix = '', pick) => {
  for (const [f, s] of Object.entries(t)) if (!pick || pick.includes(f)) wireCase(a, op, prefix + f, s);
};
function localCase(sdk, fault, e, run, o = {}) {
  const id = `${o.key ?? sdk}.${o.op ?? 'local'}.${fault}`;
  push({
    id,
    sdk,
    sdkVersion: o.version ?? process.version,
    provider: o.provider ?? null,
    op: o.op ?? 'local',
    fault,
    src: 'local',
    why: o.why,
    unrecoverable: o.unrecoverable,
    expected: exp(e, {
      statusCode: o.statusCode,
      provider: o.provider,
      requestId: o.requestId,
      model: o.model,
    }),
    wire: { status: o.statusCode ?? null, kind: 'local' },
    run,
  });
}

// ---------------------------------------------------------------- transport faults, every adapter
const NET = X('NETWORK_ERROR', true),
  CAN = X('CANCELLED', false),
  TO = X('TIMEOUT', true);
const okJson = { openai: F.openaiOk, anthropic: F.anthropicOk, google: F.googleOk };
const okBodyFor = (a) => okJson[a.provider ?? 'openai']?.['empty-choices'] ?? { ok: true };
function transport(a) {
  const P = { provider: a.provider };
  const own = (fault, e, spec, o = {}) =>
    wireCase(a, o.op ?? 'chat', fault, { ...spec, exp: e, why: o.why }, { ...P, ...o });
  const noServer = (fault, e, base, ctx, o = {}) =>
    push({
      id: `${a.key}.chat.${fault}`,
      sdk: a.sdk,
      sdkVersion: a.version,
      provider: a.provider,
      op: 'chat',
      fault,
      src: 'n/a',
      why: o.why,
      expected: exp(e, { provider: a.provider, model: a.model }),
      wire: { status: null, kind: 'no-server' },
      run: () => a.chat({ base, ...(ctx ? ctx() : {}) }),
    });
  own('destroy-before', NET, { kind: 'destroy' });
  own(
    'destroy-mid-body',
    NET,
    { kind: 'partial', status: 200, body: JSON.stringify(okBodyFor(a)).slice(0, -1) },
    { why: 'HTTP 200 headers arrived, body cut' },
  );
  own('client-timeout', TO, { kind: 'never' }, { ctx: () => ({ timeout: 200 }) });
  own('abort', CAN, { kind: 'never' }, { ctx: () => ({ signal: sleepAbort(60) }) });
  own(
    'abort-custom-reason',
    CAN,
    { kind: 'never' },
    {
      ctx: () => ({ signal: sleepAbort(60, new Error('user pressed stop')) }),
      why: 'AbortController.abort(reason): some clients rethrow reason itself',
    },
  );
  own(
    'abort-string-reason',
    CAN,
    { kind: 'never' },
    {
      ctx: () => ({ signal: sleepAbort(60, 'stopped by user') }),
      why: 'abort("string"): some clients THROW the bare string',
    },
  );
  own('abort-preaborted', CAN, { kind: 'never' }, { ctx: () => ({ signal: AbortSignal.abort() }) });
  own(
    'abort-signal-timeout',
    X('TIMEOUT', true, { accept: ['CANCELLED'] }),
    { kind: 'never' },
    {
      ctx: () => ({ signal: AbortSignal.timeout(150) }),
      why: 'AbortSignal.timeout(): a timeout delivered through the cancellation channel',
    },
  );
  own('malformed-json-200', X('INVALID_RESPONSE', true), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"id":"canary","choices":[{"mess',
  });
  own(
    'html-200',
    X('INVALID_RESPONSE', false, { accept: ['CONFIG_ERROR', 'NETWORK_ERROR'] }),
    {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<!DOCTYPE html><html><body>Welcome to the hotel wifi. Please sign in.</body></html>',
    },
    { why: 'captive portal / wrong base URL' },
  );
  own('empty-body-200', X('INVALID_RESPONSE', true), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '',
  });
  own('wrong-shape-200', X('INVALID_RESPONSE', false, { accept: ['CONFIG_ERROR'] }), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"hello":"world"}',
  });
  noServer('refused', NET, `${origin.closed}/x/z`);
  noServer('dns', X('NETWORK_ERROR', true), `${origin.dns}/x/z`, null, {
    why: 'ENOTFOUND: permanent typo or transient resolver; common HTTP clients retry it',
  });
  noServer('tls-self-signed', X('NETWORK_ERROR', false, { accept: ['CONFIG_ERROR'] }), `${origin.https}/x/z`);
  noServer(
    'tls-to-plain-port',
    X('NETWORK_ERROR', false, { accept: ['CONFIG_ERROR'] }),
    `${origin.http.replace('http:', 'https:')}/x/z`,
    null,
    { why: 'https:// against an http port' },
  );
  for (const [f, s] of Object.entries(F.proxy)) wireCase(a, 'chat', f, s, P);
  for (const [f, body] of Object.entries(okJson[a.provider ?? ''] ?? {}))
    wireCase(
      a,
      'chat',
      f,
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body,
        exp: f === 'empty-choices' ? X('INVALID_RESPONSE', true) : X('CONTENT_FILTERED', false),
        why: 'nothing is thrown by most SDKs; the agent must inspect the value',
      },
      P,
    );
  if (a.stream)
    own('stream-client-abort', CAN, streamStall(a), {
      op: 'stream',
      ctx: () => ({ signal: sleepAbort(250) }),
      why: 'user abort while tokens flow',
    });
}
const stallChunks = {
  openai: F.openaiStream['destroy-mid-stream'],
  anthropic: F.anthropicStream['destroy-mid-stream'],
  google: F.googleStream['destroy-mid-stream'],
};
function streamStall(a) {
  const s = stallChunks[a.provider ?? 'openai'];
  return { ...s, end: 'stall' };
}
const A = adapters;
for (const a of Object.values(A)) if (a.key !== 'openai4') transport(a);

// ---------------------------------------------------------------- provider tables
table(A.openai, 'chat', F.openai);
table(A.openai, 'stream', F.openaiStream);
table(A.openai, 'azure', F.azure, 'azure-');
table(A.openai, 'chat', F.compat, 'compat-');
table(A.openai, 'responses', F.openai, 'responses-', [
  'context-length-responses',
  'insufficient-quota',
  'model-not-found',
]);
{
  const rs = (last) => ({
    kind: 'stream',
    headers: { 'x-request-id': 'req_oaiCANARYrequest0001' },
    chunks: [
      `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', sequence_number: 0, response: { id: 'resp_CANARY', object: 'response', status: 'in_progress', model: F.OPENAI_MODEL, output: [] } })}\n\n`,
      last,
    ],
    requestId: 'req_oaiCANARYrequest0001',
  });
  wireCase(A.openai, 'responsesStream', 'sse-error-event', {
    ...rs(
      `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 1, code: 'rate_limit_exceeded', message: 'Rate limit reached for requests. Please try again in 20s.', param: null })}\n\n`,
    ),
    exp: X('RATE_LIMITED', true, { retryAfterMs: 20000 }),
    src: 'recall',
  });
  wireCase(A.openai, 'responsesStream', 'response-failed', {
    ...rs(
      `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', sequence_number: 1, response: { id: 'resp_CANARY', object: 'response', status: 'failed', model: F.OPENAI_MODEL, output: [], error: { code: 'server_error', message: 'An error occurred while processing your request. You can retry your request, or contact us through our help center at help.openai.com if the error persists. Please include the request ID canary04-aaaa in your message.' } } })}\n\n`,
    ),
    exp: X('SERVER_ERROR', true),
    src: 'seen',
    why: 'ordinary event: nothing is thrown',
  });
}
wireCase(A.openai, 'parse', 'finish-length', {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    id: 'x',
    object: 'chat.completion',
    model: F.OPENAI_MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: '{"a":' }, finish_reason: 'length' }],
  },
  exp: X('INVALID_RESPONSE', true, { accept: ['CONTEXT_LENGTH_EXCEEDED'] }),
  why: 'LengthFinishReasonError: output truncated, not context overflow',
});
wireCase(A.openai, 'parse', 'finish-content-filter', {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    id: 'x',
    object: 'chat.completion',
    model: F.OPENAI_MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
  },
  exp: X('CONTENT_FILTERED', false),
});
// an older major that is still widely deployed: shape drift
const core3 = (a) => {
  for (const [f, e, spec, ctx] of [
    ['destroy-before', NET, { kind: 'destroy' }],
    /* no destroy-mid-body: openai@4 (node-fetch 2) never settles on a cut body: hangs, so it is not a case */ [
      'client-timeout',
      TO,
      { kind: 'never' },
      () => ({ timeout: 200 }),
    ],
    ['abort', CAN, { kind: 'never' }, () => ({ signal: sleepAbort(60) })],
    [
      'malformed-json-200',
      X('INVALID_RESPONSE', true),
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"id":"canary","choices":[{"mess',
      },
    ],
    ['proxy-502-html', F.proxy['proxy-502-html'].exp, F.proxy['proxy-502-html']],
  ])
    wireCase(a, 'chat', f, { ...spec, exp: e }, { ctx, provider: a.provider });
  for (const [f, e, b] of [
    ['refused', NET, origin.closed],
    ['dns', NET, origin.dns],
    ['tls-self-signed', X('NETWORK_ERROR', false, { accept: ['CONFIG_ERROR'] }), origin.https],
  ])
    push({
      id: `${a.key}.chat.${f}`,
      sdk: a.sdk,
      sdkVersion: a.version,
      provider: a.provider,
      op: 'chat',
      fault: f,
      src: 'n/a',
      expected: exp(e, { provider: a.provider, model: a.model }),
      wire: { status: null, kind: 'no-server' },
      run: () => a.chat({ base: `${b}/x/z` }),
    });
};
table(A.openai4, 'chat', F.openai, '', [
  'bad-request',
  'context-length',
  'bad-key',
  'missing-scope',
  'model-not-found',
  'rate-limit-sec',
  'rate-limit-ms',
  'rate-limit-date',
  'insufficient-quota',
  'server-error',
  'overloaded-503',
  'too-large-413',
  'request-timeout-408',
]);
table(A.openai4, 'stream', F.openaiStream);
core3(A.openai4);
table(A.anthropic, 'chat', F.anthropic);
table(A.anthropic, 'stream', F.anthropicStream);
table(A.anthropic, 'helper', F.anthropicStream, 'helper-', [
  'sse-overloaded',
  'destroy-mid-stream',
  'truncated-stream',
]);
table(A.google, 'chat', F.google);
table(A.google, 'stream', F.googleStream);
table(A.google, 'retried', F.google, 'retries-exhausted-', ['overloaded-503', 'rate-limit-retryinfo']);
table(A['ai-openai'], 'chat', F.openai);
table(A['ai-openai'], 'stream', F.openaiStream);
table(A['ai-openai'], 'chat', F.compat, 'compat-', [
  'vllm-context',
  'openrouter-upstream-429',
  'xai-string-error',
  'fastapi-detail-422',
  'openrouter-200-error',
  'cloudflare-524',
]);
for (const f of ['server-error', 'rate-limit-sec', 'insufficient-quota'])
  wireCase(
    A['ai-openai'],
    'chat',
    `retries-exhausted-${f}`,
    f === 'rate-limit-sec'
      ? {
          ...F.openai[f],
          headers: {
            ...Object.fromEntries(Object.entries(F.openai[f].headers).filter(([k]) => k !== 'retry-after')),
            'retry-after-ms': '50',
          },
          exp: X('RATE_LIMITED', true, { retryAfterMs: 50 }),
        }
      : F.openai[f],
    {
      ctx: () => ({ maxRetries: 1 }),
      why: 'RetryError: real error is in .lastError / .errors[], no .cause, no status',
    },
  );
wireCase(A['ai-openai'], 'stream', 'http-429', F.openai['rate-limit-sec']);
wireCase(A['ai-openai'], 'textStream', 'textstream-swallows-429', F.openai['rate-limit-sec'], {
  why: 'textStream ends normally: nothing thrown',
});
wireCase(A['ai-openai'], 'awaitText', 'await-text-429', F.openai['rate-limit-sec'], {
  why: 'await result.text rejects with NoOutputGeneratedError; the 429 reached only onError',
});
const chatOk = (message, finish = 'stop') => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'x-request-id': 'req_oaiCANARYrequest0001' },
  body: {
    id: 'chatcmpl-CANARY',
    object: 'chat.completion',
    created: 1760000000,
    model: F.OPENAI_MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  requestId: null,
});
const tc = (name, args) =>
  chatOk(
    { tool_calls: [{ id: 'call_CANARY', type: 'function', function: { name, arguments: args } }] },
    'tool_calls',
  );
wireCase(A['ai-openai'], 'object', 'object-not-json', {
  ...chatOk({ content: 'Sure! here is' }),
  exp: X('INVALID_RESPONSE', true),
});
wireCase(A['ai-openai'], 'object', 'object-schema-mismatch', {
  ...chatOk({ content: '{"answer":"forty-two"}' }),
  exp: X('INVALID_RESPONSE', true, { accept: ['VALIDATION_ERROR'] }),
});
wireCase(A['ai-openai'], 'tool', 'tool-throws', {
  ...tc('search', '{"q":"x"}'),
  exp: X('TOOL_EXECUTION_ERROR', false),
  why: 'generateText does not throw: tool-error part in content',
});
wireCase(A['ai-openai'], 'tool', 'tool-unknown', {
  ...tc('nope', '{"q":"x"}'),
  exp: X('TOOL_EXECUTION_ERROR', true, { accept: ['INVALID_RESPONSE'] }),
  why: 'NoSuchToolError inside content',
});
wireCase(A['ai-openai'], 'tool', 'tool-bad-args', {
  ...tc('search', '{"q":1'),
  exp: X('INVALID_RESPONSE', true, { accept: ['TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'] }),
});
// fetch: cross-provider picks
const mix = {
  ...Object.fromEntries(
    [
      'bad-request',
      'context-length',
      'bad-key',
      'missing-scope',
      'region',
      'model-not-found',
      'request-timeout-408',
      'conflict',
      'too-large-413',
      'unprocessable',
      'rate-limit-sec',
      'rate-limit-ms',
      'rate-limit-date',
      'insufficient-quota',
      'server-error',
      'overloaded-503',
      'content-policy',
    ].map((f) => [`openai-${f}`, F.openai[f]]),
  ),
  'anthropic-overloaded-529': F.anthropic['overloaded-529'],
  'anthropic-credit-balance': F.anthropic['credit-balance'],
  'anthropic-context-length': F.anthropic['context-length'],
  'google-rate-limit-retryinfo': F.google['rate-limit-retryinfo'],
  'google-bad-key': F.google['bad-key'],
};
for (const [f, s] of Object.entries(mix)) wireCase(A.fetch, 'chat', f, s, { provider: null });
wireCase(A.fetch, 'stream', 'destroy-mid-stream', F.openaiStream['destroy-mid-stream'], { provider: null });
for (const op of ['statusOnly', 'statusTextOnly', 'bodyMessage', 'assign', 'throwResponse', 'throwJson'])
  for (const f of ['bad-key', 'rate-limit-sec', 'overloaded-503', 'context-length'])
    wireCase(
      A.fetch,
      op,
      `${op}-${f}`,
      {
        ...F.openai[f],
        statusText: {
          401: 'Unauthorized',
          429: 'Too Many Requests',
          503: 'Service Unavailable',
          400: 'Bad Request',
        }[F.openai[f].status],
      },
      {
        provider: null,
        why: op === 'statusOnly' || op === 'statusTextOnly' ? 'hand-rolled wrapper kept only the status' : op,
      },
    );
for (const f of ['proxy-502-html'])
  wireCase(A.fetch, 'blindJson', 'blind-json-502-html', F.proxy[f], {
    why: 'res.json() without checking res.ok: SyntaxError hides the 502',
  });
wireCase(A.fetch, 'blindJson', 'blind-json-429-text', {
  status: 429,
  headers: { 'content-type': 'text/plain', 'retry-after': '7' },
  body: 'Too Many Requests',
  exp: X('RATE_LIMITED', true, { retryAfterMs: 7000 }),
  why: 'SyntaxError: Unexpected token \'T\', "Too Many Requests" is not valid JSON',
});
localCase('fetch', 'invalid-url', X('CONFIG_ERROR', false, { accept: ['VALIDATION_ERROR'] }), () =>
  fetch('not a url'),
);
localCase(
  'fetch',
  'bad-header-value',
  X('CONFIG_ERROR', false, { accept: ['VALIDATION_ERROR', 'AUTHENTICATION_ERROR'] }),
  () => fetch(origin.http, { headers: { authorization: `Bearer ${F.KEYS.openai}\nx` } }),
  { why: 'trailing newline in the key: TypeError that PRINTS THE WHOLE KEY' },
);
localCase(
  'fetch',
  'bad-port',
  X('CONFIG_ERROR', false, { accept: ['NETWORK_ERROR'] }),
  () => fetch('http://127.0.0.1:1/'),
  { why: 'TypeError fetch failed / cause "bad port"' },
);
// happy-eyeballs AggregateError: two addresses, both refused (what "localhost" gives on dual-stack hosts)
const dual = (options, callback) => {
  const opts = typeof options === 'function' ? undefined : options;
  const cb = callback ?? options;
  const l = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  return opts?.all ? cb(null, l) : cb(null, l[0].address, 4);
};
const withDual = async (fn) => {
  const orig = dns.lookup;
  dns.lookup = (h, ...rest) => (h === 'dual.canary.test' ? dual(...rest) : orig(h, ...rest));
  try {
    return await fn(`http://dual.canary.test:${PORTS.closed}/x/z`);
  } finally {
    dns.lookup = orig;
  }
};
for (const k of ['fetch', 'openai', 'anthropic', 'ai-openai'])
  push({
    id: `${k}.chat.refused-dual-stack`,
    sdk: A[k].sdk,
    sdkVersion: A[k].version,
    provider: A[k].provider,
    op: 'chat',
    fault: 'refused-dual-stack',
    src: 'n/a',
    why: 'AggregateError [ECONNREFUSED] from autoSelectFamily; message is EMPTY',
    expected: exp(NET, { provider: A[k].provider, model: A[k].model }),
    wire: { status: null, kind: 'no-server' },
    run: () => withDual((b) => A[k].chat({ base: b })),
  });
const eaiAgain = async (fn) => {
  const orig = dns.lookup;
  dns.lookup = (h, ...rest) => {
    if (h === 'flaky.canary.test') {
      const e = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${h}`), {
        errno: -3001,
        code: 'EAI_AGAIN',
        syscall: 'getaddrinfo',
        hostname: h,
      });
      return process.nextTick(rest.at(-1), e);
    }
    return orig(h, ...rest);
  };
  try {
    return await fn('http://flaky.canary.test/x/z');
  } finally {
    dns.lookup = orig;
  }
};
for (const k of ['fetch', 'openai'])
  push({
    id: `${k}.chat.dns-eai-again`,
    sdk: A[k].sdk,
    sdkVersion: A[k].version,
    provider: A[k].provider,
    op: 'chat',
    fault: 'dns-eai-again',
    src: 'n/a',
    why: 'simulated resolver answer',
    expected: exp(NET, { provider: A[k].provider, model: A[k].model }),
    wire: { status: null, kind: 'no-server' },
    run: () => eaiAgain((b) => A[k].chat({ base: b })),
  });

// ---------------------------------------------------------------- construction / configuration
const NC = X('PROVIDER_NOT_CONFIGURED', false, { accept: ['AUTHENTICATION_ERROR', 'CONFIG_ERROR'] });
const cfg = (a, fault, e, run, o = {}) =>
  push({
    id: `${a.key}.config.${fault}`,
    sdk: a.sdk,
    sdkVersion: a.version,
    provider: a.provider,
    op: 'config',
    fault,
    src: 'n/a',
    why: o.why,
    expected: exp(e, { provider: a.provider, statusCode: o.statusCode, model: null }),
    wire: { status: o.statusCode ?? null, kind: 'local' },
    run: async () => run(),
  });
for (const k of ['openai', 'openai4', 'anthropic', 'ai-openai'])
  cfg(A[k], 'missing-key', NC, () => A[k].missingKey());
cfg(A.google, 'vertex-missing-project', NC, () => A.google.vertexMissing());
cfg(A.openai, 'missing-key-azure', NC, () => A.openai.missingKeyAzure());
cfg(
  A.openai,
  'bad-base-url',
  X('CONFIG_ERROR', false, { accept: ['NETWORK_ERROR', 'VALIDATION_ERROR'] }),
  () => A.openai.badBaseUrl(),
);
cfg(
  A.openai,
  'key-with-newline',
  X('CONFIG_ERROR', false, { accept: ['VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'NETWORK_ERROR'] }),
  () => A.openai.badHeaderKey(),
  { why: 'key read from a file with its newline' },
);
cfg(A.anthropic, 'long-request-guard', X('VALIDATION_ERROR', false), () => A.anthropic.longRequest(), {
  why: 'SDK refuses: "Streaming is required for operations that may take longer than 10 minutes"',
});
cfg(
  A.anthropic,
  'bad-base-url',
  X('CONFIG_ERROR', false, { accept: ['NETWORK_ERROR', 'VALIDATION_ERROR'] }),
  () => A.anthropic.badBaseUrl(),
);
{
  const s = (k, spec) => {
    const slug = register(`${k}.config.missing-key`, { kind: 'http', ...spec });
    return `${origin.http}/x/${slug}`;
  };
  cfg(A.google, 'missing-key', NC, () => A.google.missingKey({ base: s('google', F.google['no-key-403']) }), {
    why: 'constructor only console.warns; the first call fails inside google-auth-library',
  });
}
cfg(A['ai-openai'], 'no-gateway-key', NC, () => A['ai-openai'].noGateway(), {
  why: 'string model id routes to the Vercel AI Gateway',
});
cfg(A['ai-openai'], 'invalid-prompt', X('VALIDATION_ERROR', false), () =>
  A['ai-openai'].invalidPrompt({ base: origin.closed }),
);
cfg(
  A['ai-openai'],
  'no-such-provider',
  X('PROVIDER_NOT_SUPPORTED', false, { accept: ['MODEL_NOT_FOUND'] }),
  () => A['ai-openai'].noSuchModel(),
);
cfg(
  A['ai-openai'],
  'no-such-embedding',
  X('PROVIDER_NOT_SUPPORTED', false, { accept: ['MODEL_NOT_FOUND'] }),
  () => A['ai-openai'].embedUnsupported(),
);

// ---------------------------------------------------------------- local / hostile values an agent's catch block really meets
const L = (f, e, run, o) => localCase('node', f, e, async () => run(), { key: 'node', ...o });
const IO = (retry = false) => X('IO_ERROR', retry);
L('fs-enoent', IO(), () => fs.readFileSync('/nonexistent/canary.txt'));
L('fs-enoent-config', X('IO_ERROR', false, { accept: ['CONFIG_ERROR', 'NOT_FOUND'] }), () =>
  fs.promises.readFile('/nonexistent/agent.config.json'),
);
L('fs-eisdir', IO(), () => fs.readFileSync(os.tmpdir()));
L('fs-enospc', IO(), () => fs.writeFileSync('/dev/full', 'x'), { why: 'ENOSPC' });
L('fs-enotdir', IO(), () => fs.readFileSync('/etc/hosts/x'));
L(
  'fs-emfile-like',
  X('IO_ERROR', true),
  () => {
    throw Object.assign(new Error("EMFILE: too many open files, open 'canary.txt'"), {
      errno: -24,
      code: 'EMFILE',
      syscall: 'open',
      path: 'canary.txt',
    });
  },
  { why: '"too many" bait; constructed' },
);
L(
  'fs-eacces',
  X('PERMISSION_DENIED', false, { accept: ['IO_ERROR'] }),
  () => {
    throw Object.assign(new Error("EACCES: permission denied, open '/etc/shadow'"), {
      errno: -13,
      code: 'EACCES',
      syscall: 'open',
      path: '/etc/shadow',
    });
  },
  { why: 'constructed' },
);
L('spawn-enoent', X('TOOL_EXECUTION_ERROR', false, { accept: ['IO_ERROR', 'NOT_FOUND'] }), () =>
  promisify(execFile)('canary-no-such-binary'),
);
L(
  'spawn-not-executable',
  X('TOOL_EXECUTION_ERROR', false, { accept: ['IO_ERROR', 'PERMISSION_DENIED'] }),
  () => promisify(execFile)('/etc/hosts'),
);
L(
  'child-exit-code',
  X('TOOL_EXECUTION_ERROR', false),
  () => promisify(execFile)('node', ['-e', 'console.error("boom 429 rate limit"); process.exit(3)']),
  { why: 'stderr text leaks keywords into message; .code is the exit code NUMBER' },
);
L(
  'child-timeout',
  X('TIMEOUT', true, { accept: ['TOOL_EXECUTION_ERROR'] }),
  () => promisify(execFile)('node', ['-e', 'setTimeout(()=>{},5000)'], { timeout: 150 }),
  { why: 'killed:true, signal:SIGTERM; message only "Command failed"' },
);
L(
  'config-json-syntax',
  X('CONFIG_ERROR', false, { accept: ['VALIDATION_ERROR', 'INVALID_RESPONSE', 'UNKNOWN'] }),
  () => JSON.parse('{"apiKey": '),
  { why: 'SyntaxError is ambiguous without context' },
);
L(
  'module-not-found',
  X('INITIALIZATION_ERROR', false, { accept: ['CONFIG_ERROR', 'NOT_FOUND', 'PROVIDER_NOT_SUPPORTED'] }),
  () => import('canary-no-such-package'),
  { why: 'ERR_MODULE_NOT_FOUND: optional provider SDK missing' },
);
L('wasm-compile', X('INITIALIZATION_ERROR', false), () => WebAssembly.compile(new Uint8Array([0, 1, 2, 3])));
L('wasm-link', X('INITIALIZATION_ERROR', false), () =>
  WebAssembly.instantiate(
    new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x61, 1, 0x62, 0, 0]),
    {},
  ),
);
L(
  'wasm-trap',
  X('UNKNOWN', false, { accept: ['INITIALIZATION_ERROR'] }),
  async () => {
    const m = await WebAssembly.instantiate(
      new Uint8Array([
        0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0, 10, 5, 1, 3,
        0, 0, 0x0b,
      ]),
    );
    m.instance.exports.f();
  },
  { why: 'RuntimeError: unreachable (our own wasm panicked)' },
);
L(
  'zod-error',
  X('VALIDATION_ERROR', false),
  async () => {
    const { z } = await import('zod');
    z.object({ model: z.string(), temperature: z.number() }).parse({ model: 1 });
  },
  { why: 'message is a JSON array as text', version: ver('zod') },
);
L('timers-abort', CAN, async () =>
  (await import('node:timers/promises')).setTimeout(5000, null, { signal: AbortSignal.abort() }),
);
L(
  'type-error-undefined',
  X('UNKNOWN', false),
  () => {
    const r = { choices: [] };
    return r.choices[0].message.content;
  },
  { why: 'the usual victim of empty choices: "Cannot read properties of undefined (reading \'message\')"' },
);
L('throw-string', X('RATE_LIMITED', true), () => {
  throw 'Rate limit exceeded';
});
L('throw-string-opaque', X('UNKNOWN', false), () => {
  throw 'oops';
});
L('throw-undefined', X('UNKNOWN', false), () => {
  throw undefined;
});
L('throw-null', X('UNKNOWN', false), () => {
  throw null;
});
L(
  'throw-number',
  X('UNKNOWN', false, { accept: ['RATE_LIMITED'] }),
  () => {
    throw 429;
  },
  { why: 'bare status number; ambiguous' },
);
L('throw-symbol', X('UNKNOWN', false), () => {
  throw Symbol('x');
});
L('throw-bigint', X('UNKNOWN', false), () => {
  throw 10n;
});
L('throw-function', X('UNKNOWN', false), () => {
  throw function f() {};
});
L(
  'throw-plain-object',
  X('AUTHENTICATION_ERROR', false),
  () => {
    throw { error: { type: 'authentication_error', message: 'invalid x-api-key' }, status: 401 };
  },
  { statusCode: 401 },
);
L('throw-null-proto', X('TIMEOUT', true), () => {
  throw Object.assign(Object.create(null), { code: 'ETIMEDOUT', message: 'x' });
});
L('throw-frozen', X('TIMEOUT', true), () => {
  throw Object.freeze(Object.assign(new Error('socket'), { code: 'ETIMEDOUT' }));
});
L(
  'circular-cause',
  X('NETWORK_ERROR', true),
  () => {
    const a = new Error('outer'),
      b = Object.assign(new Error('inner'), { code: 'ECONNRESET', cause: a });
    a.cause = b;
    throw a;
  },
  { why: 'cause cycle must not hang' },
);
L('self-cause', X('UNKNOWN', false), () => {
  const a = new Error('self');
  a.cause = a;
  throw a;
});
L(
  'deep-cause-40',
  X('NETWORK_ERROR', true, { accept: ['UNKNOWN'] }),
  () => {
    let e = Object.assign(new Error('deep'), { code: 'ECONNREFUSED' });
    for (let i = 0; i < 40; i++) e = new Error(`wrap ${i}`, { cause: e });
    throw e;
  },
  { why: 'depth limit decides' },
);
L('throwing-getters', X('UNKNOWN', false), () => {
  const e = new Error('x');
  for (const k of ['status', 'code', 'headers', 'cause', 'message', 'name'])
    Object.defineProperty(e, k, {
      get() {
        throw new Error('trap');
      },
    });
  throw e;
});
L('hostile-proxy', X('UNKNOWN', false), () => {
  const t = () => {
    throw new Error('trap');
  };
  throw new Proxy({}, { get: t, has: t, ownKeys: t, getPrototypeOf: t, getOwnPropertyDescriptor: t });
});
L('revoked-proxy', X('UNKNOWN', false), () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  throw proxy;
});
L('huge-message', X('UNKNOWN', false), () => {
  throw new Error('x'.repeat(5_000_000));
});
L(
  'lone-surrogates',
  X('UNKNOWN', false),
  () => {
    throw new Error('bad \ud800 text \udfff');
  },
  { why: 'not valid UTF-8: JS->Rust string conversion' },
);
L(
  'message-object',
  X('RATE_LIMITED', true),
  () => {
    const e = new Error('x');
    e.message = { text: 'weird' };
    e.status = 429;
    throw e;
  },
  { statusCode: 429, why: 'non-string message' },
);
L(
  'status-as-string',
  X('RATE_LIMITED', true),
  () => {
    throw Object.assign(new Error('x'), { status: '429' });
  },
  { statusCode: 429 },
);
L(
  'cross-realm',
  X('RATE_LIMITED', true),
  () => {
    throw vm.runInNewContext("Object.assign(new Error('limit'), {status: 429, name: 'RateLimitError'})");
  },
  { statusCode: 429, why: 'instanceof Error === false' },
);
L(
  'structured-clone',
  X('RATE_LIMITED', true, { accept: ['UNKNOWN'] }),
  async () => {
    try {
      await A.openai.chat({
        base: (() => {
          const s = register('node.sc', { kind: 'http', ...F.openai['rate-limit-sec'] });
          return `${origin.http}/x/${s}`;
        })(),
      });
    } catch (e) {
      const c = structuredClone(new Error(e.message));
      c.name = e.name;
      throw c;
    }
  },
  { why: 'crossed a worker boundary: only message survives' },
);
L(
  'json-roundtrip',
  X('RATE_LIMITED', true, { retryAfterMs: null, accept: [] }),
  async () => {
    try {
      await A.openai.chat({
        base: (() => {
          const s = register('node.jr', { kind: 'http', ...F.openai['rate-limit-sec'] });
          return `${origin.http}/x/${s}`;
        })(),
      });
    } catch (e) {
      throw JSON.parse(JSON.stringify(e));
    }
  },
  {
    statusCode: 429,
    requestId: 'req_oaiCANARYrequest0001',
    why: 'JSON.stringify(Error): message and name lost, headers becomes {}',
  },
);
L(
  'aggregate-any',
  X('AUTHENTICATION_ERROR', false, { accept: ['RATE_LIMITED', 'UNKNOWN'] }),
  () =>
    Promise.any([
      Promise.reject(Object.assign(new Error('a'), { status: 401 })),
      Promise.reject(Object.assign(new Error('b'), { status: 429 })),
    ]),
  { why: 'Promise.any over providers: two different causes; which one wins is a policy' },
);
L(
  'wrapped-message-only',
  X('RATE_LIMITED', true),
  () => {
    try {
      throw Object.assign(new Error('429 Too Many Requests'), { status: 429 });
    } catch (e) {
      throw new Error(`LLM call failed: ${e.message}`);
    }
  },
  { why: 'classic rethrow without cause' },
);
L(
  'user-text-bait',
  X('UNKNOWN', false),
  () => {
    throw new Error('Failed to summarise document "How to fix 401 unauthorized and rate limit timeouts"');
  },
  { why: 'keywords come from user content' },
);
L(
  'line-number-429',
  X('UNKNOWN', false),
  () => {
    throw new Error('parse failure at line 429 column 401');
  },
  { why: 'digits bait' },
);
L('german-message', X('UNKNOWN', false, { accept: ['RATE_LIMITED'] }), () => {
  throw new Error('Zu viele Anfragen, bitte warten');
});
L('domexception-data-clone', X('UNKNOWN', false, { accept: ['VALIDATION_ERROR'] }), () =>
  structuredClone(() => {}),
);
L('domexception-timeout', TO, () => {
  throw new DOMException('The operation timed out.', 'TimeoutError');
});
L('assertion', X('UNKNOWN', false, { accept: ['VALIDATION_ERROR'] }), async () =>
  (await import('node:assert')).strict.equal(1, 2),
);
L('range-stack-overflow', X('UNKNOWN', false), () => {
  const f = () => f();
  f();
});
L(
  'max-iterations',
  X('MAX_ITERATIONS_EXCEEDED', false),
  () => {
    const e = new Error(
      'Recursion limit of 25 reached without hitting a stop condition. You can increase the limit by setting the "recursionLimit" config key.',
    );
    e.name = 'GraphRecursionError';
    e.lc_error_code = 'GRAPH_RECURSION_LIMIT';
    throw e;
  },
  { why: 'shape of LangGraph GraphRecursionError (constructed; "limit" bait)' },
);
L(
  'max-turns',
  X('MAX_ITERATIONS_EXCEEDED', false),
  () => {
    const e = new Error('Max turns (10) exceeded');
    e.name = 'MaxTurnsExceededError';
    throw e;
  },
  { why: 'shape of @openai/agents MaxTurnsExceededError (constructed)' },
);
L(
  'mcp-request-timeout',
  TO,
  () => {
    const e = Object.assign(new Error('MCP error -32001: Request timed out'), {
      code: -32001,
      name: 'McpError',
      data: { timeout: 60000 },
    });
    throw e;
  },
  { why: 'JSON-RPC negative numeric code (constructed)' },
);
L(
  'mcp-method-not-found',
  X('TOOL_EXECUTION_ERROR', false, { accept: ['NOT_FOUND'] }),
  () => {
    throw Object.assign(new Error('MCP error -32601: Method not found'), { code: -32601, name: 'McpError' });
  },
  { why: 'constructed; "not found" bait' },
);
