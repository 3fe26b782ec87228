/**
 * The limits of models, by name; the first row that holds is taken. A name that no row knows is taken as the last row, so that new
 * models can be rehearsed as well.
 *
 * https://platform.openai.com/docs/models, https://docs.claude.com/en/docs/about-claude/models/overview,
 * https://ai.google.dev/gemini-api/docs/models
 */
export interface ModelLimits {
  readonly contextTokens: number;
  readonly outputTokens: number;
  /** Reasons before it answers: OpenAI's take `max_completion_tokens` and no temperature then. */
  readonly reasons?: boolean;
  /** Refuses a last message of the assistant. https://docs.claude.com/en/docs/build-with-claude/prefill-claudes-response */
  readonly takesNoPrefill?: boolean;
  /** Refuses temperature beside top_p. https://docs.claude.com/en/docs/about-claude/models/migrating-to-claude-4 */
  readonly takesOneSampler?: boolean;
  /** Checks signatures of the present turn. https://ai.google.dev/gemini-api/docs/thought-signatures */
  readonly wantsSignatures?: boolean;
}

const MODELS: readonly (readonly [RegExp, ModelLimits])[] = [
  [/^gpt-5.*chat/, { contextTokens: 128_000, outputTokens: 16_384 }],
  [/^gpt-5/, { contextTokens: 400_000, outputTokens: 128_000, reasons: true }],
  [/^o[134](?:-|$)/, { contextTokens: 200_000, outputTokens: 100_000, reasons: true }],
  [/^gpt-4\.1/, { contextTokens: 1_047_576, outputTokens: 32_768 }],
  [/^gpt-4o/, { contextTokens: 128_000, outputTokens: 16_384 }],
  [/^gpt-4-turbo/, { contextTokens: 128_000, outputTokens: 4096 }],
  [/^gpt-4/, { contextTokens: 8192, outputTokens: 8192 }],
  [/^gpt-3\.5/, { contextTokens: 16_385, outputTokens: 4096 }],
  [
    /^claude-(?:opus|sonnet)-4-[6-9]/,
    { contextTokens: 200_000, outputTokens: 128_000, takesNoPrefill: true, takesOneSampler: true },
  ],
  [
    /^claude-(?:opus-4-[15]|sonnet-4-5|haiku-4-5)/,
    { contextTokens: 200_000, outputTokens: 64_000, takesOneSampler: true },
  ],
  [/^claude-opus-4/, { contextTokens: 200_000, outputTokens: 32_000 }],
  [/^claude-sonnet-4|^claude-3-7/, { contextTokens: 200_000, outputTokens: 64_000 }],
  [/^claude-3-5/, { contextTokens: 200_000, outputTokens: 8192 }],
  [/^claude-3/, { contextTokens: 200_000, outputTokens: 4096 }],
  [/^gemini-3/, { contextTokens: 1_048_576, outputTokens: 65_536, wantsSignatures: true }],
  [/^gemini-2\.5/, { contextTokens: 1_048_576, outputTokens: 65_536 }],
  [/^gemini-2\.0/, { contextTokens: 1_048_576, outputTokens: 8192 }],
];
const ANY_MODEL: ModelLimits = { contextTokens: 128_000, outputTokens: 64_000 };

export function limitsOf(model: unknown): ModelLimits {
  const name = String(model);
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? ANY_MODEL;
}

/**
 * Models that their providers have retired.
 * https://platform.openai.com/docs/deprecations, https://docs.claude.com/en/docs/about-claude/model-deprecations,
 * https://ai.google.dev/gemini-api/docs/deprecations
 */
const RETIRED =
  /^(?:gpt-4-32k|gpt-4-vision|gpt-3\.5-turbo-(?:0301|0613)|text-davinci|claude-(?:1|2|instant)|claude-3-(?:opus|sonnet)-2024|gemini-1\.|gemini-pro)/;

export const isRetired = (model: unknown) => RETIRED.test(String(model));
