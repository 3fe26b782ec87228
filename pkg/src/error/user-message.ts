/** What an error says to users where the application has not written a message of its own. */

import type { AgentErrorCode } from '../codes.js';
import { emptyResponseMessage, invalidResponseMessage } from '../core/errors.js';
import type { ProviderErrorMetadata } from '../message/about.js';
import { TEMPLATES } from '../message/templates.js';
import { messageFor } from '../message/user-message.js';

/** What a message needs of an AgentError, of whichever copy of this package. */
export interface ErrorFields {
  readonly code: AgentErrorCode;
  readonly provider: ProviderErrorMetadata;
  readonly metadata: Record<string, unknown>;
  readonly retryAfterMs?: number | undefined;
}

/** More of a text than this does not cross into the core. */
const MOST_DETAILS = 4096;

/** The message of an error, in that language. */
export function userMessageOf(error: ErrorFields, locale: string): string {
  const shape = shapeOf(error);
  if (shape.kind === 'empty') return emptyResponseMessage(TEMPLATES.of(locale), '', error.provider.provider);
  const { provider, model } = error.provider;
  const tool = shape.kind === 'tool' ? shape.name : undefined;
  const { code, retryAfterMs } = error;
  const circumstance = circumstanceOf(error);
  return messageFor(code, { provider, model, tool, retryAfterMs, circumstance }, locale);
}

/**
 * The message of an error whose answer was empty or of the wrong shape, with what was missing or expected. `undefined` for
 * all others.
 */
export function explainedMessageOf(error: ErrorFields, locale: string): string | undefined {
  const templates = TEMPLATES.of(locale);
  const { provider } = error.provider;
  const shape = shapeOf(error);
  if (shape.kind === 'empty')
    return emptyResponseMessage(templates, shape.reason.slice(0, MOST_DETAILS), provider);
  if (shape.kind === 'invalid') {
    const { expected, got } = shape;
    return invalidResponseMessage(
      templates,
      expected.slice(0, MOST_DETAILS),
      got.slice(0, MOST_DETAILS),
      provider,
    );
  }
  return undefined;
}

/** What the code alone does not say, by the core's numbers. */
function circumstanceOf({ metadata }: ErrorFields): number {
  if (metadata.disposed === true) return 2;
  return typeof metadata.received === 'number' && metadata.received > 0 ? 1 : 0;
}

type Shape =
  | { kind: 'empty'; reason: string }
  | { kind: 'invalid'; expected: string; got: string }
  | { kind: 'tool'; name: string }
  | { kind: 'plain' };

/** By the fields that the response errors have, not by their classes: an error may be of another copy. */
function shapeOf(error: ErrorFields): Shape {
  const { reason, expected, got, toolName } = error as unknown as Record<string, unknown>;
  if (error.code === 'INVALID_RESPONSE' && typeof reason === 'string') return { kind: 'empty', reason };
  if (error.code === 'INVALID_RESPONSE' && typeof expected === 'string' && typeof got === 'string') {
    return { kind: 'invalid', expected, got };
  }
  if (typeof toolName === 'string') return { kind: 'tool', name: toolName };
  return { kind: 'plain' };
}
