// The cost of classifying: a live rate limit of OpenAI's SDK through `classify`, beside the keyword mapper that agents
// write by hand, extended to all codes, and beside the decisions of other libraries about an error. The mapper reads
// the message only; see tests/sdk-errors for how often that is wrong. Run: node --expose-gc --import tsx
// pkg/bench/classify.bench.ts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { APICallError } from 'ai';
import { type AgentErrorCode, classify } from 'halfopen';
import isNetworkError from 'is-network-error';
import OpenAI, { APIError } from 'openai';
import { keepRows, type Row } from './rows.js';

/** The median of one classification, in nanoseconds of processor time. */
const BUDGET = 8_000;
const ROUNDS = 20_000;
const LENGTHS = [200, 4_000, 100_000, 10_000_000];

const KEYWORDS: readonly (readonly [words: readonly string[], code: AgentErrorCode])[] = [
  [['api key', 'unauthorized', '401'], 'AUTHENTICATION_ERROR'],
  [['insufficient_quota', 'current quota', 'billing', 'credit balance'], 'QUOTA_EXCEEDED'],
  [['rate limit', '429', 'too many requests'], 'RATE_LIMITED'],
  [['context length', 'maximum context', 'too many tokens', 'prompt is too long'], 'CONTEXT_LENGTH_EXCEEDED'],
  [['timeout', 'timed out', 'etimedout', '504'], 'TIMEOUT'],
  [['network', 'econnrefused', 'econnreset', 'enotfound', 'fetch failed', 'socket hang up'], 'NETWORK_ERROR'],
  [['model_not_found', 'model not found', 'does not exist'], 'MODEL_NOT_FOUND'],
  [['overloaded', '529', 'over capacity'], 'PROVIDER_OVERLOADED'],
  [['internal server error', 'bad gateway', 'service unavailable', '500', '502', '503'], 'SERVER_ERROR'],
  [['permission', 'forbidden', 'access denied', '403'], 'PERMISSION_DENIED'],
  [['content filter', 'content_filter', 'content policy', 'safety'], 'CONTENT_FILTERED'],
  [['abort', 'cancel'], 'CANCELLED'],
  [['json', 'parse', 'unexpected token'], 'INVALID_RESPONSE'],
  [['enoent', 'eacces', 'no such file'], 'IO_ERROR'],
  [['not found', '404'], 'NOT_FOUND'],
  [['invalid', 'required', 'validation', '400', '422'], 'VALIDATION_ERROR'],
  [['not configured', 'missing credentials'], 'PROVIDER_NOT_CONFIGURED'],
  [['not supported'], 'PROVIDER_NOT_SUPPORTED'],
  [['config'], 'CONFIG_ERROR'],
  [['max iterations', 'recursion limit'], 'MAX_ITERATIONS_EXCEEDED'],
];

function byKeyword(error: unknown): AgentErrorCode {
  const message = (error instanceof Error ? error.message : String(error)).toLowerCase();
  for (const [words, code] of KEYWORDS) if (words.some((word) => message.includes(word))) return code;
  return 'UNKNOWN';
}

/** Other libraries' decisions about this error. Each does less than `classify`. */
const PEERS: readonly [who: string, how: string, decide: (error: APIError) => unknown][] = [
  [
    'openai',
    "`APIError.generate`: the class of its own client's error, by status",
    ({ status, error, message, headers }) => APIError.generate(status, error as object, message, headers),
  ],
  [
    'AI SDK',
    '`APICallError`: whether the status is worth a retry',
    ({ status = 0, message }) =>
      new APICallError({ message, url: 'https://api.openai.com', requestBodyValues: {}, statusCode: status })
        .isRetryable,
  ],
  ['p-retry', '`isNetworkError`: whether the network failed', (error) => isNetworkError(error)],
];

/** A rate limit as OpenAI's SDK throws it, with a message of that length. */
async function rateLimit(length: number): Promise<APIError> {
  const says = 'Too busy for gpt-canary on tokens per min (TPM): Limit 30000, Used 29937, Requested 1385. ';
  const message = says.padEnd(length, 'Please wait a little while. ');
  const server = createServer((_request, response) => {
    response.writeHead(429, {
      'content-type': 'application/json',
      'openai-version': '2020-10-01',
      'openai-organization': 'acme',
      'openai-processing-ms': '12',
      'x-request-id': 'req_1234567890',
      'retry-after': '7',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '63',
      'x-ratelimit-reset-tokens': '6.92s',
      server: 'cloudflare',
    });
    response.end(
      JSON.stringify({ error: { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' } }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
  try {
    await client.chat.completions.create({ model: 'gpt-canary', messages: [] });
    throw new Error('the client threw nothing');
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Of one call, in nanoseconds of processor time, the quickest first: batches, for the system counts microseconds. */
function sorted(run: () => unknown, rounds: number): number[] {
  const each = Math.max(1, Math.min(100, Math.floor(rounds / 100)));
  for (let round = 0; round < rounds / 4; round++) run();
  const times: number[] = [];
  for (let batch = 0; batch < rounds / each; batch++) {
    const before = process.cpuUsage();
    for (let call = 0; call < each; call++) run();
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) * 1000) / each);
  }
  return times.sort((a, b) => a - b);
}

const median = (times: readonly number[]): number => times[times.length >> 1] as number;
const kept: Row[] = [];
const rows: Record<string, string>[] = [];
const medians: number[] = [];
for (const length of LENGTHS) {
  const error = await rateLimit(length);
  const ourTimes = sorted(() => classify(error), ROUNDS);
  const theirTimes = sorted(() => byKeyword(error), Math.max(20, Math.min(ROUNDS, 4e8 / length)));
  const [ours, theirs] = [median(ourTimes), median(theirTimes)];
  const what = `classifying an error with a message of ${length.toLocaleString('en')} letters`;
  const how = "OpenAI's rate limit, with its headers and body";
  if (length <= 100_000)
    kept.push(
      { what, who: 'halfopen', how, unit: 'ns', values: ourTimes },
      {
        what,
        who: 'by hand',
        how: 'words looked for in the message alone',
        unit: 'ns',
        values: theirTimes,
      },
    );
  if (length === LENGTHS[0])
    for (const [who, how, decide] of PEERS)
      kept.push({ what, who, how, unit: 'ns', values: sorted(() => decide(error), ROUNDS) });
  medians.push(ours);
  rows.push({
    'message, letters': length.toLocaleString('en'),
    'classify, µs': (ours / 1000).toFixed(2),
    'keywords, µs': (theirs / 1000).toFixed(2),
    'classify says': classify(error).code,
    'keywords say': byKeyword(error),
  });
}
keepRows('classify', kept);
console.table(rows);
for (const [who, how] of PEERS)
  console.log(
    `${`${who}, ${how}`.padEnd(80)} ${(median(kept.find((row) => row.who === who)?.values ?? []) / 1000).toFixed(2).padStart(7)} µs`,
  );
const worst = Math.max(...medians);
console.log(
  `classify: ${(worst / 1000).toFixed(2)} µs at worst, budget ${BUDGET / 1000} µs: ${worst <= BUDGET ? 'kept' : 'MISSED'}`,
);
process.exit(worst <= BUDGET ? 0 : 1);
