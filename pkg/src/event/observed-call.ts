/** The events' view of the call that they are about. Calls are in a folder above this one, and have this shape. */

import type { Time } from '../clock.js';
import type { Failure } from '../error/failure.js';
import type { Audience } from '../message/about.js';
import type { EventListener, EventSubject } from './events.js';
import type { ResponseFacts } from './response-facts.js';
import type { Usage } from './usage.js';

/** The known facts of an attempt beside its outcome. */
export interface AttemptFacts extends ResponseFacts {
  usage?: Usage | undefined;
  /** For a stream: from the start of the attempt to its first chunk, in milliseconds. */
  firstChunkMs?: number | undefined;
  /** The operation returned an AI SDK stream result that was not read under the policy. */
  unreadStream?: boolean | undefined;
}

/** The policy that a call runs under. */
export interface EventSource {
  readonly name: string;
  readonly time: Time;
  /** The listeners to this policy, beside those to the whole process. */
  readonly listeners: readonly EventListener[];
  /** `true` if the core records this policy's calls: there was a listener when the last of them began. */
  readonly isObserved: boolean;
}

/** A call, as its events describe it. */
export interface ObservedCall {
  readonly host: EventSource;
  /** Made when it is first read. */
  readonly id: string;
  readonly parentId: string | undefined;
  readonly traceId: string | undefined;
  /** The id of the run that it belongs to. */
  readonly run: string | undefined;
  /** The call's own options. */
  readonly options: object | undefined;
  readonly task: string | undefined;
  /** The name of the function that runs, if it has one. */
  readonly operation: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The reader of a failed call's message for users. */
  readonly audience: Audience | undefined;
  readonly hasBreaker: boolean;
  /** The failure of the last failed attempt. */
  readonly lastFailure: Failure | undefined;
  /** The tokens of the last failed attempt, if its answer or a chunk of it stated them. */
  readonly lastUsage: Usage | undefined;
  /** The tokens of the attempts that had not ended when the call was cancelled, or its stream closed. */
  readonly openUsage: Usage | undefined;
  /** The changes of its requests, in words, after errors with a remedy. */
  readonly tried: readonly string[] | undefined;
}

/** The ids that every event of the call carries. */
export function subjectOf(call: ObservedCall): EventSubject {
  const { host, id, parentId, traceId, run } = call;
  return { policy: host.name, call: id, parentCall: parentId, traceId, run };
}
