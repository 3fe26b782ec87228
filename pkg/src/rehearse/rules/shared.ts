/** Helpers that the rules share. Requests are loosely typed here: the rules judge them as a server would. */

// biome-ignore lint/suspicious/noExplicitAny: a request of any format, broken in any way
export type Any = any;

/** The facts that a rule knows beside the request. */
export interface RuleContext {
  /** Returns true if this provider made the signature, for this content. */
  isOwn(signature: string, content: string): boolean;
  /** Returns true if the provider still knows an id that it gave out: of a response that it stored. */
  isKnown?(id: string): boolean;
  /** Tokens that the model reads at most. Default: as its name allows. */
  contextTokens?: number;
}

/** One thing that a provider refuses. */
export interface Rule {
  /** Unique among the rules of its wire. */
  readonly name: string;
  /** The page that documents it, or the recorded error. */
  readonly source: string;
  /** True: the words are those of an error in tests/sdk-errors. The others are written after `source`, and may differ from the provider's. */
  readonly isRecorded?: boolean;
  /** Default: 400. */
  readonly status?: number;
  /** OpenAI's `error.code`, Anthropic's `error.type`, Google's `error.status`. Default: the usual one of the status. */
  readonly code?: string;
  /** OpenAI's `error.param`. */
  readonly param?: string;
  /** True: only gateways and older versions of the API refuse this. The rehearsal does not. */
  readonly isOnlyOfGateways?: boolean;
  /** The provider's words if the request breaks the rule. */
  readonly broken: (request: Any, context: RuleContext) => string | undefined;
}

/** A rule that a request breaks, and the provider's words for it. */
export interface Refusal {
  rule: Rule;
  words: string;
}

/** The first rule that a request breaks. `withGateways`: the rules of gateways count as well. */
export function refusalOf(
  rules: readonly Rule[],
  request: Any,
  context: RuleContext,
  withGateways = false,
): Refusal | undefined {
  for (const rule of rules) {
    if (rule.isOnlyOfGateways && !withGateways) continue;
    const words = rule.broken(request, context);
    if (words !== undefined) return { rule, words };
  }
  return undefined;
}

export const isBlank = (text: unknown) => typeof text === 'string' && text.trim() === '';

export const repeated = (items: readonly unknown[]) => new Set(items).size < items.length;

export const listOf = (value: unknown): Any[] => (Array.isArray(value) ? value : []);

/** The first answer that is one. */
export function first<T>(
  items: readonly T[],
  look: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const words = look(item, index);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The tokens of a request, at four bytes each: near enough for limits and for waste, and the same on every machine. */
export const tokensOf = (request: unknown) => Math.ceil(JSON.stringify(request ?? null).length / 4);

const SIGNS: readonly (readonly [string, string])[] = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
];

/** The kind of an image by its first bytes, in base64. */
export const imageTypeOf = (base64: string) => SIGNS.find(([, sign]) => base64.startsWith(sign))?.[0];
