/** A stream result that an operation returned instead of streaming it under the policy. */

import { observe } from '../event/events.js';
import type { Attempt } from './attempt.js';
import type { CallHost } from './host.js';
import type { CallInfo } from './info.js';

/** The text of the warning to onDebug, once for each policy. */
const UNREAD_STREAM =
  'An AI SDK stream result was returned from an operation: the attempt counts as a success before the first chunk, and what the stream fails with is not seen. Stream it under the policy instead: policy.stream(({ signal }) => streamText({ …, abortSignal: signal, maxRetries: 0 }).fullStream)';

/** The policies whose onDebug knows. */
const warned = /* @__PURE__ */ new WeakSet<CallHost>();

/**
 * Notes where a value is what the AI SDK's `streamText` returns (`streamObject` too): it counts as a success before
 * it has yielded anything. Its streams are getters that begin to read: they are looked for, not read.
 */
export function noteUnreadStream(value: object, attempt: Attempt, { host, settings }: CallInfo): void {
  try {
    if (!('textStream' in value && 'fullStream' in value)) return;
  } catch {
    return; // A proxy that throws.
  }
  attempt.know({ unreadStream: true });
  const { onDebug } = settings.options;
  if (onDebug === undefined || warned.has(host)) return;
  warned.add(host);
  observe(onDebug, UNREAD_STREAM, { policy: host.name, attempt: attempt.attempt });
}
