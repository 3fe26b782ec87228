/** The error step of an agent's graph: a report, then a model's explanation of it. */

import { classify } from '../classify/classify.js';
import type { Classification } from '../classify/types.js';
import { type Clock, systemClock } from '../clock.js';
import * as core from '../core/agent.js';
import { observe } from '../event/events.js';
import { textForLog } from '../message/for-log.js';
import { inLanguage } from '../message/language.js';
import { callback, clock, readOptions, span, text } from '../options.js';
import { type AgentState, contextOf, createErrorContext, type ErrorContext } from './context.js';
import { messageOf } from './error-info.js';
import { LABELS } from './labels.js';
import { buildExplanationPrompt, renderReport } from './report.js';

const NODE = {
  complete: callback,
  capabilities: text,
  timeoutMs: span,
  locale: text,
  clock,
  onDebug: callback,
};

/** How long an explanation may take, in milliseconds, where nothing else is said. */
const EXPLANATION_TIMEOUT = 30_000;

export interface ErrorNodeOptions {
  /** Asks a model; `maxTokens` is 500. Without it, or when it fails, the report stands alone and says so. */
  complete?:
    | ((prompt: string, options: { maxTokens: number; signal: AbortSignal }) => Promise<string>)
    | undefined;
  /** What the agent can do, for the model. */
  capabilities?: string | undefined;
  /** How long an explanation may take, in milliseconds. Default 30000. */
  timeoutMs?: number | undefined;
  /** Default English. */
  locale?: string | undefined;
  clock?: Clock | undefined;
  /** Called with the reason where there is no explanation, or where a state or its classifier cannot be used. */
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
  readonly #options: ErrorNodeOptions;

  /** @throws TypeError for a wrong option. */
  constructor(options?: ErrorNodeOptions) {
    this.#options = readOptions<ErrorNodeOptions>(NODE, options, 'ErrorNode');
  }

  /** Never rejects: without an explanation, the analysis says that the report is all there is. */
  async execute(
    state: AgentState,
  ): Promise<{ messages: [{ role: 'assistant'; content: string }]; context: ErrorContext }> {
    const { locale = 'en', clock = systemClock } = this.#options;
    let context: ErrorContext;
    try {
      context = contextOf(state, (thrown) => this.#debug('The classifier was ignored', thrown));
    } catch (thrown) {
      // A state that cannot be read: a getter or a proxy that throws.
      this.#debug('The state could not be read', thrown);
      context = createErrorContext({});
    }
    let now: number | undefined;
    try {
      now = clock.wall?.();
    } catch {
      now = undefined;
    }
    const valid = typeof now === 'number' && Number.isFinite(now);
    const report = renderReport(context, { now: valid ? now : Date.now(), locale });
    const { analysis, noAnalysis } = inLanguage(LABELS, locale);
    let explanation = noAnalysis;
    try {
      explanation = await this.#explain(context, clock);
    } catch (thrown) {
      this.#debug('No explanation', thrown);
    }
    const content = `${report}\n\n**${analysis}:** ${explanation}`;
    return { messages: [{ role: 'assistant', content }], context };
  }

  /** Always fatal, so that an error in the error step cannot loop. */
  static classifyError(error: unknown): Classification {
    return {
      ...classify(error),
      severity: 'fatal',
      retryable: false,
      userMessage: LABELS.en.stepFailed,
      rule: 'recovery.error_node',
    };
  }

  async #explain(context: ErrorContext, clock: Clock): Promise<string> {
    const { complete, capabilities, timeoutMs = EXPLANATION_TIMEOUT } = this.#options;
    if (complete === undefined) throw new Error('no model was given');
    const prompt = buildExplanationPrompt(context, capabilities);
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
      const asked = Promise.resolve(
        complete(prompt, { maxTokens: core.recoveryExplanationTokens(), signal: aborter.signal }),
      );
      const explanation: unknown = await Promise.race([asked, late]);
      if (typeof explanation !== 'string' || explanation.trim() === '')
        throw new Error('an empty explanation');
      return textForLog(explanation.trim());
    } finally {
      clock.clearTimeout(timer);
    }
  }

  #debug(message: string, thrown: unknown): void {
    const { onDebug } = this.#options;
    if (onDebug !== undefined) observe(onDebug, message, { error: messageOf(thrown) ?? 'unknown' });
  }
}
