/** The breaker of a policy that was given none. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The default if `breaker` is not given, and the preset is 'agent'. */
export const DEFAULT_BREAKER = /* @__PURE__ */ Object.freeze({
  failureThreshold: 5,
  resetTimeoutMs: 1000,
  halfOpenMaxCalls: 3,
  probeTimeoutMs: 3000,
} as const);
