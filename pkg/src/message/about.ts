/** What is known of the provider of a failed call. */

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
  /** What the provider's support asks for. */
  requestId?: string | undefined;
  /** The thrown value itself; a non-enumerable property, never serialised or shown. */
  originalError?: unknown;
}
