/** What is said of an error: the types that classification, errors, policies and reports share. */

import type { AgentErrorCode, ErrorSeverity } from '../codes.js';
import type { Audience, ProviderErrorMetadata } from '../message/about.js';
import type { Remedy } from './remedy.js';

export type { Audience, ProviderErrorMetadata };

/** Guidance as an application gives it: one suggestion may be a plain string. */
export interface GivenMetadata {
  /** Redacted: no key, token, cookie or prompt text. Of an error that no rule recognises: its class and message. */
  technicalDetails?: string | undefined;
  /** What the user or the developer can do, in sentences. A single text becomes a list of one. */
  suggestions?: string | string[] | undefined;
  /** Why it is unsafe to go on: the reason that `route` gives the error step. Default: the message for the user. */
  safetyAbortReason?: string | undefined;
  /** Why a new plan is needed: the reason that `route` gives the orchestrator. Default: the message for the user. */
  replanningReason?: string | undefined;
  /** What a new plan has to provide; `route` passes it to the orchestrator. Default: nothing. */
  requiredContext?: string[] | undefined;
  [key: string]: unknown;
}

/** Guidance that travels with an error; every field optional. */
export interface ErrorMetadata extends GivenMetadata {
  /** What the user or the developer can do, in sentences. */
  suggestions?: string[] | undefined;
}

/** What an error is, and what to do about it. */
export interface Classification {
  /** What failed. */
  code: AgentErrorCode;
  /** What to do next: retry, plan anew, classify anew, or stop ('critical', 'fatal'). */
  severity: ErrorSeverity;
  /**
   * The rule's word; it may differ from `isRetryableCode(code)`: a body cut off in transit (INVALID_RESPONSE) is
   * worth another try. The built-in rules keep `retryable` and severity 'retriable' equivalent.
   */
  retryable: boolean;
  /** Plain language: says what to do next, no jargon, no secrets. */
  userMessage: string;
  /** Redacted details, suggestions, and what replanning needs. */
  metadata: ErrorMetadata;
  /** What is known of the provider: its name, model, HTTP status, request id. */
  provider: ProviderErrorMetadata;
  /** Milliseconds that the provider asked for, from any header, body or message. */
  retryAfterMs?: number | undefined;
  /** The id of the rule that decided, such as 'http.429.insufficient_quota'. */
  rule: string;
  /**
   * Which change of the request would make it acceptable, or its answer usable: from the provider's code, parameter or words.
   * Absent where the error does not say.
   */
  remedy?: Remedy | undefined;
}

/** What the caller knows about an error beside the error. */
export interface ClassifyContext {
  /** The provider that was called, such as 'openai'. Default: the one that the error itself names, if any. */
  provider?: string | undefined;
  /** The model that was called. */
  model?: string | undefined;
  /** Where in the agent it failed: a code that this layer does not have becomes the nearest that it has. Default: any code. */
  layer?: 'model' | 'tool' | 'agent' | undefined;
  /** The capability that failed: in recovery its name or that of the graph's node, in a policy the policy's name. */
  capability?: string | undefined;
  /** What the user asked for, in recovery; of a policy's call its `task`. */
  task?: string | undefined;
  /** A BCP 47 tag; unknown ones fall back to English. */
  locale?: string | undefined;
  /** Who reads `userMessage`. Default: 'owner'. */
  audience?: Audience | undefined;
  /** Of `AgentError.from`: see `messages` of a policy's options. Default: 'provider'. */
  messages?: 'private' | 'provider' | undefined;
  /** Milliseconds since the epoch, for HTTP-date hints; default: the wall clock. */
  now?: number | undefined;
}

/**
 * A rule of the application's own, called before the built-in ones; `undefined` passes. A severity other than
 * 'retriable' sets `retryable: false` unless `retryable` is given too; a `retryOn` that names the code still wins. What
 * it throws, a promise and any value that is no classification are reported to `onDebug` and ignored; an async function
 * is a TypeError where it is given (`createPolicy`, `update`).
 */
export type Classifier = (error: unknown, context: ClassifyContext) => Partial<Classification> | undefined;
