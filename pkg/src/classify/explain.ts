/** Why an error is what it is. */

import type { AgentErrorCode } from '../codes.js';
import { explainCopy } from '../core/errors.js';
import { onceMore } from '../core/instance.js';
import {
  classificationFrom,
  crossing,
  get,
  ITEM_END,
  MORE,
  ownClassification,
  rules,
  type Signals,
  signalsFrom,
  textsOf,
} from './decision.js';
import { ruleTexts } from './rule-texts.js';
import { withThrown } from './thrown.js';
import type { Classification, ClassifyContext } from './types.js';

/** One rule that was tried, see {@link explainClassification}. */
export interface TriedRule {
  /** The rule's id, as in `rule` of a classification and in docs/rules.md. */
  rule: string;
  /** The code that it gives. */
  code: AgentErrorCode;
  /** The page, RFC or specification that says so. */
  source: string;
  /** `true` if all of its conditions held, as for the last rule only. */
  decided: boolean;
  /** `true` if something that it requires was present. */
  close: boolean;
  /** Its conditions as far as they were tried, the first that does not hold being the last. */
  checks: { wanted: string; held: boolean }[];
}

/** A classification with its reasons, see {@link explainClassification}. */
export interface ClassificationExplanation {
  /** The result of `classify` for the same value. */
  classification: Classification;
  /** Statuses, codes and names that were read; never a text. */
  signals: Record<string, unknown>;
  /** The rules that were tried, in their order; the last one decided. Empty for an AgentError, which says itself what it is. */
  tried: TriedRule[];
  /** Later changes of the deciding rule's verdict, in sentences: by the layer, or by the response's own statement. */
  afterwards: string[];
  /**
   * Where no rule recognises the error: a classifier for it, as TypeScript to paste into the `classify` of a policy. It asks for
   * a code or class of the error, never for its text; absent where the error has neither.
   */
  suggestedClassifier?: string | undefined;
}

/**
 * `classify`, with its reasons: what was read, every rule that was tried and the condition at which it ended, and the
 * source of the one that decided. For people who wonder; it takes 15 to 20 times as long as `classify`, 0.1 ms for
 * a rate limit. Never throws.
 *
 * @example
 * ```ts
 * const { tried } = explainClassification(error);
 * const { rule, source, checks } = tried.at(-1)!; // the rule that decided, and what fulfilled it
 * ```
 */
export function explainClassification(
  error: unknown,
  context: ClassifyContext = {},
): ClassificationExplanation {
  const own = ownClassification(error, context);
  if (own) return { classification: own, signals: { names: ['AgentError'] }, tried: [], afterwards: [] };
  const beside = crossing(context);
  const texts = textsOf(onceMore(() => withThrown(error, (length) => explainCopy(length, ...beside))));
  const signals = signalsFrom(texts);
  const classification = classificationFrom(texts, error, context);
  const [trace, afterwards] = texts.slice(MORE).map((text) => itemsOf(text));
  const suggestedClassifier = classification.rule === 'unknown' ? classifierFor(error, signals) : undefined;
  return {
    classification,
    signals,
    tried: (trace ?? []).map(triedRule),
    afterwards: afterwards ?? [],
    ...(suggestedClassifier !== undefined && { suggestedClassifier }),
  };
}

/** The fields that may hold a thrown value's own code, the most telling first. */
const TELLING = ['code', 'errorCode', 'error_code', 'type', 'reason', 'name'];

/** A classifier that asks for the first code or name of the error that was read and may be shown. */
function classifierFor(error: unknown, { codes, names }: Signals): string | undefined {
  const shown = [codes, names].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  for (const key of TELLING) {
    const stated = get(error, key);
    if (typeof stated === 'string' && shown.includes(stated))
      return classifierOn(`${key} === '${stated}'`, key);
  }
  const className = get(get(error, 'constructor'), 'name');
  if (!shown.includes(className)) return undefined;
  return classifierOn(`constructor?.name === '${String(className)}'`, 'constructor');
}

function classifierOn(condition: string, key: string): string {
  return [
    'classify: (error) => {',
    `  const { ${key} } = error as { ${key}?: ${key === 'constructor' ? 'Function' : 'unknown'} };`,
    '  // Retried; for what cannot succeed when sent again, take the code that says so.',
    `  return ${condition} ? { code: 'SERVER_ERROR' } : undefined;`,
    '},',
  ].join('\n');
}

let texts: ReturnType<typeof ruleTexts> | undefined;

/** A list of which each item has an end. */
function itemsOf(text: string, end = ITEM_END): string[] {
  return text.split(end).slice(0, -1);
}

/** Ends a condition that held. */
const HELD_END = '\u001d';

/** Returns the rule of that number, with the signals that fulfilled its conditions as far as they held. */
function triedRule(trace: string, number: number): TriedRule {
  texts ??= ruleTexts();
  const [code, source, ...wanted] = texts[number] ?? ['UNKNOWN', ''];
  // '+' and what fulfilled it, or '-' where the condition is that something is absent.
  const held = itemsOf(trace, HELD_END);
  const checks = held.map((by, index) => ({ wanted: by.slice(1) || (wanted[index] ?? ''), held: true }));
  const missed = wanted[held.length];
  if (missed !== undefined) checks.push({ wanted: missed, held: false });
  return {
    rule: rules[number] ?? 'unknown',
    code: code as AgentErrorCode,
    source,
    decided: missed === undefined,
    close: held.some((by) => by.startsWith('+')),
    checks,
  };
}
