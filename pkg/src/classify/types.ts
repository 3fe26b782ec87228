/** The types of an error's facts that classification, errors, policies and reports share. */

import type { AgentErrorCode, ErrorSeverity } from '../codes.js';
import type { Audience, ProviderErrorMetadata } from '../message/about.js';
import type { Remedy } from './remedy.js';

export type { Audience, ProviderErrorMetadata };

/** Guidance as an application gives it: one suggestion may be a plain string. */
export interface GivenMetadata {
  /** Redacted: no key, token, cookie or prompt text. Of an error that no rule recognises: its class and message. */
  technicalDetails?: string | undefined;
  /** Steps that the user or the developer can take, in sentences. A single text becomes a list of one. */
  suggestions?: string | string[] | undefined;
  /** Why it is unsafe to go on: the reason that `route` gives the error step. Default: the message for the user. */
  safetyAbortReason?: string | undefined;
  /** Why a new plan is needed: the reason that `route` gives the orchestrator. Default: the message for the user. */
  replanningReason?: string | undefined;
  /** The context that a new plan must provide; `route` passes it to the orchestrator. Default: nothing. */
  requiredContext?: string[] | undefined;
  [key: string]: unknown;
}

/** Guidance that travels with an error; every field optional. */
export interface ErrorMetadata extends GivenMetadata {
  /** Steps that the user or the developer can take, in sentences. */
  suggestions?: string[] | undefined;
}

/** The kind of an error, and the possible reactions to it. */
export interface Classification {
  /** The kind of failure. */
  code: AgentErrorCode;
  /** The next step: retry, make a new plan, classify again, or stop ('critical', 'fatal'). */
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
  /** The known facts about the provider: its name, model, HTTP status, request id. */
  provider: ProviderErrorMetadata;
  /** Milliseconds that the provider asked for, from any header, body or message. */
  retryAfterMs?: number | undefined;
  /** The id of the rule that decided, such as 'http.429.insufficient_quota'. */
  rule: string;
  /**
   * The change that would make the request acceptable, or its answer usable, read from the provider's code, parameter
   * or words. Absent if the error names none.
   */
  remedy?: Remedy | undefined;
}

/** The caller's knowledge of an error. */
export interface ClassifyContext {
  /** The provider that was called, such as 'openai'. Default: the one that the error itself names, if any. */
  provider?: string | undefined;
  /** The model that was called. */
  model?: string | undefined;
  /** Where in the agent it failed: a code that this layer does not have becomes the nearest that it has. Default: any code. */
  layer?: 'model' | 'tool' | 'agent' | undefined;
  /** The capability that failed: in recovery its name or that of the graph's node, in a policy the policy's name. */
  capability?: string | undefined;
  /** The user's request, in recovery; for a policy's call, its `task`. */
  task?: string | undefined;
  /** A BCP 47 tag; unknown ones fall back to English. */
  locale?: string | undefined;
  /** The reader of `userMessage`. Default: 'owner'. */
  audience?: Audience | undefined;
  /** Of `AgentError.from`: see `messages` of a policy's options. Default: 'provider'. */
  messages?: 'private' | 'provider' | undefined;
  /** Milliseconds since the epoch, for HTTP-date hints; default: the wall clock. */
  now?: number | undefined;
}

/**
 * A rule of the application's own, called before the built-in ones; `undefined` passes. A severity other than
 * 'retriable' sets `retryable: false` unless `retryable` is given too; a `retryOn` that names the code still wins. If
 * it throws, or returns a promise or a value that is no classification, that is reported to `onDebug` and ignored. An
 * async function is a TypeError when it is passed (`createPolicy`, `update`).
 */
export type Classifier = (error: unknown, context: ClassifyContext) => Partial<Classification> | undefined;
