/** OpenTelemetry: a span `invoke_agent` for each run of an agent, with its steps as children. */

import * as api from '@opentelemetry/api';
import {
  type Attributes,
  type Context,
  context,
  type HrTime,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parentHere } from './call/parents.js';
import { type HalfopenEvent, onEvent } from './event/events.js';
import { expectHost } from './hosts.js';
import * as is from './options.js';

/** A run that has not ended. */
interface OpenRun {
  readonly span: Span;
  step: Span | undefined;
  /** The span that was active when the run began. */
  readonly outer: Span | undefined;
}

/** More runs than this are not kept: an application may forget to finish some. */
const MOST_OPEN = 1000;

/** The open runs of one `traceRuns`, by their ids. */
type OpenRuns = Map<string, OpenRun>;

/** Of each `traceRuns` that has not been stopped: two tracers make two spans of a run. */
const tracings = /* @__PURE__ */ new Set<OpenRuns>();

/**
 * Makes a span `invoke_agent` for each run (`createRun`) of this process, and a child for each of its steps. The span has the run's
 * id (`halfopen.run`), its name (`gen_ai.agent.name`), its tokens, and `error.type` if the run was stopped or failed. Events on the
 * steps are the tools' outcomes (`run.tool`), the advice (`run.advised`) and the acts of a ledger (`effect.*`); a sub-agent's span is a child of its parent's step.
 *
 * Spans of calls and tools (`instrument`) that belong to a run are children of its step.
 *
 * @param options - `tracer` of `@opentelemetry/api`. Default: the global provider's, named 'halfopen'.
 * @returns a function that stops it and ends the open spans.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * import { traceRuns } from 'halfopen/otel';
 * const stop = traceRuns();
 * ```
 */
export function traceRuns(options?: { tracer?: unknown }): () => void {
  expectHost('halfopen/otel', '@opentelemetry/api', '1', { trace: api.trace });
  const given = is.readOptions<{ tracer?: Tracer }>(
    { tracer: is.duck('a Tracer', 'startSpan') },
    options,
    'traceRuns',
  );
  const tracer = given.tracer ?? trace.getTracerProvider().getTracer('halfopen');
  const open: OpenRuns = new Map();
  tracings.add(open);
  const stop = onEvent((event) => take(event, tracer, open));
  return () => {
    stop();
    tracings.delete(open);
    for (const id of [...open.keys()]) close(id, open);
  };
}

/**
 * The context in which spans of a run begin: below its step, unless the application or a tool has opened a span within the run. Of
 * several `traceRuns`, the first has it.
 */
export function contextIn(run: string | undefined = parentHere()?.run): Context {
  let found: OpenRun | undefined;
  if (run !== undefined) for (const open of tracings) found ??= open.get(run);
  const active = trace.getActiveSpan();
  if (found === undefined || (active !== undefined && active !== found.outer)) return context.active();
  return trace.setSpan(context.active(), found.step ?? found.span);
}

function take(event: HalfopenEvent, tracer: Tracer, open: OpenRuns): void {
  if (event.type === 'run.started') {
    if (open.size >= MOST_OPEN) for (const id of [...open.keys()].slice(0, 1)) close(id, open);
    const parent = event.parentRun === undefined ? undefined : open.get(event.parentRun);
    const outer = trace.getActiveSpan();
    const span = tracer.startSpan(
      `invoke_agent ${event.name}`,
      {
        startTime: at(event.time),
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': event.name,
          'halfopen.run': event.run,
        },
      },
      parent === undefined ? context.active() : trace.setSpan(context.active(), parent.step ?? parent.span),
    );
    open.set(event.run, { span, step: undefined, outer });
    return;
  }
  const found = event.run === undefined ? undefined : open.get(event.run);
  if (found === undefined) return;
  const time = at(event.time);
  const note = (attributes: Attributes) => (found.step ?? found.span).addEvent(event.type, attributes, time);
  switch (event.type) {
    case 'run.step':
      found.step?.end(time);
      found.step = tracer.startSpan(
        `step ${event.step}`,
        { startTime: time, attributes: { 'halfopen.run': event.run, 'halfopen.run.step': event.step } },
        trace.setSpan(context.active(), found.span),
      );
      break;
    case 'run.tool':
      note({
        'gen_ai.tool.name': event.tool,
        'halfopen.run.outcome': event.outcome,
        'halfopen.run.repeated': event.repeated,
        ...(event.code === undefined ? {} : { 'error.type': event.code }),
      });
      break;
    case 'run.warned':
      note({
        'halfopen.run.limit': event.limit,
        'halfopen.run.max': event.max,
        'halfopen.run.spent': event.spent,
      });
      break;
    case 'run.advised': {
      const { kind, loop, limit } = event.because as Record<string, string>;
      note({ 'halfopen.run.advice': event.advice, 'halfopen.run.because': `${kind} ${loop ?? limit}` });
      break;
    }
    case 'effect.claimed':
    case 'effect.done':
    case 'effect.reused':
    case 'effect.unknown':
    case 'effect.verified':
    case 'effect.settled':
    case 'effect.unguarded':
      note({
        'halfopen.effect.name': event.name,
        'halfopen.effect.key': event.key,
        ...('attempt' in event && { 'halfopen.effect.attempt': event.attempt }),
        ...('happened' in event && { 'halfopen.effect.happened': event.happened }),
      });
      break;
    case 'run.ended': {
      const { inputTokens = 0, outputTokens = 0 } = event.spent;
      found.span.setAttributes({
        'halfopen.run.end': event.end,
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
      });
      if (event.code !== undefined) {
        found.span.setAttribute('error.type', event.code);
        found.span.setStatus({ code: SpanStatusCode.ERROR, message: event.code });
      }
      close(event.run, open, time);
      break;
    }
    default:
  }
}

function close(run: string, open: OpenRuns, time?: HrTime): void {
  const found = open.get(run);
  open.delete(run);
  found?.step?.end(time);
  found?.span.end(time);
}

/** Seconds and nanoseconds: small numbers alone would be taken for times since the process began. */
export function at(ms: number): HrTime {
  return [Math.trunc(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
