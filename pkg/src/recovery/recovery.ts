/** After retrying: where an agent's graph goes, what it reports, how it has an error explained. */

import { classify } from '../classify/classify.js';
import type { Classification, Classifier, ClassifyContext } from '../classify/types.js';
import { type Clock, systemClock } from '../clock.js';
import * as core from '../core/instance.js';
import { AgentError, type ErrorSeverity, isSound, severityOf } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { readFailure } from '../error/failure.js';
import { technicalDetailsOf } from '../error/technical-details.js';
import { observe, tell } from '../event/events.js';
import { textForLog, valueForLog } from '../message/for-log.js';
import { callback, clock, count, factor, finite, readOptions, span, syncCallback, text } from '../options.js';

/** What is known of an error when it has come to the router. */
export interface ErrorInfo {
  error: unknown;
  /** The capability that failed: where a retry goes. */
  capabilityName?: string | undefined;
  /** The application's own word on the error; what it leaves out follows from its code, or from the error. */
  classification?: Partial<Classification> | undefined;
  /**
   * The capability's own classifier. It gets the error, and with it the capability, the task, and the provider and model where the
   * error has them. `classification` outranks what it returns, field by field.
   */
  classify?: Classifier | undefined;
  /** Defaults 3, 1.0, 1.5. maxAttempts counts retries: a retryCount below it retries. */
  retryPolicy?:
    | {
        maxAttempts?: number | undefined;
        delaySeconds?: number | undefined;
        backoffFactor?: number | undefined;
      }
    | undefined;
  /** Seconds. */
  executionTime?: number | undefined;
  /** The graph's node that failed: stands for the capability where that has no name. */
  nodeName?: string | undefined;
}

/** Where to go. */
export type Recovery =
  | { next: 'retry'; capability: string; delayMs: number; attempt: number }
  | { next: 'orchestrator'; reason: string; requiredContext: string[] }
  | { next: 'classifier'; reason: string }
  | { next: 'error'; reason: string }
  | { next: 'abort'; error: AgentError };

/** What of an agent's state an error context is made from. */
export interface AgentState {
  /** Default: 'Unknown task'. */
  currentTask?: string | undefined;
  retryCount?: number | undefined;
  /** The step that the plan is at, from 0. */
  stepIndex?: number | undefined;
  stepResults?:
    | Record<
        string,
        {
          stepIndex?: number | undefined;
          capability?: string | undefined;
          taskObjective?: string | undefined;
          success?: boolean | undefined;
        }
      >
    | undefined;
  errorInfo?: ErrorInfo | undefined;
}

/** What is known of an error, and of the run that it ended. Plain JSON apart from `classification.provider.originalError`. */
export interface ErrorContext {
  classification: Classification;
  errorMessage: string;
  currentTask: string;
  failedOperation: string;
  /** The capability that failed; where none has a name, the graph's node. */
  capabilityName?: string | undefined;
  totalOperations: number;
  /** Seconds; 0 where the state has none. */
  executionTime?: number | undefined;
  retryCount: number;
  /** 'Step 1: …', in step order. */
  successfulSteps: string[];
  /** 'Step 2: … - Failed', in step order. */
  failedSteps: string[];
}

const RETRY_POLICY = { maxAttempts: count, delaySeconds: factor, backoffFactor: factor };
const OWN = { classify: syncCallback };
const REPORT = { now: finite, locale: text };
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

/**
 * Returns where an agent's graph goes after an error, and emits `recovery.routed`.
 *
 * | severity | next |
 * |---|---|
 * | retriable | the same capability after `delaySeconds · backoffFactor^retryCount`, while retryCount is below maxAttempts; then, or where no capability and no node has a name, the error step |
 * | replanning | the orchestrator, with the reason and the context that a new plan needs |
 * | reclassification | the classifier |
 * | critical | the error step |
 * | fatal | nowhere: the run ends with the error |
 *
 * @param state `retryCount`: retries made so far, default 0. `currentTask`: for a classifier.
 * @throws TypeError for a retry policy or a count that is negative or NaN, and for a classifier that is async or no function.
 * @example
 * ```ts
 * route({ error: new AgentError('TIMEOUT', 'took too long'), capabilityName: 'search' }, { retryCount: 1 });
 * // { next: 'retry', capability: 'search', delayMs: 1500, attempt: 2 }
 * ```
 */
export function route(
  info: ErrorInfo,
  state: { retryCount?: number | undefined; currentTask?: string | undefined } = {},
): Recovery {
  if (typeof info !== 'object' || info === null) throw new TypeError('halfopen: route expects { error, … }');
  const { retryCount = 0 } = readOptions<{ retryCount?: number }>(
    { retryCount: count },
    { retryCount: state?.retryCount },
    'route',
  );
  const policy = readOptions<Required<NonNullable<ErrorInfo['retryPolicy']>>>(
    RETRY_POLICY,
    info.retryPolicy,
    'retryPolicy',
  );
  const [maxAttempts = 0, delaySeconds = 0, backoffFactor = 1] = core.recoveryDefaults();
  const { error, classification } = read(info, string(state?.currentTask));
  const capability = capabilityOf(info);
  const [next, delayMs, attempt] = core.recoveryRoute(
    classification.severity,
    policy.maxAttempts ?? maxAttempts,
    policy.delaySeconds ?? delaySeconds,
    policy.backoffFactor ?? backoffFactor,
    retryCount,
    capability,
  ) as [Recovery['next'] | 'exhausted', number?, number?];
  const routed = next === 'exhausted' ? 'error' : next;
  tell({}, { type: 'recovery.routed', severity: classification.severity, next: routed }, Date.now(), []);
  const { metadata, userMessage } = classification;
  switch (next) {
    case 'retry':
      return {
        next,
        capability: capability ?? '',
        delayMs: delayMs ?? 0,
        attempt: attempt ?? 1,
      };
    case 'orchestrator':
      return {
        next,
        reason: metadata.replanningReason ?? userMessage,
        requiredContext: [...(metadata.requiredContext ?? [])],
      };
    case 'classifier':
      return { next, reason: userMessage };
    case 'abort':
      return { next, error };
    case 'exhausted':
      return { next: 'error', reason: `Retries exhausted after ${retryCount}: ${userMessage}` };
    default:
      return { next: 'error', reason: metadata.safetyAbortReason ?? userMessage };
  }
}

/**
 * Returns what is known when an error has come to the error step, with a default for whatever is missing. Its
 * `classification.metadata.technicalDetails` has the error's class and text, unless the application gave its own.
 *
 * @throws TypeError for a classifier that is async or no function.
 * @example
 * ```ts
 * createErrorContext({ currentTask: 'Find the paper', stepIndex: 2, errorInfo: { error, capabilityName: 'search' } });
 * ```
 */
export function createErrorContext(state: AgentState): ErrorContext {
  return contextOf(state);
}

/** `report`: receives what is wrong with a classifier, which is then ignored. */
function contextOf(state: AgentState, report?: Report): ErrorContext {
  const known: AgentState = state ?? {};
  const info: ErrorInfo = known.errorInfo ?? { error: undefined };
  const { error, classification } = read(info, string(known.currentTask), report);
  if (info.error !== undefined) {
    classification.metadata = { ...classification.metadata, technicalDetails: technicalDetailsOf(error) };
  }
  const facts = {
    currentTask: string(known.currentTask),
    retryCount: number(known.retryCount),
    stepIndex: number(known.stepIndex),
    steps: Object.values(known.stepResults ?? {}).map((step) => ({
      stepIndex: number(step?.stepIndex),
      capability: string(step?.capability),
      taskObjective: string(step?.taskObjective),
      success: step?.success === true,
    })),
    capabilityName: string(info.capabilityName),
    nodeName: string(info.nodeName),
    errorMessage: messageOf(info.error),
    executionTime: number(info.executionTime),
  };
  return { ...(core.recoveryContext(facts) as ErrorContext), classification };
}

/**
 * The report of an error, as Markdown: a heading with the time in UTC, the type, the task, the failed operation, the
 * message, the capability, the metadata as JSON, the execution's numbers. What is not known is left out.
 *
 * @param options `now`: milliseconds since the Unix epoch, default the wall clock. `locale`: default English.
 * @throws TypeError for a wrong option.
 */
export function renderReport(
  context: ErrorContext,
  options?: { now?: number | undefined; locale?: string | undefined },
): string {
  const { now, locale } = readOptions<{ now?: number; locale?: string }>(REPORT, options, 'renderReport');
  return core.recoveryReport(crossing(context), now ?? Date.now(), locale ?? 'en');
}

/**
 * The prompt that asks a model to explain the error to a person. What came from the error stands behind fences that
 * it cannot close, and is named as data: an error message cannot instruct the model.
 *
 * @param capabilities What the agent can do, so that the model can say what to try instead.
 */
export function buildExplanationPrompt(context: ErrorContext, capabilities?: string): string {
  return core.recoveryPrompt(crossing(context), capabilities);
}

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
    const [analysis, noAnalysis] = core.recoveryLabels(locale);
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
    const [, , userMessage = ''] = core.recoveryLabels('en');
    return {
      ...classify(error),
      severity: 'fatal',
      retryable: false,
      userMessage,
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

/** Receives what is wrong with a classifier. */
type Report = (thrown: unknown) => void;

/** The error with the application's word on it. */
function read(
  info: ErrorInfo,
  task: string | undefined,
  report?: Report,
): { error: AgentError; classification: Classification } {
  const context: ClassifyContext = { capability: capabilityOf(info), task };
  if (AgentError.is(info.error) && isSound(info.error)) {
    const { provider, model } = info.error.provider;
    Object.assign(context, { provider, model });
  }
  const { error, rule } = readFailure(info.error, context, ownWord(info, report));
  const { code, severity, retryable, metadata, provider, retryAfterMs } = error;
  const userMessage = info.classification?.userMessage ?? responseFor(error).message;
  const classification: Classification = { code, severity, retryable, userMessage, metadata, provider, rule };
  if (retryAfterMs !== undefined) classification.retryAfterMs = retryAfterMs;
  return { error, classification };
}

/** The classifier's word, and over it the application's on this very error. */
function ownWord(info: ErrorInfo, report: Report | undefined): Classifier | undefined {
  const { classification } = info;
  let { classify: classifier } = info;
  try {
    readOptions(OWN, { classify: classifier }, 'ErrorInfo');
  } catch (wrong) {
    if (report === undefined) throw wrong;
    report(wrong);
    classifier = undefined;
  }
  if (classifier === undefined) return classification && (() => classification);
  return (error, context) => {
    const said: Record<string, unknown> = {};
    try {
      const result: unknown = classifier(error, context);
      if (result instanceof Promise) result.catch(() => {});
      const usable = typeof result === 'object' && result !== null && !('then' in result);
      if (usable) Object.assign(said, result);
      else if (result !== undefined)
        report?.(new TypeError('halfopen: a classifier must return a classification or undefined'));
    } catch (thrown) {
      report?.(thrown);
    }
    for (const [name, value] of Object.entries(classification ?? {})) {
      if (value !== undefined) said[name] = value;
    }
    return said;
  };
}

/** Where a retry goes. */
function capabilityOf(info: ErrorInfo): string | undefined {
  return [info.capabilityName, info.nodeName].find((name) => string(name)?.trim());
}

/** What the error said, without secrets; `undefined` for nothing. */
function messageOf(error: unknown): string | undefined {
  try {
    const said =
      typeof error === 'object' && error !== null
        ? (error as { message?: unknown }).message
        : (error ?? undefined);
    return said === undefined ? undefined : textForLog(String(said));
  } catch {
    return undefined;
  }
}

/** The context as the core reads it: the facts of a report, without secrets. */
function crossing(context: ErrorContext): object {
  const { classification: cause } = context;
  const severity: ErrorSeverity = cause?.severity ?? severityOf(cause?.code ?? 'UNKNOWN');
  return {
    classification: {
      code: cause?.code ?? 'UNKNOWN',
      severity,
      userMessage: textForLog(cause?.userMessage ?? ''),
      metadata: valueForLog(cause?.metadata ?? {}),
    },
    errorMessage: textForLog(context.errorMessage),
    currentTask: textForLog(context.currentTask),
    failedOperation: textForLog(context.failedOperation),
    capabilityName: context.capabilityName === undefined ? undefined : textForLog(context.capabilityName),
    totalOperations: context.totalOperations,
    executionTime: context.executionTime,
    retryCount: context.retryCount,
    successfulSteps: context.successfulSteps.map((step) => textForLog(step)),
    failedSteps: context.failedSteps.map((step) => textForLog(step)),
  };
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
