/// <reference lib="esnext.disposable" />
/**
 * The public TypeScript surface of the npm package `halfopen`.
 *
 * Every name, parameter, default and behaviour below is fixed: code outside this repository is
 * written against it. The package may export more; it may not rename, drop or weaken anything here.
 * `[C]` marks a contract stated in prose because a type cannot say it.
 *
 * Durations are milliseconds unless the name says otherwise. Times are milliseconds since the Unix
 * epoch. Importing the package never needs an `await` or an `init()` call, never reads the network,
 * and starts no timer. Control flow of a host (LangGraph's interrupts, Next's redirect and notFound, a Suspense promise) passes through
 * every function here as it was thrown: not classified, not retried, no result for a breaker. Nothing here throws anything but an `AgentError` (or `TypeError` for a
 * misuse by the programmer, thrown at once: a negative duration, an unknown option name).
 * In the published types every optional property reads `| undefined` (exactOptionalPropertyTypes); it is left out here
 * for legibility. TypeErrors are thrown synchronously, by respond too. TypeScript 5.4 and later. Making a policy draws no
 * randomness, sets no timer and touches no global, so that it may be at a worker's module scope.
 */

// ─────────────────────────────────────────────────────────────── error codes

/** The kinds of failure of a model call. The first ten are the base set; the rest refine it. */
export type ModelErrorCode =
  | 'PROVIDER_NOT_CONFIGURED' | 'PROVIDER_NOT_SUPPORTED' | 'AUTHENTICATION_ERROR' | 'RATE_LIMITED'
  | 'MODEL_NOT_FOUND' | 'CONTEXT_LENGTH_EXCEEDED' | 'NETWORK_ERROR' | 'TIMEOUT' | 'INVALID_RESPONSE'
  | 'UNKNOWN'
  | 'SERVER_ERROR'          // the provider failed: 500, 502, 503 …                        retryable
  | 'PROVIDER_OVERLOADED'   // the provider sheds load: 529, "overloaded", UNAVAILABLE     retryable
  | 'QUOTA_EXCEEDED'        // money or a long quota is used up; waiting does not help
  | 'CONTENT_FILTERED'      // a safety system refused the input or the output
  | 'PERMISSION_DENIED' | 'VALIDATION_ERROR' | 'NOT_FOUND'
  | 'CANCELLED';            // the caller aborted; never a failure of the provider

export type ToolErrorCode =
  | 'VALIDATION_ERROR' | 'IO_ERROR' | 'CONFIG_ERROR' | 'PERMISSION_DENIED' | 'RATE_LIMITED'
  | 'NOT_FOUND' | 'LLM_ASSIST_REQUIRED' | 'TIMEOUT' | 'UNKNOWN' | 'NETWORK_ERROR' | 'CANCELLED'
  | 'SERVER_ERROR'          // what the tool talks to failed: a database that starts up, a queue that is down   retryable
  | 'CONFLICT'              // state changed under the request: deadlock, write conflict, busy, lock timeout   retryable
  | 'ALREADY_EXISTS';       // a unique key, a file, a name is taken; the same request can never succeed

export type AgentErrorCode =
  | ModelErrorCode | ToolErrorCode
  | 'MAX_ITERATIONS_EXCEEDED' | 'TOOL_EXECUTION_ERROR' | 'INITIALIZATION_ERROR'
  | 'CIRCUIT_OPEN'          // refused locally: the breaker is open or isolated
  | 'CAPACITY_EXCEEDED';    // refused locally: bulkhead or rate limit

/** Coarse kinds, for policies written per kind. */
export type ErrorType = 'timeout' | 'tool_failed' | 'llm_failed' | 'network' | 'validation' | 'unknown';

/** The next step for an orchestrator. */
export type ErrorSeverity = 'critical' | 'retriable' | 'replanning' | 'reclassification' | 'fatal';

/** All codes. */
export const AGENT_ERROR_CODES: readonly AgentErrorCode[];   // in wire order: later codes are appended
export const MODEL_ERROR_CODES: readonly ModelErrorCode[];
export const TOOL_ERROR_CODES: readonly ToolErrorCode[];

/** RATE_LIMITED, NETWORK_ERROR, TIMEOUT, SERVER_ERROR, PROVIDER_OVERLOADED and CONFLICT; nothing else. */
export function isRetryableCode(code: AgentErrorCode): boolean;
/**
 * retriable for the retryable codes; replanning for CONTEXT_LENGTH_EXCEEDED and LLM_ASSIST_REQUIRED (a smaller
 * or another plan can work); fatal for INITIALIZATION_ERROR; critical for the rest. Reclassification only
 * ever comes from an application's own classifier.
 */
export function severityOf(code: AgentErrorCode): ErrorSeverity;
/**
 * timeout: TIMEOUT. network: NETWORK_ERROR. validation: VALIDATION_ERROR, CONFIG_ERROR, CONTEXT_LENGTH_EXCEEDED.
 * tool_failed: TOOL_EXECUTION_ERROR, IO_ERROR, LLM_ASSIST_REQUIRED, CONFLICT, ALREADY_EXISTS. unknown: UNKNOWN, CANCELLED,
 * MAX_ITERATIONS_EXCEEDED, INITIALIZATION_ERROR, CIRCUIT_OPEN, CAPACITY_EXCEEDED. llm_failed: the rest.
 */
export function errorTypeOf(code: AgentErrorCode): ErrorType;
export function mapModelErrorCodeToAgentErrorCode(code: ModelErrorCode): AgentErrorCode;
/** UNKNOWN becomes TOOL_EXECUTION_ERROR: the tool failed, and that much is known. */
export function mapToolErrorCodeToAgentErrorCode(code: ToolErrorCode): AgentErrorCode;

// ───────────────────────────────────────────────────────────── classification

export interface ProviderErrorMetadata {
  provider?: string | undefined;            // 'openai', 'anthropic', 'google', 'azure-openai', 'bedrock', …
  model?: string | undefined;
  statusCode?: number | undefined;
  retryAfter?: number | undefined;          // seconds, fractions kept
  requestId?: string | undefined;
  originalError?: unknown;      // the thrown value itself; a non-enumerable property, never serialised or shown
}

/** Guidance that travels with an error; every field optional. */
export interface ErrorMetadata {
  technicalDetails?: string | undefined;    // redacted: no key, token, cookie or prompt text
  suggestions?: string[] | undefined;
  safetyAbortReason?: string | undefined;
  replanningReason?: string | undefined;
  requiredContext?: string[] | undefined;
  [key: string]: unknown;
}

// What would have to change so that a provider accepts a request, or a model answers it.
export type Remedy =
  /** Tool calls without results, or results without calls; the ids that the provider named, [] where it named none. */
  | { kind: 'pair-tool-calls'; ids: readonly string[] }
  /** Reasoning or its signature is of another model, altered, expired, out of place, or missing. */
  | { kind: 'fix-reasoning' }
  /** Empty parts, roles that must alternate or begin with the user, white space at the end. */
  | { kind: 'fix-messages'; problem: 'empty' | 'order' | 'trailing-space' }
  /** The model continues no assistant message (prefill). */
  | { kind: 'end-with-user' }
  /** Unknown to, or unsupported by, the model. */
  | { kind: 'drop-parameter'; name: string }
  /** `max_tokens` is now `max_completion_tokens`. */
  | { kind: 'rename-parameter'; from: string; to: string }
  /** The only value, the limit, or the named one nearest to what was sent. */
  | { kind: 'set-parameter'; name: string; value: number | string | boolean }
  /** In tokens: what fits, and what was sent, where the provider said. */
  | { kind: 'shorten'; limit?: number | undefined; sent?: number | undefined }
  | {
      kind: 'drop-media';
      reason: 'too-large' | 'too-many' | 'unsupported' | 'unreadable';
      /** Where the provider points: `messages[3].content[1]`. */
      at?: string | undefined;
      limit?: number | undefined;
    }
  /** Ids of tool calls that this provider does not take, frequent after a failover. */
  | { kind: 'rename-calls'; pattern?: string | undefined; maxLength?: number | undefined }
  /** Names of tools must match. */
  | { kind: 'rename-tools'; pattern?: string | undefined; maxLength?: number | undefined }
  /** A response or an item is not stored: send the whole conversation. */
  | { kind: 'resend-history' }
  /** MCP: the server does not know the session. */
  | { kind: 'new-session' }
  /** Sample the model once more, and send it what was wrong if that is allowed. */
  | {
      kind: 'ask-again';
      because: 'empty' | 'invalid-json' | 'invalid-output' | 'invalid-arguments' | 'unknown-tool';
    }
  /** Cut off by the limit of tokens. */
  | { kind: 'raise-output-limit' }
  /** This model never will. */
  | { kind: 'other-model'; because: 'refused' | 'filtered' | 'retired' | 'lacks-feature' };

/** The kind of change that a remedy is. */
export type RemedyKind = Remedy['kind'];

export const REMEDY_KINDS: readonly RemedyKind[];
/** pair-tool-calls, fix-reasoning, fix-messages, rename-calls, drop-parameter, rename-parameter, set-parameter, ask-again: nothing that the user or the model said is lost. */
export const SAFE_REPAIRS: readonly RemedyKind[];
/** Of every guard of a model: `repair?: RepairOptions | boolean`, default true. */
export interface RepairOptions<Request = any> {
  only?: readonly RemedyKind[] | undefined;                    // SAFE_REPAIRS; shorten and outputLimit allow their kinds beside these
  max?: number | undefined;                                    // 2
  shorten?: ((request: Request, need: { limit?: number | undefined; sent?: number | undefined }) => Request | PromiseLike<Request>) | undefined;
  outputLimit?: ((present: number | undefined) => number | undefined) | undefined;
}

export interface Classification {
  code: AgentErrorCode;
  severity: ErrorSeverity;
  /**
   * The rule's word; it may differ from isRetryableCode(code): a body cut off in transit (INVALID_RESPONSE) is
   * worth another try. The built-in rules keep `retryable` and severity 'retriable' equivalent; what an
   * application's Classifier leaves out follows from its code.
   */
  retryable: boolean;
  userMessage: string;          // plain language, says what to do next, no jargon, no secrets
  metadata: ErrorMetadata;
  provider: ProviderErrorMetadata;
  retryAfterMs?: number | undefined;        // what the provider asked for, from any header, body or message
  rule: string;                 // the id of the rule that decided, e.g. 'http.429.insufficient_quota'
  remedy?: Remedy | undefined;
}

/**
 * The reader of a message. An 'owner' runs the agent and can change its settings (a CLI, a desktop app, a developer); a 'visitor' uses an agent
 * that somebody else runs. [C] A visitor is never told to check a key, a setting, a quota or the connection of a server; he reads what it
 * means for him, whether waiting helps, and that the people who run it have to look at it where only they can. Default: 'owner', as the
 * source documents have it; whoever hosts an agent sets 'visitor' once.
 */
export type Audience = 'owner' | 'visitor';

export interface ClassifyContext {
  provider?: string | undefined;
  model?: string | undefined;
  layer?: 'model' | 'tool' | 'agent' | undefined;
  capability?: string | undefined;
  task?: string | undefined;
  locale?: string | undefined;
  messages?: 'private' | 'provider' | undefined;   // 'provider'; used by AgentError.from; see PolicyOptions.messages
  audience?: Audience | undefined;          // who reads userMessage
  now?: number | undefined;                 // for HTTP-date hints; default: the wall clock
}

/**
 * Classifies anything that can be thrown. [C] Never throws, whatever the value (getters that throw,
 * proxies, cycles, `null`, strings, 10 MB messages); structure (status, code, type, headers, cause
 * chain, AggregateError) outranks wording; bounded work: at most 8 causes and 4 KiB of any text.
 * Wording alone (no status, code, errno or class that is listed, anywhere in the chain) makes nothing retryable, unless the
 * whole message is a sentence that a listed library or runtime sends: the code stays, `retryable` is false, severity critical,
 * and explainClassification says so. A `retryOn` that names the code retries it.
 */
export function classify(error: unknown, context?: ClassifyContext): Classification;
/** `classify(...)` narrowed to the model layer: CONFLICT becomes SERVER_ERROR, ALREADY_EXISTS becomes VALIDATION_ERROR. */
export function mapErrorToCode(error: unknown): ModelErrorCode;
/**
 * A rule of the application's own, called before the built-in ones; `undefined` passes. A severity other than 'retriable'
 * sets `retryable: false` unless `retryable` is given too; a `retryOn` that names the code still wins. A value that it throws, a
 * promise and any value that is no classification are reported to onDebug and ignored; an async function is a TypeError
 * in the call that sets it (createPolicy, update).
 */
export type Classifier = (error: unknown, context: ClassifyContext) => Partial<Classification> | undefined;

/** Milliseconds that a server asked the client to wait, from headers in any shape (`Headers`, plain object, Map, pairs); dates count from the response's `date`, else from `now`. */
export function parseRetryAfter(headers: unknown, now?: number): number | undefined;
/** Resolves with an ok response; rejects with the classified error of any other, its body read (4 KiB) for the reason. */
export function ensureOk(response: Response): Promise<Response>;

// ─────────────────────────────────────────────────────────── errors as values

export interface AgentSuccessResponse<T> {
  success: true; result: T; message: string;
  degraded?: AgentErrorCode | undefined;    // set when a fallback answered: what had failed
}
export interface AgentErrorResponse {
  success: false;
  error: AgentErrorCode;
  message: string;
  metadata?: ProviderErrorMetadata | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  readonly cause?: AgentError | undefined;  // from `respond`, onError and toolResult's onError: the error itself, with its stack; non-enumerable, never serialised
}
export type AgentResponse<T> = AgentSuccessResponse<T> | AgentErrorResponse;

export interface ModelSuccessResponse<T> { success: true; result: T; message: string }
export interface ModelErrorResponse { success: false; error: ModelErrorCode; message: string; retryAfterMs?: number | undefined }
export type ModelResponse<T> = ModelSuccessResponse<T> | ModelErrorResponse;

export function successResponse<T>(result: T, message: string): AgentSuccessResponse<T>;
/** `metadata` is absent from the object when it is not given. */
export function errorResponse(error: AgentErrorCode, message: string, metadata?: ProviderErrorMetadata): AgentErrorResponse;
export function isAgentSuccess<T>(response: AgentResponse<T>): response is AgentSuccessResponse<T>;
/** True for an error response, and for an AgentError. */
export function isAgentError(response: AgentResponse<unknown>): response is AgentErrorResponse;
export function isAgentError(error: unknown): error is AgentErrorResponse | AgentError;
export function toModelResponse(error: unknown, context?: ClassifyContext): ModelErrorResponse;

export type ToolResponse<T> = { success: true; result: T; message: string } | { success: false; error: ToolErrorCode; message: string };
export function mapModelErrorToAgentError(response: ModelErrorResponse, metadata?: ProviderErrorMetadata): AgentErrorResponse;
export function mapToolErrorToAgentError(response: { error: ToolErrorCode; message: string }, metadata?: ProviderErrorMetadata): AgentErrorResponse;

/** The result of a tool. A tool never throws at its caller. */
export interface ToolResult { title: string; metadata: Record<string, unknown>; output: string }
/** Wraps a tool so that a throw becomes a ToolResult with metadata {error, code, retryable}; output starts with 'Error: '. */
export function toolResult<A extends unknown[]>(
  execute: (...args: A) => ToolResult | string | PromiseLike<ToolResult | string>,
  options?: { title?: string | undefined; onError?: ((error: AgentErrorResponse) => void) | undefined },
): (...args: A) => Promise<ToolResult>;

/** The one class of error this package throws. Works across realms and copies: use `AgentError.is`. */
export class AgentError extends Error {
  constructor(code: AgentErrorCode, message: string, options?: {
    cause?: unknown; provider?: ProviderErrorMetadata | undefined; metadata?: ErrorMetadata | undefined; retryAfterMs?: number | undefined;
    severity?: ErrorSeverity | undefined; retryable?: boolean | undefined;         // default: by the code
    remedy?: Remedy | undefined;
  });
  static is(value: unknown): value is AgentError;
  /** Any thrown value, classified and wrapped once; an AgentError comes back as it is, or, where the context has another `audience` or `locale`, as a copy (same class, code, cause, attempts) that addresses that reader. */
  static from(error: unknown, context?: ClassifyContext): AgentError;
  /** Several failures as one: the code of the most severe, the longest hint, all of them in `errors`; UNKNOWN for none. */
  static aggregate(errors: readonly unknown[], message?: string): AgentError;
  readonly code: AgentErrorCode;
  readonly severity: ErrorSeverity;
  readonly retryable: boolean;
  readonly remedy?: Remedy | undefined;
  readonly provider: ProviderErrorMetadata;
  readonly metadata: ErrorMetadata;
  readonly retryAfterMs?: number | undefined;
  readonly attempts: number;                     // how often the operation was called; 0 when refused
  readonly errors: readonly AgentError[];        // one per failed attempt, oldest first
  userMessage(locale?: string | { locale?: string | undefined; audience?: Audience | undefined }): string;
  toResponse(): AgentErrorResponse;
  /** Safe to log: no originalError, no stack, redacted. */
  toJSON(): Record<string, unknown>;
}

/** A server's answer to its own client: an RFC 9457 problem. Status by httpStatusOf, or as given; Retry-After in whole seconds, rounded up, where a wait is known; `title` the status's phrase, `detail` the sentence for the user, `code`, `retryAfterMs`; nothing else of the error. */
export function toHttpResponse(error: unknown, options?: { audience?: Audience | undefined /* 'visitor' */; locale?: string | undefined; status?: number | ((error: AgentError) => number) | undefined }): Response;
/**
 * RATE_LIMITED, PROVIDER_OVERLOADED, CIRCUIT_OPEN, CAPACITY_EXCEEDED 503; TIMEOUT 504; NETWORK_ERROR, SERVER_ERROR, INVALID_RESPONSE 502; CONTEXT_LENGTH_EXCEEDED 413; CONTENT_FILTERED, MAX_ITERATIONS_EXCEEDED 422; CONFLICT, ALREADY_EXISTS 409; CANCELLED 499; every other
 * 500, for it is the server's own trouble or unknown.
 */
export function httpStatusOf(code: AgentErrorCode): number;

// ───────────────────────────────────────────────────────────────────── policy

export interface RetryOptions {
  enabled?: boolean | undefined;             // true
  maxRetries?: number | undefined;           // 3: at most four attempts
  baseDelayMs?: number | undefined;          // 1000
  maxDelayMs?: number | undefined;           // 10000; holds after jitter too
  backoffFactor?: number | undefined;        // 2
  /** Instead of the exponential backoff: milliseconds before retry `attempt` (1 is the first). Capped by maxDelayMs; jitter is not added. */
  backoff?: ((attempt: number, previousMs: number | undefined) => number) | undefined;
  enableJitter?: boolean | undefined;        // true
  /** A number j is the proportion: with v = min(cap, base·factor^(n-1)), uniform in [v(1-j), min(cap, v(1+j))]. */
  jitter?: number | 'full' | 'equal' | 'decorrelated' | undefined;   // 0.2
  /**
   * Default: what the classification says. 'unknown' and 'validation' name no retryable code: a TypeError. A list is complete: what it names neither by code nor by type is not
   * retried. An ErrorType narrows it to retryable errors of that type; an
   * AgentErrorCode that is named is retried even where it would not be.
   */
  retryOn?: readonly (AgentErrorCode | Exclude<ErrorType, 'unknown' | 'validation'>)[] | ((error: AgentError) => boolean | undefined) | undefined;
  /** Awaited before the wait begins: refresh a token, switch a region. An error that it throws ends the call. */
  onRetry?: ((error: AgentError, next: { attempt: number; delayMs: number }) => void | PromiseLike<void>) | undefined;
  /** An error that another policy (with retries, on a retryable error) gave up on is retried again only if this is true. */
  retryNested?: boolean | undefined;         // false
  /** A longer hint ends the call (then fallback) instead of retrying early or waiting for ever. */
  maxRetryAfterMs?: number | undefined;      // 60000
  /** A retry that the budget refuses ends the call with its last error. `Retry-After: 0` retries at once. */
  budget?: RetryBudget | { ratio?: number | undefined; minPerSecond?: number | undefined } | false | undefined;   // the quota of the table of defaults; false: none
}

/**
 * Delay before retry `attempt` (1 is the first retry): min(maxDelay, base * factor^(attempt-1)), jittered.
 * Attempt 0 is 0. Never NaN, negative or above maxDelayMs, for any finite input.
 */
export function calculateExponentialBackoff(attempt: number, options?: RetryOptions, random?: () => number, previousMs?: number): number;

/** Named sets: 'agent' 3×1000 ms ×2 ≤10 s ±20 %; 'capability' 3×1000 ms ×1.5 uncapped, no jitter; 'service' 3×1000 ms ×2 ≤30 s, no jitter, retryOn llm_failed, network, timeout. */
export const retryPresets: Readonly<Record<'agent' | 'capability' | 'service', Readonly<RetryOptions>>>;

/** Shared by any number of policies: caps retries to a share of the calls, so an outage is not amplified. */
export class RetryBudget {
  /** Defaults 0.1, 1, 10000. minPerSecond × window is the reserve it starts with. */
  constructor(options?: { ratio?: number | undefined; minPerSecond?: number | undefined; windowMs?: number | undefined; clock?: Clock | undefined });
  readonly available: number;
  deposit(): void;               // for loops outside a policy: one first attempt
  withdraw(): boolean;           // one retry, if it may
}

export type BreakerState = 'closed' | 'open' | 'half_open' | 'isolated' | 'disabled';

export interface BreakerOptions {
  name?: string | undefined;
  failureThreshold?: number | undefined;     // 5 consecutive failures open it
  /**
   * 60000 from open to half-open. A positive hint (Retry-After) on the failure that opens it, a failed probe's too, replaces
   * the wait of this opening, at most maxResetTimeoutMs; with scope 'call' it is the last error's. `permit.failure(error)` reads
   * an AgentError's retryAfterMs. Hints that arrive while it is open change nothing; resetBackoffFactor counts on for openings without one.
   */
  resetTimeoutMs?: number | undefined;
  resetBackoffFactor?: number | undefined;   // 1: each failed probe multiplies the next reset timeout …
  maxResetTimeoutMs?: number | undefined;    // … up to this (10 × resetTimeoutMs)
  halfOpenMaxCalls?: number | undefined;     // 1 probe at a time
  successThreshold?: number | undefined;     // 1 success closes it
  probeTimeoutMs?: number | undefined;       // resetTimeoutMs: a probe silent for longer gives its place back
  /** Instead of consecutive failures: a share of the last calls, or of a span of time. */
  window?: { kind: 'count'; size: number; failureRate: number; minimumCalls?: number | undefined }
         | { kind: 'time'; durationMs: number; failureRate: number; minimumCalls?: number | undefined } | undefined;
  /** With a window: calls that took durationMs or longer trip it too. minimumCalls: `size` for count, 10 for time. */
  slowCall?: { durationMs: number; rate: number } | undefined;
  /**
   * Instead of opening: refuses with probability max(0, (requests - k·accepts) / (requests + 1)) over windowMs (Google's SRE
   * book, "Handling Overload"). Defaults 2, 120000, 20. Requests: admissions asked for, refusals included; accepts: results
   * that do not count as a failure. Its state reads 'closed'; `refusalRate` is the present probability; canExecute() is true
   * while that is below 1 and draws nothing. A refusal is CIRCUIT_OPEN without a wait. A TypeError together with
   * failureThreshold, window, slowCall or rampMs.
   */
  throttle?: { k?: number | undefined; windowMs?: number | undefined; minimumCalls?: number | undefined } | undefined;
  /** Makes throttle's draws reproducible. */
  seed?: number | undefined;
  /**
   * After closing, the admitted share grows from 0 to 1 over this time (0: at once): each call adds the present share to an
   * accumulator that starts at 1, and is admitted when that reaches 1. reset() and restore() start no ramp.
   */
  rampMs?: number | undefined;
  /** Decides whether an error counts against the dependency. Default: the retryable codes except CONFLICT, and INVALID_RESPONSE. */
  countsAsFailure?: ((error: AgentError) => boolean) | undefined;
  clock?: Clock | undefined;
}

/** Plain JSON. `at` is wall time: a restore in another process or after a pause counts the time between. */
export interface BreakerSnapshot {
  version: 1; name: string; state: BreakerState; generation: number; at: number;
  consecutiveFailures: number; failedProbes: number; retryAfterMs?: number | undefined; window?: number[] | undefined; throttle?: { requests: number; accepts: number } | undefined;
}

export class CircuitBreaker {
  constructor(options?: BreakerOptions);
  readonly name: string;
  /** As of now: an elapsed reset timeout reads 'half_open'; the change is announced at the first admission, not by reading. */
  readonly state: BreakerState;
  /** Milliseconds until a probe is admitted; 0 when calls are admitted; undefined when isolated. */
  readonly retryAfterMs: number | undefined;
  readonly refusalRate: number;                   // 0 to 1: throttle and ramp; 1 when open
  canExecute(): boolean;                          // does not take a probe's place
  /** Takes a place, or undefined when refused. Each permit is settled once; later calls and lost permits change nothing. */
  acquire(): BreakerPermit | undefined;
  /** For callers without permits: counts as a result of the present generation. */
  recordSuccess(durationMs?: number): void;
  recordFailure(durationMs?: number): void;
  /** Counted: refuses until every handle is disposed, then the state underneath shows. reset() does not lift it. */
  isolate(): { [Symbol.dispose](): void; dispose(): void };
  disable(): void;                                // admit everything, count nothing, until reset()
  reset(): void;
  snapshot(): BreakerSnapshot;
  /** Raises the generation above both; isolation is not restored. TypeError on a snapshot it does not know. */
  restore(snapshot: BreakerSnapshot): void;
  onStateChange(listener: (change: { from: BreakerState; to: BreakerState; reason: string; at: number }) => void): () => void;
}

export interface BreakerPermit { success(durationMs?: number): void; failure(error?: unknown, durationMs?: number): void; release(): void }

export interface AttemptContext {
  readonly attempt: number;      // 1, 2, …
  /** Aborts when the caller, the attempt's timeout or the total deadline does. Created on first read; aborted already if that is late. */
  readonly signal: AbortSignal;
  readonly remainingMs: number;  // until the total deadline; Infinity without one
  readonly callId: string;       // made on first read
  readonly idempotencyKey: string;   // the same for all attempts of the call
  readonly lastError?: AgentError | undefined;
  /** The statements of a successful answer about limits and use: shown, and counted if a limit is set. */
  observe(facts: { headers?: unknown; usage?: Usage | undefined }): void;
}

export type Operation<T> = (context: AttemptContext) => T | PromiseLike<T>;

/**
 * Order, outermost first: fallback, total deadline, breaker (scope 'call'), retry, bulkhead, rate limit,
 * breaker (scope 'attempt'), attempt timeout, operation. So a call that waits to retry holds no place.
 * The behavior of a policy without options is the table of defaults (docs/defaults.md, each row with the experiment that chose it). An option that is given
 * replaces only itself; one that is left out has the default that it has in createPolicy(). A key is a name in a plain object, at any depth. Arrays
 * (retryOn, rateLimit), functions and class instances (CircuitBreaker, RetryBudget, Clock, a fleet) are values: they replace. `undefined` is left out, `false` is off.
 * Alternatives are one key: `failureThreshold | window | throttle`; `backoff | baseDelayMs, backoffFactor, jitter`; `budget`, whose default is a quota that has no
 * ratio: `{ ratio }` is a RetryBudget with its own other defaults. A `window` of another `kind` replaces whole. hedge, bulkhead, staleIfError, rateLimit have no
 * default to merge with. Layers, outermost last: table, preset, createPolicy, execute. `update` replaces each top-level key that it names, then merges with the
 * table. A `preset` counts as given ('service': a breaker of 5 failures, 60 s and one probe too) and sets no other key, so it has the quota.
 * The numbers named below at BreakerOptions are those of `new CircuitBreaker()`, which are the source documents'.
 * [C] `maxRetries` is the most that one call may have; the quota decides for all calls together. One failing call in a fresh process makes all its retries. 100 calls
 * that fail at once with 503 make at most 150 attempts under every form of `retry` with up to three retries but `budget: false`.
 */
export interface PolicyOptions<F = never> {
  name?: string | undefined;                                   // 'default'
  preset?: 'agent' | 'capability' | 'service' | undefined;     // 'agent'
  retry?: RetryOptions | false | undefined;
  breaker?: BreakerOptions | CircuitBreaker | false | undefined;     // on by default
  breakerScope?: 'call' | 'attempt' | undefined;               // 'call': one exhausted sequence of retries is one failure
  timeout?: { attemptMs?: number | undefined; totalMs?: number | undefined } | undefined;    // none; a wait that cannot end in time is not begun
  /**
   * At most maxConcurrent attempts run; maxQueued (0) wait. At most `limit` attempts begin in any span of windowMs; one
   * waits at most maxWaitMs (0). A refusal on a retry ends the call with its code and `call.rejected`; `errors` keeps the
   * attempts before it, and the call-scope breaker counts the last attempt's result.
   */
  bulkhead?: { maxConcurrent: number; maxQueued?: number | undefined } | undefined;
  rateLimit?: RateLimit | readonly RateLimit[] | undefined;
  /**
   * A returned fetch `Response` with a status of 400 or above, or of type 'error', fails the attempt, classified by its status,
   * headers and body: before `validate`; the untouched Response is the error's `cause`, a clone of it is read. false: it is a
   * success. `policy.fetch` ignores this.
   */
  failOnNotOk?: boolean | undefined;                           // true
  /**
   * 'provider': AgentError.message and attempt.failed.message have what was thrown or answered in its own words, redacted and cut to 300
   * characters, and the vendor's code; 'private' leaves the words out (a provider may quote the prompt). [C] Whatever this is, userMessage,
   * metadata.technicalDetails and OpenTelemetry never have them; the words of an application's own error (a tool's) are always in the
   * message (500 characters) and in what toolResult gives the model; rule ids never are.
   */
  messages?: 'private' | 'provider' | undefined;               // 'provider'
  audience?: Audience | undefined;
  /** A limit on the calls at once that learns what the provider bears. Off by itself; what createPolicy() does by default is in defaults.md. */
  adaptive?: AdaptiveLimitOptions | boolean | undefined;
  /**
   * Another attempt is begun when one has not answered for afterMs. The first success after `validate` wins and the others are
   * aborted (`attempt.failed` CANCELLED, not counted); a failure waits for the others; if all fail, the last error goes to
   * retry. Never for streams, streamed request bodies, `idempotent: false` and probes; skipped without a free slot, a turn of
   * the rate limit and the budget, if there is one. Hedges count in `attempts`, not in maxRetries; each has its own attemptMs.
   */
  hedge?: { afterMs: number; max?: number | undefined } | false | undefined;       // none; max 1
  /** An answer of the last maxAgeMs for the same ExecuteOptions.cacheKey is the fallback before `fallback`. */
  staleIfError?: { maxAgeMs: number; maxEntries?: number | undefined } | undefined;   // none; 1000
  /** Timers do not keep the process alive. */
  unref?: boolean | undefined;                                 // false
  fallback?: Fallback<F> | undefined;
  classify?: Classifier | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  /** From `halfopen/fleet`: breaker, budget, limits and hints are shared with the other processes of it. */
  fleet?: object | undefined;
  clock?: Clock | undefined;
  seed?: number | undefined;                                   // makes jitter reproducible
  /** Observers, here and below: [C] what one throws or rejects with never changes a call's outcome.
   * Called once for every call that failed for good, also when a fallback then answers; with the call's span or a fresh one. */
  onError?: ((context: SpanContext, error: AgentErrorResponse) => void) | undefined;
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
  /** Full technical details, redacted: error, stack, provider, attempt. Never meant for users. */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}

/**
 * Additive increase while answers are good and the limit is used; multiplicative decrease on overload (RATE_LIMITED without a hint above
 * 1 s, PROVIDER_OVERLOADED, SERVER_ERROR 503 with Retry-After, TIMEOUT), at most once for the calls that were under way together. A call
 * beyond it waits as in a bulkhead; one that cannot be served before its deadline is refused at once: CAPACITY_EXCEEDED, `by: 'adaptive'`, with retryAfterMs.
 */
export interface AdaptiveLimitOptions { min?: number | undefined /* 1 */; max?: number | undefined /* 1000 */; initial?: number | undefined /* 20 */; decrease?: number | undefined /* 0.7 */ }

/** `limit` requests, or tokens, begin in any span of windowMs; one waits at most maxWaitMs (0). Tokens: estimated at the start, settled by the observed usage. */
export interface RateLimit { limit: number; windowMs: number; unit?: 'requests' | 'tokens' | undefined; maxWaitMs?: number | undefined }

/** Not called for CANCELLED. An error that it throws becomes the call's error, with the first as its cause. */
export type Fallback<F> = (error: AgentError, context: { readonly signal: AbortSignal; readonly callId: string }) => F | PromiseLike<F>;

export interface ExecuteOptions<F = never> {
  signal?: AbortSignal | undefined;
  fallback?: Fallback<F> | undefined;                          // instead of the policy's
  retry?: RetryOptions | false | undefined;                    // over the policy's, key by key
  timeout?: { attemptMs?: number | undefined; totalMs?: number | undefined } | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  /** Throws what makes the value a failure of the attempt: a schema that does not match, an empty answer. */
  /**
   * Looked at in this order: a Standard Schema (`~standard`, also on a function), a function (what it throws, and `false`, make
   * the value a failure). A mismatch is INVALID_RESPONSE, not retried unless retryOn names it, counted. A schema's output
   * becomes the value (`execute` with a schema of output O resolves with O, F or G). Streams: each chunk. Fallback values are not validated.
   */
  validate?: ((value: any) => void | boolean | PromiseLike<void | boolean>) | StandardSchemaV1 | undefined;
  failOnNotOk?: boolean | undefined;
  hedge?: { afterMs: number; max?: number | undefined } | false | undefined;
  estimatedTokens?: number | undefined;                        // for a token limit; settled by the usage that is observed
  cacheKey?: string | undefined;                               // for staleIfError
  /** Kept over all attempts of the call, in `context.idempotencyKey`; default: made on first read. */
  idempotencyKey?: string | undefined;
  /** false: an attempt that may have been carried out (TIMEOUT, NETWORK_ERROR after sending, SERVER_ERROR but a 503 with Retry-After, INVALID_RESPONSE, all that only words speak for) is not repeated. */
  idempotent?: boolean | undefined;                            // true
  repair?: ((remedy: Remedy, error: AgentError) => boolean | PromiseLike<boolean>) | undefined;   // true: the request is another one now, and the operation is called again at once
  span?: SpanContext | undefined;
  task?: string | undefined;                                   // shown in reports and devtools
}

/** https://standardschema.dev: zod, valibot, arktype and others. In the package, `validate` is generic over the operation's value. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1; readonly vendor: string;
    readonly validate: (value: unknown) => { value: Output } | { issues: readonly { message: string; path?: readonly unknown[] | undefined }[] } | Promise<{ value: Output } | { issues: readonly { message: string; path?: readonly unknown[] | undefined }[] }>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export interface SpanContext { traceId: string; spanId: string; parentSpanId?: string | undefined }

/**
 * `onBreak`, after some chunks have been delivered: 'fail' (default) throws, 'restart' runs the operation again and
 * yields STREAM_RESET first, 'resume' runs it again with `context.received` and goes on behind what was delivered.
 * Fallbacks do not apply to streams. attemptMs ends at a stream's first content (policy.stream: its first chunk); totalMs bounds the whole. The error of a broken stream has
 * `metadata.received`, the number of chunks delivered.
 */
export interface StreamOptions extends Omit<ExecuteOptions, 'fallback'> {
  /** No chunk for this long fails the attempt with TIMEOUT. The consumer's own time does not count. */
  stallTimeoutMs?: number | undefined;
  firstChunkTimeoutMs?: number | undefined;
}
export interface StreamContext extends AttemptContext { readonly received: readonly any[] }
// A unique symbol is itself only: the contract speaks of the package's.
import { STREAM_RESET } from 'halfopen';
export { STREAM_RESET };
type Chunks<C> = AsyncIterable<C> | PromiseLike<AsyncIterable<C>>;

export class Policy<out F = never> {
  private constructor();
  readonly name: string;
  readonly breaker: CircuitBreaker | undefined;
  /** Resolves with the operation's value or the fallback's; rejects with an AgentError (of the thrown one's class, if that was an AgentError). */
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G>): Promise<T | F | G>;
  /** Never rejects; cancellation too is a response. The message is the one for users; of a success, 'OK'. */
  respond<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G>): Promise<AgentResponse<T | F | G>>;
  /** Retries until the first chunk; then as `onBreak` says. Closing the iterator aborts the attempt. */
  stream<C>(operation: (context: AttemptContext) => Chunks<C>, options?: StreamOptions & { onBreak?: 'fail' | undefined }): AsyncIterableIterator<C>;
  stream<C>(operation: (context: AttemptContext) => Chunks<C>, options: StreamOptions & { onBreak: 'restart' }): AsyncIterableIterator<C | typeof STREAM_RESET>;
  stream<C>(operation: (context: StreamContext) => Chunks<C>, options: StreamOptions & { onBreak: 'resume' }): AsyncIterableIterator<C>;
  stream<C>(operation: (context: StreamContext) => Chunks<C>, options: StreamOptions & { onBreak?: 'fail' | 'restart' | 'resume' | undefined }): AsyncIterableIterator<C | typeof STREAM_RESET>;
  /** A function with the same `this` and parameters, every call of it under the policy; `args` may put the signal in. */
  wrap<This, A extends unknown[], T, G = T>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options?: ExecuteOptions<G> & { args?: ((args: A, context: AttemptContext) => A) | undefined },
  ): (this: This, ...args: A) => Promise<T | F | G>;
  /**
   * A guarded `fetch` for clients that take one: failures and retryable statuses are retried under the policy, bodies
   * stream, limits in the headers are observed; the last response that is not ok is returned, as fetch does. It rejects as
   * fetch does, with signal.reason or a TypeError whose cause is the AgentError, for that is what clients look for.
   */
  readonly fetch: typeof fetch;
  /** The given keys replace, the others stay; calls in flight finish under the old ones; breaker state is kept. */
  update(options: Omit<PolicyOptions<F>, 'name' | 'clock' | 'seed'>): void;
  onEvent(listener: (event: HalfopenEvent) => void): () => void;
  /** Counters since it was made; plain JSON. */
  stats(): { calls: number; succeeded: number; failed: number; rejected: number; cancelled: number; attempts: number; retries: number; fallbacks: number; inFlight: number; waiting: number; breaker?: BreakerState | undefined };
  snapshot(): PolicySnapshot;
  restore(snapshot: PolicySnapshot): void;
  /** Refuses new calls with CANCELLED, waits until those that run have ended (at most timeoutMs, 30000; then they are cancelled), then disposes. */
  drain(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /** Rejects queued and waiting calls with CANCELLED, aborts attempts, refuses new calls with CANCELLED. Idempotent. */
  dispose(): void;
  [Symbol.dispose](): void;
}
export interface PolicySnapshot { version: 1; name: string; breaker?: BreakerSnapshot | undefined }
export function createPolicy<F = never>(options?: PolicyOptions<F>): Policy<F>;
/** One policy for each key (provider, model, tool), made on first use from the same options, each with its own breaker. */
export function createPolicies<F = never>(options?: PolicyOptions<F>): { get(key: string): Policy<F>; readonly all: readonly Policy<F>[]; dispose(): void };

/** A target's policy has no fallback of its own (a TypeError): it would answer before the next target could. */
export interface FailoverTarget<R> { name?: string | undefined; policy: Policy<never>; run: Operation<R> }
/** The value of a target. */
type Answer<T> = T extends { run: infer R } ? Answer<R> : T extends (...args: any) => infer R ? Awaited<R> : never;
/** Tries targets in order, passing over those whose breaker is open; each runs under its own policy. Targets may also be functions. It rejects with the AgentError of the last failure. */
export function failover<const T extends readonly (FailoverTarget<unknown> | Operation<unknown>)[]>(targets: T, options?: {
  /** Codes for which the next target is tried. Default: retryable codes, CIRCUIT_OPEN, CAPACITY_EXCEEDED, QUOTA_EXCEEDED, MODEL_NOT_FOUND, AUTHENTICATION_ERROR, PROVIDER_NOT_CONFIGURED, INVALID_RESPONSE, CONTEXT_LENGTH_EXCEEDED. */
  on?: readonly AgentErrorCode[] | undefined; signal?: AbortSignal | undefined;
  totalMs?: number | undefined;              // for all targets together
  maxWaitMs?: number | undefined;            // 2000: a target that is not the last is left where its next wait, asked for or backoff, would be longer
  retriesBeforeSwitch?: number | undefined;  // 1: … or after this number of retries
}): Promise<Answer<T[number]>>;

/** Bounds an agent's loop: `next()` throws MAX_ITERATIONS_EXCEEDED on the call after `max`. */
export function iterationLimit(max: number): { next(): void; readonly count: number };

/**
 * The per-task retry counter on its own, for loops that are not a function call. Defaults as in its source:
 * 3 retries, 1000 ms ×2 up to 60 s, no jitter, retryOn llm_failed, network, timeout.
 */
export class RetryHandler {
  constructor(options?: RetryOptions & { clock?: Clock | undefined });
  shouldRetry(error: { taskId: string; errorType: ErrorType | AgentErrorCode }): boolean;
  getDelay(taskId: string): number;
  recordAttempt(taskId: string): void;
  reset(taskId: string): void;
  executeWithRetry<T>(operation: () => T | PromiseLike<T>, options: { taskId: string; signal?: AbortSignal | undefined }): Promise<T>;
}

/** Runs what the agent can do without; a failure is reported to onDebug and replaced. Cancellation still rejects. */
export function degrade<T, F>(operation: () => T | PromiseLike<T>, options: {
  name: string; fallback: F | ((error: AgentError) => F | PromiseLike<F>); timeoutMs?: number | undefined; signal?: AbortSignal | undefined; clock?: Clock | undefined;
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}): Promise<T | F>;
/** Cuts at a grapheme and, where it can, a word; at most maxLength UTF-16 units with the '…'. */
export function truncate(text: string, maxLength: number): string;

// ────────────────────────────────────────────────── responses and their chunks

/**
 * Codes: INVALID_RESPONSE for empty and invalid ones, TOOL_EXECUTION_ERROR (NOT_FOUND for ToolNotFoundError) for tools;
 * no error is retryable by itself, but a stream cut off before its end (thrown by `watch`) is. Output cut by a token limit
 * is no error: the chunk has `metadata.truncated: true`. Messages: 'Empty response: <reason>', 'Invalid response structure: expected <expected>,
 * got <got>', "Tool '<name>' failed: <error>".
 */
export class ResponseError extends AgentError {}
export class EmptyResponseError extends ResponseError { constructor(reason: string); readonly reason: string }
export class NoCandidatesError extends EmptyResponseError {}
export class NoTextError extends EmptyResponseError {}
export class NoToolActivityError extends EmptyResponseError {}
export class ResponseValidationError extends ResponseError { constructor(expected: string, got: string); readonly expected: string; readonly got: string }
export class MissingAttributeError extends ResponseValidationError {}
export class InvalidStructureError extends ResponseValidationError {}
export class UnexpectedTypeError extends ResponseValidationError {}
export class ToolExecutionError extends ResponseError { constructor(toolName: string, error: string); readonly toolName: string; readonly error: string }
export class ToolNotFoundError extends ToolExecutionError {}
export class ToolFailedError extends ToolExecutionError {}

export type ResponseFormat = 'google' | 'openai-chat' | 'openai-responses' | 'anthropic' | 'ai-sdk' | 'ollama';

export interface ResponseChunk {
  text: string;
  hasToolCall: boolean;
  toolName?: string | undefined;
  toolNames?: string[] | undefined;
  finishReason?: string | undefined;
  metadata: Record<string, unknown>;
}

/**
 * One handler for streamed and whole responses of every format; the format is recognised by itself.
 * `reason` and `expected`/`got` keep these words: 'no candidates in response', 'no text in response',
 * 'no text or tool activity after N chunks', expected 'response object' got 'null',
 * expected 'candidates attribute' got '<type>', expected 'content attribute' got 'missing'.
 */
export class ResponseHandler {
  constructor(options?: {
    format?: ResponseFormat | undefined;
    /** Called with '💭 ' + the first 50 characters (newlines as spaces, '...' when cut), '🔧 Using <tool>...', … */
    statusCallback?: ((status: string) => void) | undefined;
    onDebug?: ((message: string, details: { chunkNum: number; hasText: boolean; hasToolCall: boolean }) => void) | undefined;
  });
  readonly text: string;
  readonly toolActivity: boolean;
  readonly lastToolName: string | undefined;
  readonly chunkCount: number;
  validateResponse(response: unknown): void;              // throws a ResponseError
  processChunk(chunk: unknown): ResponseChunk | null;     // null for an empty chunk; an error chunk throws it classified
  processResponse(response: unknown): ResponseChunk;      // validate, then one chunk
  /** Text first; else a sentence naming the last tool; else NoTextError / NoToolActivityError (EmptyResponseError). */
  getFinalResponse(): string;
  /** Chunks pass through unchanged while the handler reads them; a truncated or error-ending stream throws. */
  watch<C>(stream: AsyncIterable<C>): AsyncIterable<C>;
  /**
   * The whole exchange: '⏳ Sending message to AI...', every chunk, the final text. No stream at all is an
   * EmptyResponseError('no response stream received'). Before it rejects it reports '⚠️ <message>' (empty), '❌ <message>' (invalid) or '❌ Error: <message>' (anything else; the message of an application's own error in its own words, redacted; of a provider's or a tool's the sentence for the user).
   */
  collect(source: () => Chunks<unknown>): Promise<string>;
  reset(): void;
}

// ────────────────────────────────────────── recovery, context, report, messages

export interface ErrorInfo {
  error: unknown;
  capabilityName?: string | undefined;
  classification?: Partial<Classification> | undefined;
  /** Defaults 3, 1.0, 1.5. maxAttempts counts retries, as in the source: retryCount below it retries. */
  retryPolicy?: { maxAttempts?: number | undefined; delaySeconds?: number | undefined; backoffFactor?: number | undefined } | undefined;
  executionTime?: number | undefined;        // seconds
  nodeName?: string | undefined;
}

export type Recovery =
  | { next: 'retry'; capability: string; delayMs: number; attempt: number }
  | { next: 'orchestrator'; reason: string; requiredContext: string[] }
  | { next: 'classifier'; reason: string }
  | { next: 'error'; reason: string }
  | { next: 'abort'; error: AgentError };                 // fatal

/** Where an agent graph goes after an error: retriable → retry with backoff until exhausted, then error; replanning → orchestrator; … */
export function route(info: ErrorInfo, state?: { retryCount?: number | undefined }): Recovery;

export interface AgentState {
  currentTask?: string | undefined;
  retryCount?: number | undefined;
  stepIndex?: number | undefined;
  stepResults?: Record<string, { stepIndex?: number | undefined; capability?: string | undefined; taskObjective?: string | undefined; success?: boolean | undefined }> | undefined;
  errorInfo?: ErrorInfo | undefined;
}

export interface ErrorContext {
  classification: Classification;
  errorMessage: string;          // 'Unknown error occurred'
  currentTask: string;           // 'Unknown task'
  failedOperation: string;       // 'Unknown operation'
  capabilityName?: string | undefined;
  totalOperations: number;       // stepIndex + 1
  executionTime?: number | undefined;
  retryCount: number;
  successfulSteps: string[];     // 'Step 1: …', in step order
  failedSteps: string[];         // 'Step 2: … - Failed'
}
export function createErrorContext(state: AgentState): ErrorContext;
/** Markdown: heading with the time (UTC), type, task, failed operation, message, capability, metadata as JSON, execution stats. */
export function renderReport(context: ErrorContext, options?: { now?: number | undefined; locale?: string | undefined }): string;
export function buildExplanationPrompt(context: ErrorContext, capabilities?: string): string;

/** The central error step of an agent graph: report, then '**Analysis:** …'. [C] Never rejects: when explaining fails the analysis says that the report is all there is. */
export class ErrorNode {
  constructor(options?: {
    complete?: ((prompt: string, options: { maxTokens: number; signal: AbortSignal }) => Promise<string>) | undefined;   // 500 tokens
    capabilities?: string | undefined; timeoutMs?: number | undefined; locale?: string | undefined; clock?: Clock | undefined;
    onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
  });
  execute(state: AgentState): Promise<{ messages: [{ role: 'assistant'; content: string }]; context: ErrorContext }>;
  /** Always fatal, so that an error in the error step cannot loop. */
  static classifyError(error: unknown): Classification;
}

/** Clear, actionable, no jargon; several lines for empty and invalid responses. Unknown locales fall back to English. */
export function getUserFriendlyMessage(error: AgentErrorCode, metadata?: ProviderErrorMetadata, options?: { locale?: string | undefined }): string;
export function formatErrorMessage(error: unknown, options?: { locale?: string | undefined; technicalDetails?: boolean | undefined }): string;
export const LOCALES: readonly string[];          // at least en, de, es, fr, ja, zh
/** Removes keys, bearer tokens, cookies, e-mail addresses, long base64 and URL credentials. */
export function redact(text: string): string;

// ───────────────────────────────────────────────────────────── events, devtools

/**
 * One line of JSON each, at most 2 KiB. Readers pass over fields they do not know and show types they do not know;
 * `v` rises when the meaning of a published version changes (until then readers accept `source` on retry.scheduled too). `source` names the process, `seq` counts within it, `time` is wall time.
 */
/**
 * [C] One convention for every provider: inputTokens is all that is billed as input, cached tokens included (Anthropic's `input_tokens`
 * leave them out, OpenAI's and Gemini's do not); outputTokens include reasoning. Read alike from whole and streamed answers, also of
 * streams that were closed, aborted or broke, as far as the provider had said.
 */
export interface Usage { inputTokens?: number | undefined; cachedInputTokens?: number | undefined; cacheWriteTokens?: number | undefined; outputTokens?: number | undefined; reasoningTokens?: number | undefined; model?: string | undefined; provider?: string | undefined }

/** Refuses with CAPACITY_EXCEEDED (`by: 'cost'`) once the answers of the last windowMs have cost `max`; `retryAfterMs` says when again. Several policies share one. */
export function costLimit(policies: Policy<unknown> | readonly Policy<unknown>[], options: { max: number; windowMs: number; costOf: (usage: Usage) => number }): { readonly spent: number; stop(): void };

/** The next step of a host after an error: for queues, workflow engines and frameworks that retry by themselves. */
export function retryAdvice(error: unknown, context?: ClassifyContext): { retry: boolean; waitMs?: number | undefined; code: AgentErrorCode };

interface EventBase { v: 1; source: string; seq: number; time: number; policy?: string | undefined; call?: string | undefined; parentCall?: string | undefined; traceId?: string | undefined; run?: string | undefined }
export type HalfopenEvent = EventBase & (
  | { type: 'policy.configured'; options: Record<string, unknown>; seed: number }          // once, before a policy's first event, and on update
  | { type: 'call.started'; task?: string | undefined }
  | { type: 'call.queued'; by: 'bulkhead' | 'rate-limit' | 'adaptive'; position: number; dueAt?: number | undefined }
  | { type: 'call.dequeued' }
  | { type: 'attempt.started'; attempt: number; provider?: string | undefined; model?: string | undefined; probe?: boolean | undefined; generation?: number | undefined }
  | { type: 'attempt.succeeded'; attempt: number; durationMs: number; firstChunkMs?: number | undefined; usage?: Usage | undefined }
  | { type: 'attempt.failed'; attempt: number; durationMs: number; code: AgentErrorCode; severity: ErrorSeverity; retryable: boolean; rule: string; technicalDetails: string; signals: Record<string, unknown>; counted: boolean; statusCode?: number | undefined; requestId?: string | undefined; retryAfterMs?: number | undefined; remedy?: Remedy | undefined; errorClass?: string | undefined; message?: string | undefined /* UNKNOWN and programming errors: redacted, 200 characters */; frame?: string | undefined /* the first stack frame outside the package */ }
  | { type: 'attempt.repaired'; attempt: number; remedy: RemedyKind; changes: readonly string[] }   // the attempt that failed; changes without content
  | { type: 'retry.scheduled'; attempt: number; delayMs: number; dueAt: number; minMs: number; maxMs: number; delaySource: 'backoff' | 'retry-after'; budgetLeft?: number | undefined }
  | { type: 'call.succeeded'; attempts: number; durationMs: number; closedEarly?: boolean | undefined /* a stream that its consumer closed: no result for the breaker */ }
  | { type: 'call.failed'; attempts: number; durationMs: number; code: AgentErrorCode; why: 'not-retryable' | 'exhausted' | 'hint' | 'deadline' | 'budget' | 'nested' | 'cancelled' | 'broken-stream'; userMessage: string; tried?: readonly string[] | undefined /* repairs that did not help */ }
  | { type: 'call.rejected'; code: 'CIRCUIT_OPEN' | 'CAPACITY_EXCEEDED'; by: 'breaker' | 'bulkhead' | 'rate-limit' | 'adaptive' | 'cost'; retryAfterMs?: number | undefined }
  | { type: 'run.started'; run: string; name: string; task?: string | undefined; parentRun?: string | undefined; limits: Record<string, number>; restored?: boolean | undefined }
  | { type: 'run.step'; run: string; step: number }
  | { type: 'run.tool'; run: string; tool: string; outcome: 'ok' | 'failed' | 'refused'; code?: AgentErrorCode | undefined; repeated: number; durationMs?: number | undefined }
  | { type: 'run.warned'; run: string; limit: string; max: number; spent: number }
  | { type: 'run.advised'; run: string; advice: 'steer' | 'escalate' | 'refuse' | 'conclude' | 'stop'; because: Record<string, unknown> }
  | { type: 'run.ended'; run: string; end: 'completed' | 'stopped' | 'failed' | 'cancelled'; code?: AgentErrorCode | undefined; userMessage?: string | undefined; spent: Record<string, number> }
  | { type: 'fallback.used'; code: AgentErrorCode; failed?: boolean | undefined }
  | { type: 'failover.switched'; from: string; to: string; code: AgentErrorCode }
  | { type: 'breaker.changed'; breaker: string; from: BreakerState; to: BreakerState; reason: string; generation: number; retryAt?: number | undefined; window?: { total: number; failures: number; slow: number; last: number[] } | undefined }   // last: at most 32 results, 0 ok, 1 failed, 2 slow
  | { type: 'stream.chunk'; attempt: number; chunks: number; characters: number }          // at most ten a second for one call
  | { type: 'stream.broken'; attempt: number; received: number; action: 'fail' | 'restart' | 'resume' }
  | { type: 'limits.observed'; provider: string; model?: string | undefined; unit: 'requests' | 'tokens'; limit: number; remaining: number; resetAt?: number | undefined }
  | { type: 'recovery.routed'; severity: ErrorSeverity; next: Recovery['next'] }
  | { type: 'degraded'; operation: string; code: AgentErrorCode }
  | { type: 'breaker.throttled'; breaker: string; rate: number }                           // at most one a second
  | { type: 'core.restarted'; module: string; during: string }                             // after a trap
  | { type: 'iterations.exceeded'; max: number }
  | { type: 'limit.changed'; limit: number; because: 'good' | 'overload'; code?: AgentErrorCode | undefined }   // adaptive; at most one a second
  | { type: 'process.started'; host?: string | undefined; pid?: number | undefined; version?: string | undefined; deployment?: string | undefined; control?: boolean | undefined }
  | { type: 'fleet.changed'; fleet: string; status: 'joined' | 'degraded' | 'left'; reason?: string | undefined }
  | { type: 'fleet.mismatch'; fleet: string; key: string }
  | { type: 'control.applied'; id: string; action: 'isolate' | 'close' | 'update' | 'end-run' | 'undo'; by: string; breaker?: string | undefined; options?: Record<string, unknown> | undefined; of?: string | undefined; undoable: boolean }
  | { type: 'control.failed'; id: string; action: 'isolate' | 'close' | 'update' | 'end-run' | 'undo'; by: string; breaker?: string | undefined; options?: Record<string, unknown> | undefined; of?: string | undefined; reason: string }
  | { type: 'effect.claimed'; name: string; key: string; attempt: number }
  | { type: 'effect.done'; name: string; key: string; attempt: number }
  | { type: 'effect.reused'; name: string; key: string }
  | { type: 'effect.unknown'; name: string; key: string }
  | { type: 'effect.verified'; name: string; key: string; happened: boolean }
  | { type: 'effect.settled'; name: string; key: string; happened: boolean }
  | { type: 'effect.unguarded'; name: string; key: string }
  | { type: 'events.dropped'; count: number }
);
/** Every event of every policy in this process, and of route() and degrade(). Returns how to stop. */
export function onEvent(listener: (event: HalfopenEvent) => void): () => void;

// ─────────────────────────────────────────────────────────────────────── time

/**
 * Default: performance.now, Date.now, setTimeout, looked up at each use, so that fake timers work. When a timer
 * due at t fires, the policy takes the time to be at least t.
 */
export interface Clock {
  now(): number;                 // monotonic
  wall?(): number;               // epoch; for events, HTTP dates and snapshots; default Date.now
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}
