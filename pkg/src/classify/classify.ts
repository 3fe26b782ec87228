/** Classification of any thrown value, by the core. */

import type { ModelErrorCode } from '../codes.js';
import { classifyCopy, hintInCopy, spokenInCopy } from '../core/errors.js';
import { onceMore } from '../core/instance.js';
import { wordsAreHere } from '../core/words.js';
import { unwrapped } from './brand.js';
import {
  classificationFrom,
  crossing,
  isRefusalFrom,
  ownClassification,
  type Signals,
  signalsFrom,
  textsOf,
} from './decision.js';
import { firstAid } from './first-aid.js';
import { targetOf } from './target.js';
import { withHeaders, withThrown } from './thrown.js';
import type { Classification, ClassifyContext } from './types.js';

const NO_CONTEXT: ClassifyContext = {};

/**
 * Classifies anything that can be thrown, by structure first: status, the provider's code and type, headers, names,
 * errno, causes; wording comes last. Words alone decide the code but make nothing retryable, unless the whole message is one
 * that a known library sends. Never throws, whatever the value: getters that throw, proxies, cycles, `null`,
 * strings, messages of 10 MB. At most 8 causes and 4 KiB of any text are read.
 *
 * @param error The thrown value, as it is.
 * @param context What the caller knows: provider, model, layer (it narrows the codes), locale (BCP 47; English by
 * default), `now` (milliseconds since the epoch, for hints that are dates; the wall clock by default).
 * @returns Code, severity, whether to try again, `retryAfterMs` (milliseconds that the provider asked to wait), a message
 * for users, and the id of the rule that decided.
 * @example
 * ```ts
 * try {
 *   await client.chat.completions.create(request);
 * } catch (error) {
 *   const { code, retryable, retryAfterMs, userMessage } = classify(error);
 * }
 * ```
 */
export function classify(error: unknown, context: ClassifyContext = NO_CONTEXT): Classification {
  const own = ownClassification(unwrapped(error), context);
  if (own !== undefined) return own;
  if (!wordsAreHere()) return firstAid(error, context).classification;
  return classificationFrom(read(error, context), error, context);
}

/** A classification with what it rests on. */
export interface DetailedClassification {
  readonly classification: Classification;
  readonly signals: Signals;
  /** Structure shows that the request was refused before it was carried out; of an AgentError, unknown. */
  readonly isRefusal?: boolean | undefined;
}

/**
 * `classify`, with the statuses, codes and names that it read: for events.
 * @internal
 */
export function classifyDetailed(
  error: unknown,
  context: ClassifyContext = NO_CONTEXT,
): DetailedClassification {
  const own = ownClassification(unwrapped(error), context);
  if (own) return { classification: own, signals: { names: ['AgentError'] } };
  if (!wordsAreHere()) return firstAid(error, context);
  const texts = read(error, context);
  const [signals, isRefusal] = [signalsFrom(texts), isRefusalFrom()];
  return { signals, isRefusal, classification: classificationFrom(texts, error, context) };
}

/** The texts that the core returns; its numbers are in its memory then. */
function read(error: unknown, context: ClassifyContext): readonly string[] {
  const target = targetOf(error);
  const [layer, now, provider, model] = crossing(
    target === undefined
      ? context
      : { ...context, provider: context.provider ?? target.provider, model: context.model ?? target.model },
  );
  return textsOf(
    onceMore(() => withThrown(error, (length) => classifyCopy(length, layer, now, provider, model))),
  );
}

/**
 * The code of a failed model call: `classify(error, { layer: 'model' }).code`.
 *
 * @example
 * ```ts
 * mapErrorToCode(Object.assign(new Error('x'), { status: 429 })); // 'RATE_LIMITED'
 * ```
 */
export function mapErrorToCode(error: unknown): ModelErrorCode {
  return classify(error, MODEL_LAYER).code as ModelErrorCode;
}
const MODEL_LAYER: ClassifyContext = { layer: 'model' };

/**
 * Milliseconds that a server asked its client to wait: `retry-after-ms`, `retry-after` in seconds, fractions or as a
 * date, and the resets of rate limits.
 *
 * @param headers `Headers`, a plain object, a Map or a list of pairs; names in any case.
 * @param now Milliseconds since the epoch from which dates count where the headers have no `date`; default: the wall clock.
 * @returns A finite number, 0 or more; `undefined` if no wait was requested. @example
 * ```ts
 * parseRetryAfter({ 'retry-after': '7' }); // 7000
 * ```
 */
export function parseRetryAfter(headers: unknown, now: number = Date.now()): number | undefined {
  if (!wordsAreHere()) return undefined;
  const hint = onceMore(() => withHeaders(headers, (length) => hintInCopy(length, now)));
  return hint >= 0 ? hint : undefined;
}

/** The parts of an error's message. @internal */
export interface Spoken {
  /** Status, codes and the part of the request that was wrong; of what no server answered, a database's SQLSTATE alone. */
  readonly head: string;
  /**
   * The texts of the value and the body in it: redacted, one line, at most 500 characters, 300 of a server's own text.
   */
  readonly words: string;
  /** `true` if a server sent it. Its words may then quote the prompt. */
  readonly answered: boolean;
}

const SILENT: Spoken = { head: '', words: '', answered: true };

/** Returns the texts of a thrown value and of the body in it. @internal */
export function spokenBy(error: unknown): Spoken {
  if (!wordsAreHere()) return SILENT;
  const [head = '', words = '', answered] = textsOf(onceMore(() => withThrown(error, spokenInCopy)));
  return { head, words, answered: answered === '1' };
}
