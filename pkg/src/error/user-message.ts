/** The text of an error for users, unless the application has written its own. */

import { spoken } from '../classify/decision.js';
import type { Remedy } from '../classify/remedy.js';
import type { AgentErrorCode } from '../codes.js';
import { emptyResponseMessage, invalidResponseMessage } from '../core/errors.js';
import type { ProviderErrorMetadata, Reader } from '../message/about.js';
import { DEFAULT_LOCALE, templatesOf } from '../message/templates.js';
import { audienceIndex, messageFor } from '../message/user-message.js';

/** The fields of an AgentError that a message needs, of any copy of this package. */
export interface ErrorFields {
  readonly code: AgentErrorCode;
  readonly provider: ProviderErrorMetadata;
  readonly metadata: Record<string, unknown>;
  readonly retryAfterMs?: number | undefined;
  readonly remedy?: Remedy | undefined;
}

/** More of a text than this does not cross into the core. */
const MOST_DETAILS = 4096;

/** Returns the message of an error for that reader. */
export function userMessageOf(error: ErrorFields, reader: Reader): string {
  const shape = shapeOf(error);
  const { provider, model } = error.provider;
  if (shape.kind === 'empty') {
    const templates = templatesOf(reader.locale ?? DEFAULT_LOCALE);
    return emptyResponseMessage(templates, '', provider, audienceIndex(reader.audience));
  }
  const tool = shape.kind === 'tool' ? shape.name : undefined;
  const { retryAfterMs } = error;
  // An error that names its tool says more than that the conversation cannot go on.
  const said = spoken(error.code, tool === undefined ? error.remedy : undefined);
  const circumstance = said.circumstance || circumstanceOf(error);
  return messageFor(said.code, { provider, model, tool, retryAfterMs, circumstance }, reader);
}

/**
 * Returns the owner's message for an answer that was empty or of the wrong shape, with the missing or expected part.
 * `undefined` for all other errors.
 */
export function explainedMessageOf(error: ErrorFields, locale: string): string | undefined {
  const templates = templatesOf(locale);
  const { provider } = error.provider;
  const shape = shapeOf(error);
  if (shape.kind === 'empty')
    return emptyResponseMessage(
      templates,
      shape.reason.slice(0, MOST_DETAILS),
      provider,
      audienceIndex('owner'),
    );
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

/** The core's numbers for what refuses a call. */
const REFUSED_BY: Readonly<Record<string, number>> = {
  'rate-limit': 3,
  cost: 4,
  adaptive: 5,
  isolation: 9,
  throttle: 10,
};

/** Returns the number of the circumstance that the code alone does not convey. */
function circumstanceOf({ metadata }: ErrorFields): number {
  if (metadata.disposed === true) return 2;
  if (typeof metadata.received === 'number' && metadata.received > 0) return 1;
  return Object.hasOwn(REFUSED_BY, String(metadata.by)) ? (REFUSED_BY[String(metadata.by)] ?? 0) : 0;
}

type Shape =
  | { kind: 'empty'; reason: string }
  | { kind: 'invalid'; expected: string; got: string }
  | { kind: 'tool'; name: string }
  | { kind: 'plain' };

/**
 * The response errors are recognised by their fields and not by their classes, because an error may come from another
 * copy.
 */
function shapeOf(error: ErrorFields): Shape {
  const { reason, expected, got, toolName } = error as unknown as Record<string, unknown>;
  if (error.code === 'INVALID_RESPONSE' && typeof reason === 'string') return { kind: 'empty', reason };
  if (error.code === 'INVALID_RESPONSE' && typeof expected === 'string' && typeof got === 'string') {
    return { kind: 'invalid', expected, got };
  }
  if (typeof toolName === 'string') return { kind: 'tool', name: toolName };
  return { kind: 'plain' };
}
