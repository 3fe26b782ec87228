/** The breakers by default. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The breaker of a policy. */
export const DEFAULT_BREAKER = /* @__PURE__ */ Object.freeze({
  failureThreshold: 5,
  resetTimeoutMs: 1000,
  halfOpenMaxCalls: 3,
  probeTimeoutMs: 3000,
} as const);
/** That of the preset 'service', and of `new CircuitBreaker()`. */
export const SOURCES_BREAKER = /* @__PURE__ */ Object.freeze({
  failureThreshold: 5,
  resetTimeoutMs: 60_000,
  halfOpenMaxCalls: 1,
} as const);
