/** The facts of a call that never change: under which policy and options it runs, who made it, what it is called. */

import type { Failure } from '../error/failure.js';
import { processName, randomHex, randomUuid } from '../event/events.js';
import type { ObservedCall } from '../event/observed-call.js';
import type { Usage } from '../event/usage.js';
import type { Audience } from '../message/about.js';
import { over } from '../options.js';
import { mergedRetry, type RetryOptions } from '../retry/options.js';
import type { CallHost, CallSettings } from './host.js';
import type { CallOptions, HedgeOptions, SpanContext, TimeoutOptions } from './options.js';
import { type Parent, parentHere, wantTraces } from './parents.js';
import type { Repairs } from './repairs.js';
import { switchingSoon } from './switching.js';

let calls = 0;

// Its fields are declarations: as definitions, each would be written twice, first by a function of its own.
export class CallInfo implements ObservedCall {
  declare readonly host: CallHost;
  /** Those of the policy when the call was made: an update changes them for later calls only. */
  declare readonly settings: CallSettings;
  declare readonly options: CallOptions | undefined;
  /** Milliseconds for each attempt, and for the call with all its attempts and waits. */
  declare readonly times: Times;
  /** When another attempt begins beside one that has not answered; `undefined` for never. */
  declare readonly hedge: HedgeOptions | undefined;
  /** The function that the application gave: its name is read when an event needs it. */
  declare given: { readonly name: string } | undefined;
  declare lastFailure: Failure | undefined;
  declare lastUsage: Usage | undefined;
  declare openUsage: Usage | undefined;
  /** Once a request of the call has been repaired. */
  declare repairs: Repairs | undefined;
  /** The surroundings of the call. */
  declare parent: Parent | undefined;
  declare private name: string | undefined;
  declare private key: string | undefined;

  constructor(host: CallHost, options: CallOptions | undefined) {
    if (options?.span !== undefined) wantTraces();
    const { settings } = host;
    const parent = parentHere();
    this.host = host;
    this.settings = settings;
    this.options =
      parent?.switching === undefined ? options : switchingSoon(parent.switching, settings, options);
    this.times = options?.timeout === undefined ? settings : timesOf(options.timeout, settings);
    this.hedge = options?.idempotent === false ? undefined : hedgeOf(settings.options.hedge, options?.hedge);
    this.given = undefined;
    this.lastFailure = undefined;
    this.lastUsage = undefined;
    this.openUsage = undefined;
    this.repairs = undefined;
    this.parent = parent;
    this.name = undefined;
    this.key = undefined;
  }

  get id(): string {
    this.name ??= `${processName().slice(0, 8)}-${++calls}`;
    return this.name;
  }

  /** The application's, or one made when it is first read. */
  get idempotencyKey(): string {
    this.key ??= this.options?.idempotencyKey ?? randomUuid();
    return this.key;
  }

  /** A repaired request is another one, which a provider must not take for the one before. */
  renewKey(): void {
    const own = this.options?.idempotencyKey;
    this.key = own === undefined ? undefined : `${own}.repaired-${this.repairs?.count}`;
  }

  get tried(): readonly string[] | undefined {
    return this.repairs?.tried;
  }

  get parentId(): string | undefined {
    return this.parent?.id;
  }

  get run(): string | undefined {
    return this.parent?.run;
  }

  /** Of the trace that the application has named, for this call or for the one around it. */
  get traceId(): string | undefined {
    return this.options?.span?.traceId ?? this.parent?.traceId;
  }

  /** The span that `onError` gets: the application's, or one made now. */
  span(): SpanContext {
    return this.options?.span ?? { traceId: this.traceId ?? randomHex(16), spanId: randomHex(8) };
  }

  get task(): string | undefined {
    return this.options?.task;
  }

  /** A minified name says nothing, nor does that of a property `run`. */
  get operation(): string | undefined {
    const name: unknown = this.given?.name;
    return typeof name === 'string' && name.length > 2 && name !== 'run' ? name : undefined;
  }

  get provider(): string | undefined {
    return this.options?.provider ?? this.settings.options.provider;
  }

  get model(): string | undefined {
    return this.options?.model ?? this.settings.options.model;
  }

  get audience(): Audience | undefined {
    return this.settings.options.audience;
  }

  /** `true` if there is a use for an answer's token counts: a listener, or a limit on them. */
  get readsUsage(): boolean {
    return this.host.isObserved || this.settings.limits === 'tokens';
  }

  get hasBreaker(): boolean {
    return this.settings.breaker !== undefined;
  }

  /** `true` if a failing `Response` fails the attempt. */
  get failsOnNotOk(): boolean {
    return this.options?.failOnNotOk ?? this.settings.options.failOnNotOk ?? true;
  }

  /** The call's own over its policy's; `undefined` without retries. */
  get retryOptions(): RetryOptions | undefined {
    const { options } = this.settings;
    return mergedRetry(options.retry, this.options?.retry, options.preset);
  }
}

type Times = Pick<CallSettings, 'attemptMs' | 'totalMs'>;

function timesOf({ attemptMs, totalMs }: TimeoutOptions, common: Times): Times {
  return { attemptMs: attemptMs ?? common.attemptMs, totalMs: totalMs ?? common.totalMs };
}

/** Returns a call's hedge over its policy's; `undefined` for none. */
function hedgeOf(
  common: HedgeOptions | false | undefined,
  own: HedgeOptions | false | undefined,
): HedgeOptions | undefined {
  if (own === undefined) return common || undefined;
  return own === false ? undefined : over<HedgeOptions>(common || own, own);
}
