/**
 * OpenTelemetry: spans of a policy's calls and attempts, and metrics, by the GenAI and `error.type` conventions; the events of
 * the process as log records.
 */

import * as api from '@opentelemetry/api';
import {
  type Attributes,
  context,
  type HrTime,
  type Meter,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type HalfopenEvent, onEvent } from './event/events.js';
import { expectHost } from './hosts.js';
import { textForLog } from './message/for-log.js';
import * as is from './options.js';
import { Policy } from './policy/policy.js';

interface InstrumentOptions {
  /** A `Tracer` of `@opentelemetry/api`. Default: the global provider's, named 'halfopen'. */
  tracer?: unknown;
  /** A `Meter` of `@opentelemetry/api`. Default: the global provider's, named 'halfopen'. */
  meter?: unknown;
}

const shape: is.Shape = {
  tracer: is.duck('a Tracer', 'startSpan'),
  meter: is.duck('a Meter', 'createCounter', 'createHistogram'),
};

interface OpenCall {
  readonly span: Span;
  readonly begun: number;
  readonly attributes: Attributes;
  /** Those that run, by their numbers: there are several where the call is hedged. */
  readonly attempts: Map<number, Span>;
}

/**
 * Makes a span for each call and each attempt of the policy, and counts them in the metrics `halfopen.calls`,
 * `halfopen.attempts`, `halfopen.retries`, `halfopen.breaker.changes`, `halfopen.call.duration` (seconds) and
 * `gen_ai.client.token.usage`. Attributes follow https://opentelemetry.io/docs/specs/semconv/gen-ai/: a call with a
 * provider or a model has the operation `chat`; `gen_ai.response.id` is the id in the response's body,
 * `halfopen.request_id` the one in its headers.
 *
 * @param options - `tracer` and `meter` of `@opentelemetry/api`. Default: the global providers', named 'halfopen'.
 * @returns a function that stops it and ends the open spans.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * import { instrument } from 'halfopen/otel';
 * const stop = instrument(policy);
 * ```
 */
export function instrument(policy: Policy<unknown>, options?: InstrumentOptions): () => void {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  expectHost('halfopen/otel', '@opentelemetry/api', '1', { metrics: api.metrics });
  const given = is.readOptions<InstrumentOptions>(shape, options, 'instrument');
  const observer = new Observer(
    (given.tracer as Tracer | undefined) ?? trace.getTracer('halfopen'),
    (given.meter as Meter | undefined) ?? api.metrics.getMeter('halfopen'),
    () => policy.host.settings.options,
  );
  const stop = policy.onEvent((event) => observer.take(event));
  return () => {
    stop();
    observer.close();
  };
}

/** A `Logger` of `@opentelemetry/api-logs`, as far as it is needed. */
interface LogEmitter {
  emit(record: object): void;
}

/**
 * Emits every event of this process as an OpenTelemetry log record: to any collector, with whichever exporter the logger's
 * provider has. The record's body is the event as one line of JSON, the line that the devtools keep; its name is
 * `halfopen.` and the event's type; its attributes are the process, the policy, the call and `error.type`, to filter by.
 * Name the host, the deployment and the version in the resource of the provider (`host.name`,
 * `deployment.environment.name`, `service.version`).
 *
 * `npx halfopen devtools --otlp <file>` reads the records back out of a file that the collector has written.
 *
 * @param logger - a `Logger` of `@opentelemetry/api-logs`.
 * @returns a function that stops it.
 * @throws TypeError for what is no logger.
 *
 * @example
 * ```ts
 * import { logs } from '@opentelemetry/api-logs';
 * import { exportEvents } from 'halfopen/otel';
 * const stop = exportEvents(logs.getLogger('halfopen'));
 * ```
 */
export function exportEvents(logger: LogEmitter): () => void {
  if (typeof (logger as Partial<LogEmitter> | null | undefined)?.emit !== 'function')
    throw is.misuse('logger', 'a Logger of @opentelemetry/api-logs', logger);
  return onEvent((event) => logger.emit(logRecord(event)));
}

/** Severities of events that are not INFO (9), as the log data model numbers them. */
const SEVERITIES: Readonly<Record<string, readonly [number: number, text: string]>> = {
  'attempt.failed': [13, 'WARN'],
  'call.rejected': [13, 'WARN'],
  'call.failed': [17, 'ERROR'],
  'stream.broken': [13, 'WARN'],
  'core.restarted': [13, 'WARN'],
  'events.dropped': [13, 'WARN'],
};

/** The record of an event: https://opentelemetry.io/docs/specs/otel/logs/data-model/. */
function logRecord(event: HalfopenEvent): object {
  const [severityNumber, severityText] = SEVERITIES[event.type] ?? [9, 'INFO'];
  const attributes: Attributes = { 'halfopen.source': event.source };
  if (event.policy !== undefined) attributes['halfopen.policy'] = event.policy;
  if (event.call !== undefined) attributes['halfopen.call'] = event.call;
  if ('code' in event) attributes['error.type'] = event.code;
  return {
    ...{ eventName: `halfopen.${event.type}`, timestamp: at(event.time), severityNumber, severityText },
    ...{ body: JSON.stringify(event), attributes },
  };
}

/** Which model a call is made to. */
interface Model {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The conventions require the name of the operation. What agents do with a model is a chat. */
const OPERATION = { 'gen_ai.operation.name': 'chat' };

/** What the conventions say of a call of a model; nothing of other calls, such as a tool's. */
function modelAttributes({ provider, model }: Model): Attributes {
  if (provider === undefined && model === undefined) return {};
  const attributes: Attributes = { ...OPERATION };
  if (provider !== undefined) attributes['gen_ai.provider.name'] = provider;
  if (model !== undefined) attributes['gen_ai.request.model'] = model;
  return attributes;
}

/** A policy's own options, which no event has redacted. */
function redacted({ provider, model }: Model): Model {
  return {
    provider: provider && textForLog(provider, 200),
    model: model && textForLog(model, 200),
  };
}

/**
 * The bounds of the histograms' buckets, as the GenAI conventions have them for `gen_ai.client.operation.duration` and
 * `gen_ai.client.token.usage`. OpenTelemetry's default is for milliseconds.
 */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

class Observer {
  private readonly open = new Map<string, OpenCall>();
  private readonly calls;
  private readonly attempts;
  private readonly retries;
  private readonly changes;
  private readonly duration;
  private readonly tokens;
  private readonly tracer: Tracer;
  /** What the policy's calls are made to, unless they say otherwise. */
  private readonly policy: () => Model;

  constructor(tracer: Tracer, meter: Meter, policy: () => Model) {
    this.tracer = tracer;
    this.policy = policy;
    this.calls = meter.createCounter('halfopen.calls', { unit: '{call}', description: 'Calls that ended' });
    this.attempts = meter.createCounter('halfopen.attempts', {
      unit: '{attempt}',
      description: 'Attempts that ended',
    });
    this.retries = meter.createCounter('halfopen.retries', {
      unit: '{retry}',
      description: 'Retries planned',
    });
    this.changes = meter.createCounter('halfopen.breaker.changes', {
      unit: '{change}',
      description: 'Changes of breakers',
    });
    this.duration = meter.createHistogram('halfopen.call.duration', {
      unit: 's',
      description: 'Calls from begin to end, waits included',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    this.tokens = meter.createHistogram('gen_ai.client.token.usage', {
      unit: '{token}',
      description: 'Tokens used by attempts that succeeded',
      advice: { explicitBucketBoundaries: TOKENS },
    });
  }

  /** One event: spans begin and end at its time. */
  take(event: HalfopenEvent): void {
    const call = event.call === undefined ? undefined : this.open.get(event.call);
    switch (event.type) {
      case 'call.started':
        this.begin(event);
        break;
      case 'attempt.started':
        call?.attempts.set(event.attempt, this.attempt(call, event));
        break;
      case 'attempt.succeeded': {
        const attributes = { ...call?.attributes };
        const attempt = call?.attempts.get(event.attempt);
        this.attempts.add(1, attributes);
        if (event.responseId !== undefined) {
          attempt?.setAttribute('gen_ai.response.id', event.responseId);
        }
        for (const [type, count] of [
          ['input', event.usage?.inputTokens],
          ['output', event.usage?.outputTokens],
        ] as const) {
          if (count === undefined) continue;
          this.tokens.record(count, { ...attributes, ...OPERATION, 'gen_ai.token.type': type });
          attempt?.setAttribute(`gen_ai.usage.${type}_tokens`, count);
        }
        endSpan(call, event.attempt, at(event.time));
        break;
      }
      case 'attempt.failed': {
        const attempt = call?.attempts.get(event.attempt);
        this.attempts.add(1, { ...call?.attributes, 'error.type': event.code });
        attempt?.setAttributes({
          'error.type': event.code,
          'halfopen.rule': event.rule,
          'halfopen.counted': event.counted,
          ...(event.statusCode === undefined ? {} : { 'http.response.status_code': event.statusCode }),
          ...(event.requestId === undefined ? {} : { 'halfopen.request_id': event.requestId }),
        });
        attempt?.setStatus({ code: SpanStatusCode.ERROR, message: event.technicalDetails });
        endSpan(call, event.attempt, at(event.time));
        break;
      }
      case 'retry.scheduled':
        this.retries.add(1, { ...call?.attributes });
        call?.span.addEvent('retry.scheduled', { 'halfopen.delay_ms': event.delayMs }, at(event.time));
        break;
      case 'call.succeeded':
        if (event.closedEarly === true) call?.span.setAttribute('halfopen.closed_early', true);
        this.end(event);
        break;
      case 'call.failed':
        this.end(event, event.code, event.why);
        break;
      case 'call.rejected':
        this.end(event, event.code, event.by);
        break;
      case 'breaker.changed':
        this.changes.add(1, { 'halfopen.breaker': event.breaker, 'halfopen.breaker.state': event.to });
        call?.span.addEvent(
          'breaker.changed',
          { from: event.from, to: event.to, reason: event.reason },
          at(event.time),
        );
        break;
      case 'breaker.throttled':
        call?.span.addEvent('breaker.throttled', { 'halfopen.refusal_rate': event.rate }, at(event.time));
        break;
      default:
        break;
    }
  }

  /** Ends the spans that are open: no event will. */
  close(): void {
    for (const call of this.open.values()) {
      endSpans(call);
      call.span.end();
    }
    this.open.clear();
  }

  private begin(event: HalfopenEvent & { type: 'call.started' }): void {
    if (event.call === undefined) return;
    const { task } = event;
    // An attempt says what it is made to; a call that has none is known by its policy.
    const attributes: Attributes = {
      'halfopen.policy': event.policy ?? 'default',
      ...modelAttributes(redacted(this.policy())),
    };
    const span = this.tracer.startSpan(`halfopen ${event.policy ?? 'default'}`, {
      startTime: at(event.time),
      attributes: {
        ...attributes,
        'halfopen.call': event.call,
        ...(task === undefined ? {} : { 'halfopen.task': task }),
      },
    });
    this.open.set(event.call, { span, begun: event.time, attributes, attempts: new Map() });
  }

  private attempt(call: OpenCall, event: HalfopenEvent & { type: 'attempt.started' }): Span {
    const model = modelAttributes(event);
    Object.assign(call.attributes, model);
    call.span.setAttributes(model);
    return this.tracer.startSpan(
      `attempt ${event.attempt}`,
      {
        startTime: at(event.time),
        attributes: {
          ...call.attributes,
          'halfopen.attempt': event.attempt,
          'halfopen.probe': event.probe === true,
        },
      },
      trace.setSpan(context.active(), call.span),
    );
  }

  private end(event: HalfopenEvent, code?: string, why?: string): void {
    const call = event.call === undefined ? undefined : this.open.get(event.call);
    if (call === undefined || event.call === undefined) return;
    this.open.delete(event.call);
    endSpans(call, at(event.time));
    const attributes = code === undefined ? call.attributes : { ...call.attributes, 'error.type': code };
    this.calls.add(1, attributes);
    this.duration.record(Math.max(0, event.time - call.begun) / 1000, attributes);
    if (code !== undefined) {
      call.span.setAttributes({ 'error.type': code, 'halfopen.why': why ?? code });
      call.span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    }
    call.span.end(at(event.time));
  }
}

/** Seconds and nanoseconds: small numbers alone would be taken for times since the process began. */
function at(ms: number): HrTime {
  return [Math.trunc(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function endSpan(call: OpenCall | undefined, attempt: number, time: HrTime): void {
  call?.attempts.get(attempt)?.end(time);
  call?.attempts.delete(attempt);
}

/** Ends the spans of all attempts that run. */
function endSpans({ attempts }: OpenCall, time?: HrTime): void {
  for (const span of attempts.values()) span.end(time);
  attempts.clear();
}
