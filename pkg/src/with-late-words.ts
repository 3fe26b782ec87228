// The exports that run calls. In a page the words come later, and calls wait for them at their first failure. Everywhere else they are
// here at once, as in `with-words.ts`.

import { provideWords } from './core/words.js';
import { errors, languages } from './entry/words-late.js';
import * as english from './index.js';

export const CircuitBreaker = withLateWords(english.CircuitBreaker);
export const Policy = withLateWords(english.Policy);
export const costLimit = withLateWords(english.costLimit);
export const createPolicies = withLateWords(english.createPolicies);
export const createPolicy = withLateWords(english.createPolicy);
export const failover = withLateWords(english.failover);

function withLateWords<V>(value: V): V {
  provideWords({ errors, languages });
  return value;
}
