/** First aid: the code of a failure without the words of errors. It is right, or UNKNOWN. */

import type { AgentErrorCode } from '../codes.js';
import { byFirstAid, get, type Signals } from './decision.js';
import type { Classification, ClassifyContext } from './types.js';

/** Statuses that mean the same with whatever body. */
const STATUSES: Readonly<Record<number, AgentErrorCode>> = {
  408: 'TIMEOUT',
  500: 'SERVER_ERROR',
  502: 'SERVER_ERROR',
  503: 'SERVER_ERROR',
  504: 'TIMEOUT',
};
/** Codes of the system, of Node and of what talks to it. */
const ERRNO: Readonly<Record<string, AgentErrorCode>> = {
  ECONNREFUSED: 'NETWORK_ERROR',
  ECONNRESET: 'NETWORK_ERROR',
  EHOSTUNREACH: 'NETWORK_ERROR',
  ENETUNREACH: 'NETWORK_ERROR',
  ENOTFOUND: 'NETWORK_ERROR',
  ETIMEDOUT: 'TIMEOUT',
};
const NAMES: Readonly<Record<string, AgentErrorCode>> = { AbortError: 'CANCELLED', TimeoutError: 'TIMEOUT' };
/** Messages of `fetch` in Chromium, Firefox and Safari about a network that fails. */
const FETCH = /^(?:Failed to fetch|NetworkError when \w+ to fetch resource\.|Load failed)$/;
/** Only the words of a status. */
const STATUS_WORDS =
  /^(?:HTTP )?(?:[45]\d\d)?(?: ?(?:Request Timeout|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out))?$/i;
/** Fields and headers that may say more than a status, a name or an errno. */
const MORE =
  'error errors body data responseBody response code type cause retryable isRetryable $retryable statusCode details';
const MORE_HEADERS = ['x-should-retry', 'stripe-should-retry'];

/** Reads a thrown value as {@link classifyDetailed} does, with less to go by. Never throws. */
export function firstAid(
  error: unknown,
  context: ClassifyContext,
): { classification: Classification; signals: Signals } {
  const found = read(error);
  const { status } = found;
  const said = status === undefined ? found.said : `HTTP ${status}`;
  const signals: Signals = status === undefined ? {} : { status };
  return { signals, classification: byFirstAid(found, said, error, context) };
}

interface Found {
  code: AgentErrorCode;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  said: string;
}

function read(error: unknown): Found {
  if (typeof error !== 'object' || error === null) return { code: 'UNKNOWN', said: typeof error };
  const [name, errno, status, headers] = ['name', 'code', 'status', 'headers'].map((of) => get(error, of));
  const message = textOf(get(error, 'message'));
  const more = MORE.split(' ').filter((of) => (get(error, of) ?? '') !== '');
  if (typeof status === 'number') {
    const isAlone =
      more.length === 0 &&
      !isNamed(NAMES, name) &&
      STATUS_WORDS.test(message) &&
      MORE_HEADERS.every((header) => headerOf(headers, header) === undefined);
    const wait = headerOf(headers, 'retry-after') ?? '';
    return {
      code: (isAlone && STATUSES[status]) || 'UNKNOWN',
      status,
      retryAfterMs: /^\d{1,6}$/.test(wait) ? Number(wait) * 1000 : undefined,
      said: '',
    };
  }
  const said = /^\w{1,40}$/.test(textOf(name)) ? textOf(name) : 'Error';
  // The message of a proxy's error has the status that it answered.
  if (isNamed(ERRNO, errno) && more.length === 1 && !/\b[45]\d\d\b/.test(message))
    return { code: ERRNO[errno] as AgentErrorCode, said: errno };
  if (name === 'TypeError' && more.length === 0 && FETCH.test(message))
    return { code: 'NETWORK_ERROR', said };
  const isAbort = isNamed(NAMES, name) && error instanceof DOMException;
  return { code: isAbort ? (NAMES[name] as AgentErrorCode) : 'UNKNOWN', said };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isNamed(table: Readonly<Record<string, AgentErrorCode>>, name: unknown): name is string {
  return typeof name === 'string' && Object.hasOwn(table, name);
}

function headerOf(headers: unknown, name: string): string | undefined {
  try {
    const value = headers instanceof Headers ? headers.get(name) : get(headers, name);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined; // Headers of another kind, which throw.
  }
}
