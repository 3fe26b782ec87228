// The contract of `halfopen/otel`.
import type { Policy } from 'halfopen';
/** Spans per call and attempt, metrics per policy, with the GenAI and error.type conventions. Peer: @opentelemetry/api. */
export function instrument(policy: Policy<unknown>, options?: { tracer?: unknown; meter?: unknown }): () => void;
