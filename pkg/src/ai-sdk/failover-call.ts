/** One call of a model that has several targets: the options for each, the reason for leaving one, and who has answered. */

import type { AgentError, AgentErrorCode } from '../error/agent-error.js';
import { observe } from '../event/events.js';
import { inTurn, ON, type SwitchOptions } from '../policy/failover.js';
import type { Policy } from '../policy/policy.js';
import { readableBy } from '../repair/problems.js';
import type { GuardModelOptions, Named } from './guarded-model.js';
import type { ModelCall, StreamPart } from './parts.js';

/** A model, and the policy that its calls run under. */
export interface ModelTarget<M> {
  /** A model of the AI SDK: an object, not an id. */
  model: M;
  /** Its policy, without a fallback of its own. */
  policy: Policy<never>;
  /**
   * Joined into the call's options when this target answers: `temperature`, `maxOutputTokens`, `providerOptions` and others,
   * as a model of the AI SDK gets them. They replace the call's; `undefined` leaves one out. `providerOptions` are joined by
   * provider, and `headers` by name. A function gets the call's options. Default: the call's options as they are.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the options of all versions of the AI SDK, which a function may name.
  options?: object | ((options: any) => object | undefined) | undefined;
}

/** The target that answered a call of `failoverModel`. */
export interface ModelAnswer {
  /** The name of the target's policy. */
  target: string;
  /** The id of the target's model. */
  model: string;
  /** The targets that were left before, in this call, and why. Empty if the first one has answered. */
  switched: readonly { from: string; code: AgentErrorCode }[];
}

/** When a failover of models goes on to another target, and who learns of it. */
export interface ModelSwitchOptions extends SwitchOptions {
  /**
   * Milliseconds that a target which answered instead of the first stays the first for later calls of this model, by the
   * first policy's clock: its prompt cache is warm. Whole answers and streams count together. Then the first is tried again if
   * its breaker lets it. 0: each call begins with the first. Default: 300000.
   */
  stayMs?: number | undefined;
  /** Called when a target has answered; of a stream, at its end. Its errors are ignored. Default: no function. */
  onAnswer?: ((answer: ModelAnswer) => void) | undefined;
}

const STAY_MS = 300_000;
/** The code of an error that the same conversation meets at the next target too. */
const TOO_LONG: AgentErrorCode = 'CONTEXT_LENGTH_EXCEEDED';

type Target = ModelTarget<Named>;

/** The order of targets: that of the application, except while one target stays the first. */
export class Order<T extends Target> {
  private readonly targets: readonly T[];
  private readonly stayMs: number;
  private staying: T | undefined = undefined;
  private until = 0;

  constructor(targets: readonly T[], stayMs = STAY_MS) {
    this.targets = targets;
    this.stayMs = stayMs;
  }

  /** The targets, with the one that stays in front. */
  present(): readonly T[] {
    const { staying } = this;
    if (staying === undefined || this.now() >= this.until) return this.targets;
    return [staying, ...this.targets.filter((target) => target !== staying)];
  }

  /** A target stays from the call on in which it took the place of another: its later answers do not prolong that. */
  answered(target: T): void {
    if (target === this.targets[0]) this.staying = undefined;
    else if (target !== this.staying || this.now() >= this.until) {
      this.staying = target;
      this.until = this.now() + this.stayMs;
    }
  }

  private now(): number {
    return (this.targets[0] as T).policy.host.time.now();
  }
}

/** One call. */
export class FailoverCall<T extends Target> {
  private params: ModelCall;
  private readonly order: Order<T>;
  private readonly options: ModelSwitchOptions & Pick<GuardModelOptions, 'repair'>;
  /** `true` if a conversation is sent, to which reasoning belongs. */
  private readonly isConversation: boolean;
  private readonly switched: { from: string; code: AgentErrorCode }[] = [];
  private readonly sent = new Map<T, ModelCall>();

  /** Prompts that were too long, and those that they were made of. */
  private readonly refused = new Set<unknown>();
  /** Of the present target: the prompt of its options, without foreign reasoning, and as it went out last, after repairs. */
  private prompts: { own: unknown; given: unknown; sent: unknown } | undefined = undefined;

  constructor(
    order: Order<T>,
    params: ModelCall,
    options: ModelSwitchOptions & Pick<GuardModelOptions, 'repair'>,
    isConversation: boolean,
  ) {
    this.order = order;
    this.params = params;
    this.options = options;
    this.isConversation = isConversation;
  }

  /** Calls the targets in turn. `begin` gets the options for the target. */
  async run<R>(
    begin: (target: T, params: ModelCall, call: Parameters<Parameters<typeof inTurn>[2]>[1]) => Promise<R>,
    targets: readonly T[] = this.order.present(),
  ): Promise<R> {
    const { maxWaitMs, retriesBeforeSwitch, on } = this.options;
    let answering: T | undefined;
    const answer = await inTurn(
      targets,
      {
        ...{ signal: this.params.abortSignal, on, maxWaitMs, retriesBeforeSwitch },
        helps: (target, after) => this.helps(target, after),
        left: (target, { code }) => this.left(target, code),
      },
      async (target, call) => {
        answering = target;
        const params = this.paramsFor(target);
        const given = promptOf(params);
        this.prompts = { own: promptOf(this.joinedFor(target)), given, sent: given };
        return begin(target, params, call);
      },
    );
    this.order.answered(answering as T);
    return answer;
  }

  /** Returns `true` if other targets are called after this error. */
  leads({ code }: AgentError): boolean {
    return (this.options.on ?? ON).includes(code);
  }

  /** Notes the request that goes out: a repair may have changed what the target was given. */
  sends(params: ModelCall): ModelCall {
    if (this.prompts !== undefined) this.prompts.sent = promptOf(params);
    return params;
  }

  /** A conversation that is too long is not sent on as it is, unless the application says so. */
  helps(target: T, { code }: AgentError): boolean {
    const isTooLong = code === TOO_LONG;
    if (this.prompts !== undefined) {
      if (isTooLong) this.refused.add(this.prompts.own).add(promptOf(this.params));
      this.takeShortened(this.prompts);
      this.prompts = undefined;
    }
    if (!isTooLong || this.options.on?.includes(TOO_LONG)) return true;
    return !this.refused.has(promptOf(this.joinedFor(target)));
  }

  /** A conversation that was shortened for one target is the one for those behind it. */
  private takeShortened({ given, sent }: { given: unknown; sent: unknown }): void {
    const { repair } = this.options;
    if (typeof repair !== 'object' || repair.shorten === undefined || sent === given) return;
    this.params = { ...this.params, prompt: sent } as ModelCall;
    this.sent.clear();
  }

  left({ policy }: T, code: AgentErrorCode): void {
    this.switched.push({ from: policy.name, code });
  }

  /** Reports the target that has answered in full. Returns the metadata of its answer. */
  answered({ policy, model }: T): { halfopen: ModelAnswer } {
    const answer = () => ({
      ...{ target: policy.name, model: String(model.modelId) },
      switched: this.switched.map((one) => ({ ...one })),
    });
    if (this.options.onAnswer !== undefined) observe(this.options.onAnswer, answer());
    return { halfopen: answer() };
  }

  private paramsFor(target: T): ModelCall {
    const params = this.joinedFor(target);
    const { provider, modelId } = target.model;
    return this.isConversation ? readableBy(params, `${provider}/${modelId}`) : params;
  }

  private joinedFor(target: T): ModelCall {
    let params = this.sent.get(target);
    if (params === undefined) {
      params = joined(this.params, target.options);
      this.sent.set(target, params);
    }
    return params;
  }
}

function promptOf(params: ModelCall): unknown {
  return (params as { prompt?: unknown }).prompt;
}

type Groups = Record<string, object | undefined>;

/** The options of the call with those of the target. The signal is the call's: by it the policy aborts an attempt. */
function joined(params: ModelCall, given: Target['options']): ModelCall {
  const own: object | undefined = typeof given === 'function' ? given({ ...params }) : given;
  if (own === undefined) return params;
  const { providerOptions: groups, headers: names } = params as {
    providerOptions?: Groups;
    headers?: object;
  };
  const { providerOptions, headers } = own as { providerOptions?: Groups; headers?: object };
  return {
    ...params,
    ...own,
    ...(providerOptions !== undefined && { providerOptions: byProvider(groups, providerOptions) }),
    ...(headers !== undefined && { headers: { ...names, ...headers } }),
    abortSignal: params.abortSignal,
  };
}

function byProvider(groups: Groups = {}, own: Groups): Groups {
  const both = Object.entries(own).map(([provider, options]) => [
    provider,
    { ...groups[provider], ...options },
  ]);
  return { ...groups, ...Object.fromEntries(both) };
}

interface Answer {
  readonly response?: { readonly modelId?: unknown };
  readonly providerMetadata?: object;
}

/** A whole answer that says who gave it. Embeddings have no place for a model's id. */
export function signed<R>(answer: R, model: Named, isConversation: boolean, metadata: object): R {
  const { response, providerMetadata } = answer as Answer;
  return {
    ...answer,
    ...(isConversation && { response: { ...response, modelId: response?.modelId ?? model.modelId } }),
    providerMetadata: { ...providerMetadata, ...metadata },
  };
}

/** The first parts of a stream that one target sends: they name its model. */
export function begun(parts: readonly StreamPart[], { modelId }: Named): readonly StreamPart[] {
  if (parts.some(({ type }) => type === 'response-metadata')) return parts;
  const start = parts[0]?.type === 'stream-start' ? 1 : 0;
  return [...parts.slice(0, start), { type: 'response-metadata', modelId }, ...parts.slice(start)];
}
