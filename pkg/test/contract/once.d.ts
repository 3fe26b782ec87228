// The contract of `halfopen/once`, and of its stores.
/**
 * Tools that act once. A retry, a second plan, a failover or a process that was started again must not pay, send or delete twice.
 * Before the act its key is claimed in a store; its result is kept. An act whose outcome nobody knows is 'unknown', and is said to be.
 */
import type { AgentError, Clock } from 'halfopen';

export interface OnceStore {
  /** Writes `next` where the record's version is `version` (0: where there is none). Version -1 only reads. Returns what stands there afterwards, and whether it was written. Atomic among processes. A version never comes back, not even after the record is gone. */
  swap(key: string, version: number, next: Uint8Array | undefined, ttlMs: number, signal: AbortSignal): Promise<{ written: boolean; version: number; record: Uint8Array | undefined; now: number }>;
  /** Keys that begin with a prefix, at most `limit`. */
  list(prefix: string, limit: number, signal: AbortSignal): Promise<readonly { key: string; version: number; record: Uint8Array }[]>;   // the store's time: swap with -1
  close(): Promise<void>;
}
export function memoryStore(options?: { clock?: Clock | undefined }): OnceStore;

export interface LedgerOptions {
  store: OnceStore;
  name?: string | undefined;                       // 'once': the prefix of its keys
  keepMs?: number | undefined;                     // 604800000 (a week): how long a result, a failure or 'unknown' is kept
  leaseMs?: number | undefined;                    // 30000: how long a claim holds without being renewed; renewed while the act runs
  waitMs?: number | undefined;                     // 10000: how long a second call waits for the first one's result
  onStoreLost?: 'deny' | 'allow' | undefined;      // 'deny': without the store nothing acts, CAPACITY_EXCEEDED; 'allow': as without a ledger, with an event
  storeTimeoutMs?: number | undefined;             // 2000
  /** Keys are hashed with it (HMAC-SHA-256), so that an order or card number cannot be found by trying. Without it SHA-256, and one warning. */
  secret?: string | undefined;
  clock?: Clock | undefined;
  onEvent?: ((event: import('halfopen').HalfopenEvent) => void) | undefined;
}
export type Verified<R> = { happened: true; result: R } | { happened: false } | { happened: 'unknown' };

export interface OnceOptions<A extends unknown[], R> {
  /** What makes two calls the same act, e.g. ({ orderId, amount }) => [orderId, amount]. Compared by its canonical JSON; only a hash is stored. */
  key: (...args: A) => unknown;
  /** Looks whether an act that nobody knows of has happened. What it throws leaves it unknown. */
  verify?: ((context: { key: string; since: number; signal: AbortSignal }, ...args: A) => Verified<R> | PromiseLike<Verified<R>>) | undefined;
  /** May an act be tried again after this failure? Default: where every attempt (error.errors) surely was not carried out (refused connections and names, refusals by a policy, 4xx but 408, 409 and 425); all else is unknown. */
  surelyNot?: ((error: AgentError) => boolean) | undefined;
  /** How a result is stored. Default JSON; a result that JSON does not keep is a TypeError at the first call. */
  keep?: 'result' | 'nothing' | undefined;         // 'result'; 'nothing': a later call gets undefined
  /** For a person: which act is it? Redacted, 200 characters, kept with the claim. */
  describe?: ((...args: A) => string) | undefined;
}

/** `this` of an act. The hashed key is made to be handed to a provider as its idempotency key; the signal is aborted when the claim is lost. */
export interface Act { readonly key: string; readonly attempt: number; readonly signal: AbortSignal }

export interface Ledger {
  /** `execute` acts at most once for a key, in all processes that share the store. Later calls get its result. */
  once<A extends unknown[], R>(name: string, execute: (this: Act, ...args: A) => R | PromiseLike<R>, options: OnceOptions<A, R>): (...args: A) => Promise<R>;
  /** Acts whose outcome is not known. */
  unknown(limit?: number): Promise<readonly { name: string; key: string; since: number; attempts: number; about?: string | undefined }[]>;
  /** A person has looked. */
  settle(name: string, key: string, outcome: { happened: true; result?: unknown } | { happened: false }): Promise<void>;
  close(): Promise<void>;
}
export function createLedger(options: LedgerOptions): Ledger;
/**
 * [C] For every key: at most one act whose outcome is not known to be "did not happen", whatever processes die, whichever answers are
 * lost, however clocks differ (leases count the store's time). A call that meets an unknown act runs `verify`; where that does not know
 * either, it rejects with TOOL_EXECUTION_ERROR, severity critical, not retryable, metadata.safetyAbortReason "It is not known whether …
 * was carried out", and a sentence for the user that says so. A call that meets a running act waits, then CONFLICT (retryable).
 * A policy outside retries 'unknown' never; inside (`once` around `policy.wrap`) the act's own retries follow `idempotent`.
 * Events: effect.claimed, effect.done, effect.reused, effect.unknown, effect.verified { happened }, effect.settled: name and hashed key.
 */
/**
 * [C] Settled readings. Of an act that surely did not happen only the number of attempts is kept; 'unknown' is kept until it is settled or
 * verified, whatever keepMs says. A call whose own act ended unclear runs verify itself; where that does not know, it rejects with the unknown,
 * whose cause is the act's error. A claim whose lease is over counts as unknown, and so does a record that cannot be read. settle(): CONFLICT
 * where the act runs or is done, NOT_FOUND where there is nothing. undefined is kept as a result; what JSON does not give back equal is a TypeError: the
 * act is kept as done, later calls reject with the same. A key must be JSON at every depth, else a TypeError before the act. verify's key is the hashed
 * one. close() ends renewals and waits; later calls reject with CANCELLED; the store stays the caller's. A result that comes after the lease was lost is
 * kept unless somebody knows better by then; verify must not say no while an act may still be under way (said in the docs, with what a stopped process
 * does). Without the store: CAPACITY_EXCEEDED with retryable true; 'allow': effect.unguarded. once within once with the same key is a TypeError where the
 * platform has AsyncLocalStorage. The first call gets the value itself, later ones a copy. Clients: ioredis 5 and 6, node-redis 5 and 6.
 */
// declare module 'halfopen/once/redis' { export function redisStore(client: object, options?: { prefix?: string }): import('halfopen/once').OnceStore }       // ioredis, node-redis, Upstash-like REST
// declare module 'halfopen/once/postgres' { export function postgresStore(pool: object, options?: { table?: string }): import('halfopen/once').OnceStore }      // pg; makes its table
// declare module 'halfopen/once/kv' { export function kvStore(kv: object): import('halfopen/once').OnceStore }                                                // with compare-and-set only: Deno KV, Durable Objects
