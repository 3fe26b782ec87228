/** The provider's limits that a response's headers state. */

import { limitsInCopy } from '../core/errors.js';
import { onceMore } from '../core/instance.js';
import { wordsAreHere } from '../core/words.js';
import { ITEM_END } from './decision.js';
import { numbersBack, withHeaders } from './thrown.js';

/** One limit. */
export interface Limit {
  provider?: string;
  unit: 'requests' | 'tokens';
  limit?: number;
  remaining: number;
  /** Milliseconds until it is full again. */
  resetMs?: number;
}

/** The limits in headers of any shape, one of each unit at most. `wall`: milliseconds since the epoch. */
export function limitsIn(headers: unknown, wall: number): Limit[] {
  if (!wordsAreHere()) return [];
  const providers = onceMore(() => withHeaders(headers, (length) => limitsInCopy(length, wall)));
  const numbers = numbersBack();
  return providers
    .split(ITEM_END)
    .slice(0, -1)
    .map((provider, index) => {
      const [unit, limit, remaining, resetMs] = numbers.subarray(4 * index, 4 * index + 4);
      return {
        ...(provider !== '' && { provider }),
        unit: unit === 0 ? 'requests' : 'tokens',
        ...(isKnown(limit) && { limit }),
        remaining: remaining as number,
        ...(isKnown(resetMs) && { resetMs }),
      };
    });
}

const isKnown = (number: number | undefined): number is number => number !== undefined && number >= 0;
