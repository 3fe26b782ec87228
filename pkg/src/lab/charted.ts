/** The series of a run that a chart shows: one number an interval, to the end of the arrivals. */

import type { Series } from './result.js';

/** The series of a result, and of its breakers how many are open or half-open. */
export type Charted = Omit<Series, 'breaker'> & Record<'open' | 'halfOpen', readonly number[]>;
