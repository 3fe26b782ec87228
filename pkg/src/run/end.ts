/** How a run ends. */

import type { AgentErrorCode } from '../codes.js';
import { AgentError, cancellation } from '../error/agent-error.js';
import type { Reader } from '../message/about.js';
import type { RunReason } from './reason.js';
import { endMessage, say } from './say.js';

/** How a run ended. */
export type RunEnd =
  | {
      kind: 'completed';
      /** It finished by the answer after 'conclude', which was requested because of this. */
      concluded?: RunReason | undefined;
    }
  | {
      kind: 'stopped';
      because: RunReason;
      /** MAX_ITERATIONS_EXCEEDED for loops, steps and tool calls; CAPACITY_EXCEEDED for tokens and cost; TIMEOUT for time. */
      error: AgentError;
    }
  | { kind: 'failed'; error: AgentError }
  | { kind: 'cancelled' };

/** The error of a run that was stopped. It has a message of its own for the user. */
class RunError extends AgentError {
  /** Why the run was stopped. */
  readonly because: RunReason;
  private readonly locale: string | undefined;

  constructor(because: RunReason, name: string, locale: string | undefined) {
    const code = codeOf(because);
    super(code, `Run '${name}' was stopped. ${happened(because)}`, {
      retryable: false,
      severity: code === 'MAX_ITERATIONS_EXCEEDED' ? undefined : 'critical',
    });
    this.because = because;
    this.locale = locale;
    Object.defineProperty(this, 'locale', { enumerable: false });
  }

  override userMessage(reader?: string | Reader): string {
    const locale = typeof reader === 'object' ? reader?.locale : reader;
    return endMessage(this.because, locale ?? this.locale);
  }
}

/** The first sentence of what is said to the model, for a developer. */
function happened(because: RunReason): string {
  return say('steer', because, 'en').split(/(?<=\.) /, 1)[0] ?? '';
}

function codeOf(because: RunReason): AgentErrorCode {
  if (because.kind === 'loop') return 'MAX_ITERATIONS_EXCEEDED';
  if (because.limit === 'ms') return 'TIMEOUT';
  return because.limit === 'tokens' || because.limit === 'cost'
    ? 'CAPACITY_EXCEEDED'
    : 'MAX_ITERATIONS_EXCEEDED';
}

/** The error of a run that is stopped for that reason. */
export function stopError(because: RunReason, name: string, locale: string | undefined): AgentError {
  return new RunError(because, name, locale);
}

/** The error of a run that is over. */
export function errorOfEnd(end: RunEnd): AgentError {
  if (end.kind === 'stopped' || end.kind === 'failed') return end.error;
  return cancellation(undefined, end.kind === 'cancelled' ? 'The run was cancelled' : 'The run is over');
}
