/** The known facts of a failed call's provider, and the reader of the message. */

/** Where an error came from, as far as it says. */
export interface ProviderErrorMetadata {
  /** 'openai', 'anthropic', 'google', 'azure-openai', 'bedrock', … */
  provider?: string | undefined;
  /** The model, as the provider or the call names it. */
  model?: string | undefined;
  /** The HTTP status, or its like. */
  statusCode?: number | undefined;
  /** Seconds, fractions kept. */
  retryAfter?: number | undefined;
  /** The id that the provider's support needs. */
  requestId?: string | undefined;
  /** The thrown value itself; a non-enumerable property, never serialised or shown. */
  originalError?: unknown;
}

/**
 * The reader of a message. An `'owner'` runs the agent and can change its settings: a command line, a desktop program,
 * a developer. A `'visitor'` uses an agent that somebody else runs, and cannot check a key, a setting, a quota or the
 * connection of a server. So a visitor's message says what the failure means, whether waiting helps, and that the
 * people who run the agent must fix the rest.
 */
export type Audience = 'owner' | 'visitor';

/** For whom a message is: `locale` is a BCP 47 tag. */
export interface Reader {
  /** The language, as a BCP 47 tag such as 'de-AT'; unknown ones fall back to English. Default: English. */
  locale?: string | undefined;
  /** Default: `'owner'`. */
  audience?: Audience | undefined;
}
