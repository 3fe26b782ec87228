/** What an answer's headers say of the provider's limits: one row for each family of headers. */

import type { Ending } from './ending.js';
import type { EventDetails } from './events.js';

interface Family {
  readonly provider?: string;
  readonly unit: 'requests' | 'tokens';
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

/**
 * Sources: https://platform.openai.com/docs/guides/rate-limits (Azure, Groq, Mistral and xAI send the same names),
 * https://docs.anthropic.com/en/api/rate-limits#response-headers.
 */
const FAMILIES: readonly Family[] = [
  {
    unit: 'requests',
    limit: 'x-ratelimit-limit-requests',
    remaining: 'x-ratelimit-remaining-requests',
    reset: 'x-ratelimit-reset-requests',
  },
  {
    unit: 'tokens',
    limit: 'x-ratelimit-limit-tokens',
    remaining: 'x-ratelimit-remaining-tokens',
    reset: 'x-ratelimit-reset-tokens',
  },
  {
    provider: 'anthropic',
    unit: 'requests',
    limit: 'anthropic-ratelimit-requests-limit',
    remaining: 'anthropic-ratelimit-requests-remaining',
    reset: 'anthropic-ratelimit-requests-reset',
  },
  {
    provider: 'anthropic',
    unit: 'tokens',
    limit: 'anthropic-ratelimit-tokens-limit',
    remaining: 'anthropic-ratelimit-tokens-remaining',
    reset: 'anthropic-ratelimit-tokens-reset',
  },
  {
    unit: 'requests',
    limit: 'x-ratelimit-limit',
    remaining: 'x-ratelimit-remaining',
    reset: 'x-ratelimit-reset',
  },
];

/** Tells of every limit in the headers of an answer. Headers that cannot be read say nothing. */
export function tellLimits(call: Ending<unknown>, headers: unknown): void {
  let read: (name: string) => string | undefined;
  try {
    read = reader(headers);
  } catch {
    return;
  }
  const now = call.policy.time.wall();
  for (const family of FAMILIES) {
    const limit = numberOf(read(family.limit));
    const remaining = numberOf(read(family.remaining));
    if (limit === undefined || remaining === undefined) continue;
    const details: EventDetails = {
      type: 'limits.observed',
      provider: call.provider ?? family.provider ?? 'openai',
      model: call.model,
      unit: family.unit,
      limit,
      remaining,
      resetAt: resetAt(read(family.reset), now),
    };
    call.policy.tell(call, details);
  }
}

/** Headers as `Headers`, a Map, pairs or a plain object. */
function reader(headers: unknown): (name: string) => string | undefined {
  if (typeof headers !== 'object' || headers === null) return () => undefined;
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined;
  const pairs =
    Symbol.iterator in headers ? (headers as Iterable<[string, unknown]>) : Object.entries(headers);
  const known = new Map<string, string>();
  for (const [name, value] of pairs) known.set(String(name).toLowerCase(), String(value));
  return (name) => known.get(name);
}

function numberOf(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** A date (Anthropic), a span like `6m0s` or `20ms` (OpenAI), or seconds, from now or since the epoch. */
function resetAt(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = numberOf(value);
  if (seconds !== undefined) return seconds > 1e9 ? seconds * 1000 : now + seconds * 1000;
  const span = spanOf(value);
  if (span !== undefined) return now + span;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

function spanOf(value: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(value)) return undefined;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    total += Number(amount) * (UNITS[unit ?? 's'] ?? 0);
  }
  return total;
}
