/** The named sets of retry options. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The preset 'agent'. */
export const AGENT = /* @__PURE__ */ Object.freeze({
  maxRetries: 3,
  baseDelayMs: 1000,
  maxDelayMs: 10_000,
  backoffFactor: 2,
  enableJitter: true,
  jitter: 0.2,
} as const);
/** The preset 'capability'. */
export const CAPABILITY = /* @__PURE__ */ Object.freeze({
  maxRetries: 3,
  baseDelayMs: 1000,
  maxDelayMs: Number.POSITIVE_INFINITY,
  backoffFactor: 1.5,
  enableJitter: false,
} as const);
/** The preset 'service'. */
export const SERVICE = /* @__PURE__ */ Object.freeze({
  maxRetries: 3,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  backoffFactor: 2,
  enableJitter: false,
  retryOn: /* @__PURE__ */ Object.freeze(['llm_failed', 'network', 'timeout'] as const),
} as const);
