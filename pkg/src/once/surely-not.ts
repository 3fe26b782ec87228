/** Tells acts that surely were not carried out from those that may have been. */

import type { AgentError } from '../error/agent-error.js';

/** The connection was refused, or the name has no address: no byte of the request was sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
/** Of these answers the request may have been worked on (RFC 9110 §15.5.9, §15.5.10; RFC 8470 §5.2). */
const UNCLEAR = new Set([408, 409, 425]);
/** Errors beneath errors. */
const DEEPEST = 8;

/** The default of `surelyNot`: every attempt was refused before it was carried out. */
export function surelyNot(error: AgentError): boolean {
  return everyAttempt(error, wasRefused);
}

/** Returns `true` if that holds of each attempt of a call. An attempt that was under way when the call was aborted has no error. */
export function everyAttempt(error: AgentError, holds: (attempt: AgentError) => boolean, depth = 0): boolean {
  const { attempts, errors } = error;
  if (errors.length === 0) return holds(error);
  if (depth > DEEPEST || attempts > errors.length) return false;
  // An attempt may have been a call of its own, with attempts of its own.
  return errors.every((one) => everyAttempt(one, holds, depth + 1));
}

/** Returns `true` if the attempt was refused before it was carried out. */
export function wasRefused(error: AgentError): boolean {
  const { code, provider, attempts, cause } = error;
  const status = provider.statusCode;
  if (status !== undefined) return status >= 400 && status < 500 && !UNCLEAR.has(status);
  // A policy refused the call: it never ran.
  if (attempts === 0 && (code === 'CIRCUIT_OPEN' || code === 'CAPACITY_EXCEEDED')) return true;
  return isUnsent(provider.originalError) || isUnsent(cause);
}

function isUnsent(thrown: unknown): boolean {
  try {
    let error = thrown;
    for (let depth = 0; depth < DEEPEST && typeof error === 'object' && error !== null; depth++) {
      const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
      if (typeof code === 'string' && UNSENT.has(code))
        // All addresses of a name were tried: each must have refused.
        return (
          !Array.isArray(errors) || errors.every((one) => UNSENT.has((one as { code?: string })?.code ?? ''))
        );
      error = cause;
    }
  } catch {
    // A getter or a proxy that throws.
  }
  return false;
}
