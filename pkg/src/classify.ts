/** What was thrown, and what it means. The rules come with the core's `classify`; until then everything is UNKNOWN. */

import type { Classification, ClassifyContext } from './classification.js';
import { redact, userMessage } from './core.js';

const UNKNOWN_INDEX = 9;

/** @internal */
export function classify(error: unknown, context: ClassifyContext = {}): Classification {
  let details = '';
  try {
    details = redact(String((error as Error | undefined)?.message ?? error).slice(0, 4096));
  } catch {
    details = '';
  }
  return {
    code: 'UNKNOWN',
    severity: 'critical',
    retryable: false,
    userMessage: userMessage(
      UNKNOWN_INDEX,
      context.provider,
      context.model,
      undefined,
      Number.NaN,
      context.locale ?? 'en',
    ),
    metadata: details === '' ? {} : { technicalDetails: details },
    provider: {
      ...(context.provider && { provider: context.provider }),
      ...(context.model && { model: context.model }),
    },
    rule: 'unknown',
  };
}
