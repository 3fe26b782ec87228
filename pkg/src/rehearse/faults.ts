/** Faults as data: at the wire, in answers, and at tools. Times are seconds of the provider, before `speed`. */
import type { ErrorBody, Provider } from './wires/wire.js';

/** Where a 429 says how long to wait. */
export type Hint = 'seconds' | 'milliseconds' | 'date' | 'words' | 'reset-headers';

export type Fault =
  | { kind: 'error'; error: keyof typeof ERRORS; hint?: Hint; waitS?: number }
  /** A page of a gateway instead of JSON. */
  | { kind: 'page'; status: number }
  /** The connection is reset before an answer. */
  | { kind: 'reset' }
  /** Nothing comes for so long, then the connection ends. */
  | { kind: 'silence'; s: number }
  /** The answer is cut after a share of it, from 0 to 1. */
  | { kind: 'cut'; at: number }
  /** A stream that reports an error after a share of it; an answer that is whole is a 500. */
  | { kind: 'error-in-stream'; at: number }
  /** A stream that says nothing more after a share of it, and ends after so long. */
  | { kind: 'stall'; at: number; s: number }
  /** 200 without a body. */
  | { kind: 'no-body' }
  /** An answer without content, or another than the agent hoped for. */
  | {
      kind: 'answer';
      is:
        | 'empty'
        | 'refused'
        | 'filtered'
        | 'cut-off'
        | 'no-json'
        | 'cut-json'
        | 'unknown-tool'
        | 'wrong-arguments';
    };

/** What happens to a call of a tool. `lost`, `crash` and `late` have done it before they fail. */
export type ToolFault =
  | 'lost'
  | 'crash'
  | 'late'
  | 'down'
  | 'reset'
  | 'limited'
  | 'declined'
  | 'nothing'
  | 'page';

const everywhere = (words: string) => ({ openai: words, anthropic: words, google: words });

/** The errors, in each provider's words (tests/sdk-errors/faults.mjs). `{model}`, `{key}` and `{hint}` are filled in. */
export const ERRORS = {
  'rate-limited': {
    status: 429,
    code: 'rate_limit_exceeded',
    words: {
      openai:
        'Rate limit reached for {model} in organization org-rehearsal on requests per min (RPM): Limit 60, Used 60, Requested 1.{hint} Visit https://platform.openai.com/account/rate-limits to learn more.',
      anthropic:
        'This request would exceed the rate limit for your organization (rehearsal) of 50 requests per minute.{hint}',
      google: 'Resource has been exhausted (e.g. check quota).{hint}',
    },
  },
  'quota-exceeded': {
    status: 429,
    code: 'insufficient_quota',
    words: {
      ...everywhere('You exceeded your current quota, please check your plan and billing details.'),
      anthropic:
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    },
  },
  'server-error': {
    status: 500,
    words: {
      openai: 'The server had an error while processing your request. Sorry about that!',
      anthropic: 'Internal server error',
      google:
        'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    },
  },
  unavailable: {
    status: 503,
    words: {
      openai: 'The engine is currently overloaded, please try again later',
      anthropic: 'Overloaded',
      google: 'The model is overloaded. Please try again later.',
    },
  },
  overloaded: { status: 529, words: everywhere('Overloaded') },
  timeout: { status: 408, words: everywhere('Request timed out.') },
  conflict: {
    status: 409,
    words: everywhere('The resource was updated by another request. Please retry your request.'),
  },
  unauthorized: {
    status: 401,
    code: 'invalid_api_key',
    words: {
      openai:
        'Incorrect API key provided: {key}. You can find your API key at https://platform.openai.com/account/api-keys.',
      anthropic: 'invalid x-api-key: {key}',
      google: 'API key not valid. Please pass a valid API key.',
    },
  },
  forbidden: {
    status: 403,
    code: 'unsupported_country_region_territory',
    words: everywhere('Country, region, or territory not supported'),
  },
  retired: {
    status: 404,
    code: 'model_not_found',
    words: {
      openai:
        'The model `{model}` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations',
      anthropic: 'model: {model}',
      google: 'models/{model} is not found for API version v1beta, or is not supported for generateContent.',
    },
  },
} as const satisfies Record<string, { status: number; code?: string; words: Record<Provider, string> }>;

/** An error of a provider, as its wire writes it. Anthropic's quota is a 400, Google's bad key as well. */
export function errorBody(
  name: keyof typeof ERRORS,
  provider: Provider,
  fill: Readonly<Record<'model' | 'key' | 'hint', string>>,
): ErrorBody {
  const row: { status: number; code?: string; words: Record<Provider, string> } = ERRORS[name];
  const isBadRequest =
    (name === 'quota-exceeded' && provider === 'anthropic') ||
    (name === 'unauthorized' && provider === 'google');
  return {
    status: isBadRequest ? 400 : row.status,
    code: provider === 'openai' ? row.code : undefined,
    words: row.words[provider].replace(
      /\{(model|key|hint)\}/g,
      (_, key: 'model' | 'key' | 'hint') => fill[key],
    ),
  };
}
