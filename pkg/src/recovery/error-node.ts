/** The error step of an agent's graph: a report, then a model's explanation of it. */

import { classify } from '../classify/classify.js';
import type { Classification } from '../classify/types.js';
import { type Clock, systemClock } from '../clock.js';
import * as core from '../core/agent.js';
import { observe } from '../event/events.js';
import type { Audience } from '../message/about.js';
import { textForLog } from '../message/for-log.js';
import { callback, clock, oneOf, readOptions, span, text } from '../options.js';
import { type AgentState, contextOf, createErrorContext, type ErrorContext, sentenceIn } from './context.js';
import { messageOf } from './error-info.js';
import { LABELS } from './labels.js';
import { enLabels } from './locale/en.js';
import { promptFor, renderReport } from './report.js';

const NODE = {
  complete: callback,
  capabilities: text,
  timeoutMs: span,
  locale: text,
  audience: oneOf('owner', 'visitor'),
  clock,
  onDebug: callback,
};

/** How long an explanation may take by default, in milliseconds. */
const EXPLANATION_TIMEOUT = 30_000;

/** Options of the error step. */
export interface ErrorNodeOptions {
  /**
   * Sends the prompt to a model and resolves with its text; `maxTokens` is 500. `signal` aborts after `timeoutMs`. Without it,
   * or when it fails, the message has the report alone, and says so.
   */
  complete?:
    | ((prompt: string, options: { maxTokens: number; signal: AbortSignal }) => Promise<string>)
    | undefined;
  /** The agent's capabilities, for the model's suggestions. */
  capabilities?: string | undefined;
  /** How long an explanation may take, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** The report's language, as a BCP 47 tag. Default: English. */
  locale?: string | undefined;
  /**
   * The reader of the message. A visitor of an agent that you host gets the sentence and the explanation, without the
   * details, which `context` has for your log. Default: 'owner'.
   */
  audience?: Audience | undefined;
  /** The time and the timers. Default: the system's. */
  clock?: Clock | undefined;
  /**
   * Called with the reason if there is no explanation, or if a state or its classifier cannot be used. If it throws,
   * nothing changes.
   */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}

/**
 * The central error step of an agent's graph: a report, then a model's explanation of it.
 *
 * @example
 * ```ts
 * const node = new ErrorNode({
 *   complete: async (prompt, { maxTokens, signal }) =>
 *     (await client.responses.create({ model, input: prompt, max_output_tokens: maxTokens }, { signal })).output_text,
 * });
 * graph.addNode('error', (state) => node.execute(state));
 * ```
 */
export class ErrorNode {
  /** The node's name in a graph. */
  readonly name = 'error';
  /** A description for a graph that shows the node. */
  readonly description = 'Error Response Generation';
  private readonly options: ErrorNodeOptions;

  /** @throws TypeError for a wrong option. */
  constructor(options?: ErrorNodeOptions) {
    this.options = readOptions<ErrorNodeOptions>(NODE, options, 'ErrorNode');
  }

  /**
   * Resolves with the message for the user and the context it was made from. Never rejects: without an explanation, the
   * message says that the report is all there is.
   *
   * @example
   * ```ts
   * const { messages } = await node.execute({ currentTask: 'Find papers', errorInfo: { error, capabilityName: 'search' } });
   * console.log(messages[0].content);
   * ```
   */
  async execute(
    state: AgentState,
  ): Promise<{ messages: [{ role: 'assistant'; content: string }]; context: ErrorContext }> {
    const { locale, audience, clock = systemClock } = this.options;
    let context: ErrorContext;
    try {
      context = contextOf(state, (thrown) => this.debug('The classifier was ignored', thrown));
    } catch (thrown) {
      // A state that cannot be read: a getter or a proxy that throws.
      this.debug('The state could not be read', thrown);
      context = createErrorContext({});
    }
    let now: number | undefined;
    try {
      now = clock.wall?.();
    } catch {
      now = undefined;
    }
    const valid = typeof now === 'number' && Number.isFinite(now);
    const forVisitor = audience === 'visitor';
    const report = forVisitor
      ? textForLog(sentenceIn(context, { locale, audience }))
      : renderReport(context, { now: valid ? now : Date.now(), locale });
    const { analysis, noAnalysis } = LABELS.of(locale ?? 'en');
    let explanation = forVisitor ? '' : noAnalysis;
    try {
      explanation = await this.explain(context, clock);
    } catch (thrown) {
      this.debug('No explanation', thrown);
    }
    const content = explanation === '' ? report : `${report}\n\n**${analysis}:** ${explanation}`;
    return { messages: [{ role: 'assistant', content }], context };
  }

  /**
   * Classifies an error of the error step itself: always fatal, so that it cannot loop.
   *
   * @example
   * ```ts
   * ErrorNode.classifyError(new Error('disk full')).severity; // 'fatal'
   * ```
   */
  static classifyError(error: unknown): Classification {
    return {
      ...classify(error),
      severity: 'fatal',
      retryable: false,
      userMessage: enLabels.stepFailed,
      rule: 'recovery.error_node',
    };
  }

  private async explain(context: ErrorContext, clock: Clock): Promise<string> {
    const { complete, capabilities, locale, audience, timeoutMs = EXPLANATION_TIMEOUT } = this.options;
    if (complete === undefined) throw new Error('no model was given');
    const prompt = promptFor(context, capabilities, { locale, audience });
    const aborter = new AbortController();
    let timer: unknown;
    const late = new Promise<never>((_, reject) => {
      if (timeoutMs === Number.POSITIVE_INFINITY) return;
      timer = clock.setTimeout(() => {
        const reason = new Error(`no explanation within ${timeoutMs} ms`);
        reject(reason);
        aborter.abort(reason);
      }, timeoutMs);
    });
    try {
      const explained = Promise.resolve(
        complete(prompt, { maxTokens: core.recoveryExplanationTokens(), signal: aborter.signal }),
      );
      const explanation: unknown = await Promise.race([explained, late]);
      if (typeof explanation !== 'string' || explanation.trim() === '')
        throw new Error('an empty explanation');
      return textForLog(explanation.trim());
    } finally {
      clock.clearTimeout(timer);
    }
  }

  private debug(message: string, thrown: unknown): void {
    const { onDebug } = this.options;
    if (onDebug !== undefined) observe(onDebug, message, { error: messageOf(thrown) ?? 'unknown' });
  }
}
