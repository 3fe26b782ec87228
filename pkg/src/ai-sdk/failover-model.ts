/** Several models as one: the next answers where the one before gave up, or would wait too long. */

import { isControlFlow } from '../control-flow.js';
import type { AgentError } from '../error/agent-error.js';
import { unfit } from '../hosts.js';
import * as is from '../options.js';
import { emitSwitch, expectTargets, switchShape } from '../policy/failover.js';
import {
  begun,
  FailoverCall,
  type ModelSwitchOptions,
  type ModelTarget,
  Order,
  signed,
} from './failover-call.js';
import {
  type GuardModelOptions,
  type Named,
  namesOf,
  type OpenStream,
  openStream,
  orAborted,
  readable,
  whole,
} from './guarded-model.js';
import { AI_VERSIONS, modelShape } from './middleware.js';
import type { ModelCall, StreamPart, StreamResult } from './parts.js';
import { continuedCall } from './steps.js';

/** Options of `failoverModel`. */
export interface FailoverModelOptions extends GuardModelOptions, ModelSwitchOptions {}

const shape: is.Shape = {
  ...modelShape,
  ...switchShape,
  stayMs: is.bound,
  onAnswer: is.callback,
};

/** A model of the AI SDK, as far as a failover uses it. */
interface Model extends Named {
  readonly specificationVersion?: unknown;
  readonly supportedUrls?: UrlPatterns | PromiseLike<UrlPatterns>;
  readonly maxEmbeddingsPerCall?: Bound | PromiseLike<Bound>;
  readonly supportsParallelCalls?: boolean | PromiseLike<boolean>;
  doGenerate?(params: ModelCall): PromiseLike<unknown>;
  doStream?(params: ModelCall): PromiseLike<StreamResult>;
  doEmbed?(params: ModelCall): PromiseLike<unknown>;
}

type Bound = number | undefined;
type UrlPatterns = Record<string, RegExp[]>;

/**
 * Several models as one: the next is called when the policy of the one before gives up or its breaker is open, when it would
 * wait for more than `maxWaitMs` (2000 milliseconds), after `retriesBeforeSwitch` (1) retries, and after a timeout. Which
 * failures lead to the next model: those of `failover` (`on`); but a conversation that is too long is not sent on as it is. The
 * target that answered stays the first for later calls (`stayMs`). Reasoning that only another provider's models can read is left
 * out, and the answer says who gave it: `response.modelId`, `providerMetadata.halfopen`. A stream fails over until its first
 * content; after that `onBreak` says what follows: with `resume` the same model is tried once more by the same rule, and then the
 * next one goes on after what was delivered.
 *
 * Give it to `generateText`, `streamText` and agents with `maxRetries: 0`; embedding models can be joined too, if they are
 * the same one by several providers.
 *
 * @throws TypeError for no targets, a model that is an id, models of several versions of the specification, a policy with a
 * fallback of its own, or a wrong option. The calls reject with the last model's AgentError, the errors of all in `errors`.
 *
 * @example
 * ```ts
 * const model = failoverModel([
 *   { model: openai('gpt-5'), policy: openaiPolicy },
 *   { model: anthropic('claude-opus-4-6'), policy: claudePolicy, options: { maxOutputTokens: 8192 } },
 * ]);
 * const { text } = await generateText({ model, prompt, maxRetries: 0 });
 * ```
 */
export function failoverModel<M>(targets: readonly ModelTarget<M>[], options?: FailoverModelOptions): M {
  expectTargets(targets, 'failoverModel');
  const own = (targets as readonly ModelTarget<unknown>[]).map(checkedTarget);
  const read = is.readOptions<FailoverModelOptions>(shape, options, 'failoverModel');
  return modelOf(own, read) as M;
}

type Target = ModelTarget<Model>;

function checkedTarget(
  { model, policy, options }: ModelTarget<unknown>,
  index: number,
  all: readonly ModelTarget<unknown>[],
): Target {
  if (typeof model !== 'object' || model === null) {
    const object = 'a model object, such as openai(id) makes: an id names no provider to guard';
    throw is.misuse(`targets[${index}].model`, object, model);
  }
  const version = (model as Model).specificationVersion;
  if (version === 'v1')
    throw unfit('halfopen/ai-sdk', 'ai', AI_VERSIONS, "with models of specification 'v1'");
  const first = (all[0]?.model as Model | undefined)?.specificationVersion;
  if (version !== first) {
    throw new TypeError(
      `halfopen: targets[${index}].model has specification version '${version}', and targets[0].model '${first}': use providers of one version of the AI SDK`,
    );
  }
  if (options !== undefined && typeof options !== 'function' && !is.isObject(options)) {
    throw is.misuse(`targets[${index}].options`, 'an object, or a function of the options', options);
  }
  return { model: model as Model, policy, options };
}

function modelOf(targets: readonly Target[], options: FailoverModelOptions): Model {
  const [first] = targets as readonly [Target];
  const models = targets.map(({ model }) => model);
  const all = (method: 'doGenerate' | 'doStream' | 'doEmbed') =>
    models.every((model) => typeof model[method] === 'function');

  const order = new Order(targets, options.stayMs);
  const inFull = (method: 'doGenerate' | 'doEmbed') => (params: ModelCall) => {
    const isConversation = method === 'doGenerate';
    const call = new FailoverCall(order, params, options, isConversation);
    const answer = call.run(async (target, sent, bounds) => {
      const { model, policy } = target;
      const answer = await whole(
        policy,
        sent,
        (given) => (model[method] as (params: ModelCall) => PromiseLike<unknown>)(call.sends(given)),
        { ...namesOf(policy, model), ...bounds, repair: options.repair, answers: options.answers },
      );
      return signed(answer, model, isConversation, call.answered(target));
    });
    return orAborted(params, answer);
  };

  const { specificationVersion, provider, modelId } = first.model;
  return {
    specificationVersion,
    provider,
    modelId,
    ...(models.some((model) => model.supportedUrls !== undefined) && {
      get supportedUrls() {
        return commonUrls(models);
      },
    }),
    ...(all('doGenerate') && { doGenerate: inFull('doGenerate') }),
    ...(all('doStream') && {
      doStream: (params: ModelCall) => new Streams(order, params, options).open(),
    }),
    ...(all('doEmbed') && {
      doEmbed: inFull('doEmbed'),
      get maxEmbeddingsPerCall() {
        return least(models);
      },
      get supportsParallelCalls() {
        return Promise.all(models.map((model) => model.supportsParallelCalls)).then((each) =>
          each.every(Boolean),
        );
      },
    }),
  };
}

/** One stream over the targets. */
class Streams {
  private readonly delivered: StreamPart[] = [];
  private readonly call: FailoverCall<Target>;
  private targets: readonly Target[];
  private current: Target;
  /** `true` until something from the current target has been delivered. */
  private isFirst = true;
  private readonly params: ModelCall;
  private readonly options: GuardModelOptions;

  constructor(order: Order<Target>, params: ModelCall, options: FailoverModelOptions) {
    const { on: _, maxWaitMs: _1, retriesBeforeSwitch: _2, stayMs: _3, onAnswer: _4, ...own } = options;
    // Once for all targets: a conversation that was shortened for one has these messages already.
    this.call = new FailoverCall(order, continuedCall(params), options, true);
    this.targets = order.present();
    this.current = this.targets[0] as Target;
    this.params = params;
    this.options = own;
  }

  async open(): Promise<StreamResult> {
    const { result, parts } = await orAborted(this.params, this.begin());
    return { ...result, stream: readable(this.params, this.all(parts)) };
  }

  private begin(): Promise<OpenStream<StreamResult>> {
    this.isFirst = true;
    const begin = (target: Target, sent: ModelCall, bounds: object) => {
      this.current = target;
      return openStream(
        target.policy,
        sent,
        (params) => {
          // A request that goes on after delivered words has them at its end.
          if (this.delivered.length === 0) this.call.sends(params);
          return (target.model.doStream as (params: ModelCall) => PromiseLike<StreamResult>)(params);
        },
        { ...namesOf(target.policy, target.model), ...bounds, ...this.options, repair: this.options.repair },
        [...this.delivered],
      );
    };
    return this.call.run(begin, this.targets);
  }

  /** The parts of the target that answers, and of those that go on where it breaks off. */
  private all(opened: AsyncIterator<readonly StreamPart[]>): AsyncIterator<readonly StreamPart[]> {
    let parts = opened;
    let isOver = false;
    return {
      next: async () => {
        for (;;) {
          try {
            const read = await parts.next();
            if (read.done === true) return read;
            if (this.options.onBreak === 'resume') this.delivered.push(...read.value);
            return { value: this.signed(read.value) };
          } catch (error) {
            if (isControlFlow(error)) throw error;
            parts = (await this.next(error as AgentError)).parts;
            // Its reader has gone meanwhile.
            if (isOver) return closed(parts);
          }
        }
      },
      return: () => {
        isOver = true;
        return closed(parts);
      },
    };
  }

  /** The parts, which say who sent them. */
  private signed(parts: readonly StreamPart[]): readonly StreamPart[] {
    const { model } = this.current;
    const named = this.isFirst ? begun(parts, model) : parts;
    this.isFirst = false;
    return named.map((part) => {
      if (part.type === 'response-metadata') return { ...part, modelId: part.modelId ?? model.modelId };
      if (part.type !== 'finish') return part;
      return { ...part, providerMetadata: { ...part.providerMetadata, ...this.call.answered(this.current) } };
    });
  }

  private async next(error: AgentError): Promise<OpenStream<StreamResult>> {
    const from = this.current;
    const rest = this.targets.slice(this.targets.indexOf(from) + 1);
    this.targets = rest.filter((target) => this.call.helps(target, error));
    const [to] = this.targets;
    if (this.options.onBreak !== 'resume' || to === undefined || !this.call.leads(error)) throw error;
    emitSwitch(from, to, error.code);
    this.call.left(from, error.code);
    return this.begin();
  }
}

async function closed<T>(parts: AsyncIterator<T>): Promise<IteratorResult<T>> {
  return (await parts.return?.()) ?? { done: true, value: undefined };
}

/** The URLs that every model reads by itself. The AI SDK downloads the others for them. */
async function commonUrls(models: readonly Model[]): Promise<UrlPatterns> {
  const [first = {}, ...others] = await Promise.all(models.map((model) => model.supportedUrls ?? {}));
  const common = Object.entries(first).map(([type, patterns]): [string, RegExp[]] => [
    type,
    patterns.filter((pattern) =>
      others.every((urls) => urls[type]?.some((other) => String(other) === String(pattern))),
    ),
  ]);
  return Object.fromEntries(common.filter(([, patterns]) => patterns.length > 0));
}

async function least(models: readonly Model[]): Promise<Bound> {
  const bounds = await Promise.all(models.map((model) => model.maxEmbeddingsPerCall));
  const known = bounds.filter((bound) => bound !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
