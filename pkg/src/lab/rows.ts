/** A recorded log as rows of numbers for the core. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

// Kinds of rows.

/**
 * A host, in the order of their numbers: its seed, whether its policy is replaced, the number of its shared
 * breaker (-1), the number of its policy's name.
 */
export const HOST = 0;
/** Settings of a host: their number. */
export const SETTINGS = 1;
/**
 * An operator's change to a breaker, or a provider's report on a limit: `ISOLATED` to `TOKENS`. For a limit:
 * the remainder, and until when in milliseconds (NaN: not reported).
 */
export const CONTROL = 2;
/**
 * A call: its host, the number of its settings, whether they are its own, whether it was made within another.
 */
export const CALL_STARTED = 3;
/** An attempt: its number, the number of its provider. */
export const ATTEMPT_STARTED = 4;
/** Its number, its duration, its tokens. */
export const ATTEMPT_SUCCEEDED = 5;
/** Its number, its duration, its tokens, the number of its code, its flags, how long to wait (NaN). */
export const ATTEMPT_FAILED = 6;
/** The number of the attempt that follows, the delay, whether the backoff drew it. */
export const RETRY_SCHEDULED = 7;
/** A call waits in a queue. */
export const CALL_QUEUED = 8;
/** A call ended: `SUCCEEDED` to `REFUSED`, the number of its code or layer, of its reason. */
export const CALL_ENDED = 9;
/** 1 if a fallback succeeded. */
export const FALLBACK = 10;
/** Calls were made within this one. */
export const OUTER = 11;
/** The clock of a host has fractions of a millisecond. */
export const FINE_CLOCK = 12;
/** Tokens that are not in the end of an attempt: the attempt's number, 0 for the last; how many. */
export const TOKENS_BESIDE = 13;

// Flags of an attempt that failed.

/** Another try can help. */
export const RETRYABLE = 1;
/** It counted against the dependency. */
export const COUNTED = 2;
/** The policy ended it: a timeout, or the loser of a hedge. */
export const BY_POLICY = 4;

// The values of a row of the kind `CONTROL`.

/** The breaker was isolated. */
export const ISOLATED = 0;
/** An isolation was lifted. */
export const LIFTED = 1;
/** The breaker was disabled. */
export const DISABLED = 2;
/** The breaker was reset. */
export const RESET = 3;
/** The provider reported its limit on requests. */
export const REQUESTS = 4;
/** The provider reported its limit on tokens. */
export const TOKENS = 5;

// How a call ended.

/** It succeeded. */
export const SUCCEEDED = 0;
/** The consumer closed its stream early. */
export const CLOSED = 1;
/** It failed. */
export const FAILED = 2;
/** It was refused. */
export const REFUSED = 3;

// Kinds of rows of runs.

/** A run: the number of its other rules (-1), the number of its parent (-1). */
export const RUN_STARTED = 0;
/** A step of the model. */
export const RUN_STEP = 1;
/**
 * A tool call: the number of its tool; the number of its code, -1 for a success, -2 if it was refused; how
 * often in a row; whether it counts for repeats.
 */
export const RUN_TOOL = 2;
/** A call of the run: its input tokens, its output tokens. */
export const RUN_TOKENS = 3;
/**
 * Recorded advice: the number of its rung, of the kind of loop (-1: a limit), the count, the number of the
 * tool (-1).
 */
export const RUN_ADVISED = 4;
/** Its end: how, input tokens, output tokens, cost, those of its children included. */
export const RUN_ENDED = 5;

/** How many numbers a row has. */
export const WIDTH = 10;
