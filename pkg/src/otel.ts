/**
 * OpenTelemetry: spans of a policy's calls and attempts and of tools, and metrics; the events of the process as log records.
 *
 * The names are those of the semantic conventions 1.41.0, the last version that has the GenAI conventions:
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/README.md. They have moved to
 * https://github.com/open-telemetry/semantic-conventions-genai, whose metrics of tokens have other names.
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
import { type ToolTracer, traceTools } from './event/tool-runs.js';
import type { Usage } from './event/usage.js';
import { expectHost } from './hosts.js';
import { textForLog } from './message/for-log.js';
import * as is from './options.js';
import { at, contextIn } from './otel-runs.js';
import { Policy } from './policy/policy.js';

export { traceRuns } from './otel-runs.js';

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

/** The version of the semantic conventions that spans and metrics follow, as a collector reads it. */
const SCHEMA = { schemaUrl: 'https://opentelemetry.io/schemas/1.41.0' };

/**
 * Makes a span for each call and each attempt of the policy, and for each run of a tool that has a name (`toolResult`), and counts
 * in the metrics `halfopen.calls`, `halfopen.attempts`, `halfopen.retries`, `halfopen.breaker.changes`, `halfopen.call.duration`
 * (seconds), `gen_ai.client.operation.duration` (seconds, of each attempt) and `gen_ai.client.token.usage`. Attributes follow the
 * semantic conventions 1.41.0: a call with a provider or a model has the operation `chat`; `gen_ai.response.id` is the id in the
 * response's body, `halfopen.request_id` the one in its headers.
 *
 * A tool's run has one span, however many policies are instrumented with the same tracer. After a failover the span of the next
 * call says what it follows: `halfopen.failover.from`, and the event `failover.switched`, which the active span has as well.
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
  const tracer =
    (given.tracer as Tracer | undefined) ??
    trace.getTracerProvider().getTracer('halfopen', undefined, SCHEMA);
  const observer = new Observer(
    tracer,
    (given.meter as Meter | undefined) ?? api.metrics.getMeter('halfopen', undefined, SCHEMA),
    () => policy.host.settings.options,
  );
  const stopTools = traceToolsOnce(given.tracer ?? 'global', tracer);
  const stop = policy.onEvent((event) => observer.take(event));
  return () => {
    stop();
    stopTools();
    observer.close();
  };
}

/** The listeners that trace tools, by their tracer, each with the number of its policies. */
const toolTracers = /* @__PURE__ */ new Map<unknown, { users: number; readonly stop: () => void }>();

/** One span for each run of a tool, however many policies are instrumented with a tracer. Returns how to stop. */
function traceToolsOnce(key: unknown, tracer: Tracer): () => void {
  const known = toolTracers.get(key) ?? { users: 0, stop: traceTools(toolTracer(tracer)) };
  known.users++;
  toolTracers.set(key, known);
  let hasStopped = false;
  return () => {
    if (hasStopped) return;
    hasStopped = true;
    if (--known.users > 0) return;
    known.stop();
    toolTracers.delete(key);
  };
}

/** The field of a tool's result by which `toolResult` marks a failure. */
interface MaybeFailed {
  readonly metadata?: { readonly error?: unknown; readonly code?: unknown };
}

/** The span of a tool's run is the parent of what runs within it. */
function toolTracer(tracer: Tracer): ToolTracer {
  return (tool, run) => {
    const name = textForLog(tool.name, 200);
    const attributes: Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
    };
    if (tool.callId !== undefined) attributes['gen_ai.tool.call.id'] = textForLog(tool.callId, 200);
    const span = tracer.startSpan(`execute_tool ${name}`, { attributes }, contextIn());
    const end = (failed: MaybeFailed['metadata']): void => {
      const code = failed?.error === undefined ? undefined : failed.code;
      if (typeof code === 'string') {
        span.setAttribute('error.type', code);
        span.setStatus({ code: SpanStatusCode.ERROR, message: code });
      }
      span.end();
    };
    return context.with(trace.setSpan(context.active(), span), run).then(
      (result) => {
        end((result as MaybeFailed).metadata);
        return result;
      },
      (thrown) => {
        // Control flow of a host, which is no failure.
        end(undefined);
        throw thrown;
      },
    );
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

/** The model that a call uses. */
interface Model {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The conventions require the name of the operation. Agents mostly chat with a model. */
const OPERATION = { 'gen_ai.operation.name': 'chat' };

/** Providers that the conventions have a name of their own for; the other names are the same. */
const PROVIDER_NAMES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['azure-openai', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['google', 'gcp.gen_ai'],
  ['mistral', 'mistral_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/** Returns the attributes of a model call by the conventions; none for other calls, such as a tool's. */
function modelAttributes({ provider, model }: Model): Attributes {
  if (provider === undefined && model === undefined) return {};
  const attributes: Attributes = { ...OPERATION };
  if (provider !== undefined) attributes['gen_ai.provider.name'] = PROVIDER_NAMES.get(provider) ?? provider;
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

/** The most calls whose end is waited for: those of a trap of the core, and of a stream that was forgotten, never come. */
const MOST_OPEN = 10_000;

/** A failover, as the call has it that follows. */
interface Switch {
  readonly attributes: Attributes;
  readonly time: HrTime;
  /** The call that follows. */
  call: string | undefined;
}

/** The failover that has just happened. The next call begins at once, and may be another policy's. */
let switched: Switch | undefined;

class Observer {
  private readonly open = new Map<string, OpenCall>();
  private readonly calls;
  private readonly attempts;
  private readonly retries;
  private readonly changes;
  private readonly duration;
  private readonly operation;
  private readonly tokens;
  private readonly tracer: Tracer;
  /** The model of the policy's calls, unless they name another one. */
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
    this.operation = meter.createHistogram('gen_ai.client.operation.duration', {
      unit: 's',
      description: 'Attempts to call a model, waits not included',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    this.tokens = meter.createHistogram('gen_ai.client.token.usage', {
      unit: '{token}',
      description: 'Tokens that attempts used',
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
        const attempt = call?.attempts.get(event.attempt);
        const { responseId, responseModel, finishReasons } = event;
        const answered = responseModel === undefined ? {} : { 'gen_ai.response.model': responseModel };
        const attributes = { ...call?.attributes, ...answered };
        this.attempts.add(1, { ...call?.attributes });
        this.took(event.durationMs, attributes);
        this.used(event.usage, attributes, attempt);
        attempt?.setAttributes({
          ...answered,
          ...(responseId === undefined ? {} : { 'gen_ai.response.id': responseId }),
          ...(finishReasons === undefined ? {} : { 'gen_ai.response.finish_reasons': [...finishReasons] }),
        });
        endSpan(call, event.attempt, at(event.time));
        break;
      }
      case 'attempt.failed': {
        const attempt = call?.attempts.get(event.attempt);
        const failed = { ...call?.attributes, 'error.type': event.code };
        this.attempts.add(1, failed);
        this.took(event.durationMs, failed);
        this.used(event.usage, { ...call?.attributes }, attempt);
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
      case 'attempt.repaired':
        call?.span.addEvent(
          'attempt.repaired',
          {
            'halfopen.attempt': event.attempt,
            'halfopen.remedy': event.remedy,
            'halfopen.changes': [...event.changes],
          },
          at(event.time),
        );
        break;
      case 'retry.scheduled':
        this.retries.add(1, { ...call?.attributes });
        call?.span.addEvent('retry.scheduled', { 'halfopen.delay_ms': event.delayMs }, at(event.time));
        break;
      case 'call.succeeded':
        if (event.closedEarly === true) call?.span.setAttribute('halfopen.closed_early', true);
        this.used(event.usage, { ...call?.attributes }, call?.span);
        this.end(event);
        break;
      case 'call.failed':
        this.used(event.usage, { ...call?.attributes }, call?.span);
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
      case 'stream.chunk':
        // Of a body of `policy.fetch`, whose span has ended with the headers.
        this.used(event.usage, this.ofPolicy(event), undefined);
        break;
      case 'failover.switched':
        this.switched(event);
        break;
      default:
        break;
    }
  }

  /** How long an attempt took, where it called a model. */
  private took(durationMs: number, attributes: Attributes): void {
    if ('gen_ai.operation.name' in attributes) this.operation.record(durationMs / 1000, attributes);
  }

  /** The tokens of an attempt, on its span; those of attempts that had no end, on the span of their call. */
  private used(usage: Usage | undefined, attributes: Attributes, span: Span | undefined): void {
    if (usage === undefined) return;
    for (const [type, tokens] of [
      ['input', usage.inputTokens],
      ['output', usage.outputTokens],
    ] as const) {
      if (tokens !== undefined)
        this.tokens.record(tokens, { ...attributes, ...OPERATION, 'gen_ai.token.type': type });
    }
    for (const [name, tokens] of [
      ['input_tokens', usage.inputTokens],
      ['cache_read.input_tokens', usage.cachedInputTokens],
      ['cache_creation.input_tokens', usage.cacheWriteTokens],
      ['output_tokens', usage.outputTokens],
      ['reasoning.output_tokens', usage.reasoningTokens],
    ] as const) {
      if (tokens !== undefined) span?.setAttribute(`gen_ai.usage.${name}`, tokens);
    }
  }

  private switched({ from, to, code, time }: HalfopenEvent & { type: 'failover.switched' }): void {
    const mine: Switch = {
      attributes: { 'halfopen.failover.from': from, 'halfopen.failover.to': to, 'error.type': code },
      time: at(time),
      call: undefined,
    };
    trace.getActiveSpan()?.addEvent('failover.switched', mine.attributes, mine.time);
    switched = mine;
    // The next call has begun by then.
    queueMicrotask(() => {
      if (switched === mine) switched = undefined;
    });
  }

  /** Ends the spans that are open: no event will. */
  close(): void {
    for (const call of this.open.values()) {
      endSpans(call);
      call.span.end();
    }
    this.open.clear();
  }

  private ofPolicy({ policy = 'default' }: HalfopenEvent): Attributes {
    return { 'halfopen.policy': policy, ...modelAttributes(redacted(this.policy())) };
  }

  private begin(event: HalfopenEvent & { type: 'call.started' }): void {
    if (event.call === undefined) return;
    const { task } = event;
    // An attempt names its own model; a call without one has its policy's.
    const attributes = this.ofPolicy(event);
    const span = this.tracer.startSpan(
      `halfopen ${event.policy ?? 'default'}`,
      {
        startTime: at(event.time),
        attributes: {
          ...attributes,
          'halfopen.call': event.call,
          ...(event.run === undefined ? {} : { 'halfopen.run': event.run }),
          ...(task === undefined ? {} : { 'halfopen.task': task }),
        },
      },
      contextIn(event.run),
    );
    if (switched !== undefined) {
      switched.call ??= event.call;
      if (switched.call === event.call) {
        span.setAttribute('halfopen.failover.from', switched.attributes['halfopen.failover.from'] as string);
        span.addEvent('failover.switched', switched.attributes, switched.time);
      }
    }
    if (this.open.size >= MOST_OPEN) this.forgetOldest();
    this.open.set(event.call, { span, begun: event.time, attributes, attempts: new Map() });
  }

  private forgetOldest(): void {
    for (const [id, call] of this.open) {
      this.open.delete(id);
      endSpans(call);
      call.span.end();
      return;
    }
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

function endSpan(call: OpenCall | undefined, attempt: number, time: HrTime): void {
  call?.attempts.get(attempt)?.end(time);
  call?.attempts.delete(attempt);
}

/** Ends the spans of all attempts that run. */
function endSpans({ attempts }: OpenCall, time?: HrTime): void {
  for (const span of attempts.values()) span.end(time);
  attempts.clear();
}
