// The contract of `halfopen/otel`.
import type { Policy } from 'halfopen';
/** Spans per call and attempt, metrics per policy, with the GenAI and error.type conventions. Peer: @opentelemetry/api. */
export function instrument(policy: Policy<unknown>, options?: { tracer?: unknown; meter?: unknown }): () => void;
/** Every event of this process as a log record, whose body is the event's line of JSON. Peer: @opentelemetry/api-logs, of which the caller gives a Logger. */
export function exportEvents(logger: { emit(record: object): void }): () => void;
