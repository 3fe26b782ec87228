// The contract of `halfopen/ai-sdk`.
import type { AgentErrorCode, Policy } from 'halfopen';
import type { Run } from 'halfopen/run';
/** A language-model middleware for `wrapLanguageModel` of AI SDK 6 and 7: every doGenerate and doStream under the policy, in-band errors included. Set `maxRetries: 0` on the call. */
export function guardMiddleware(policy: Policy<unknown>): object;
/** Models in turn, as one model: the next when the former's policy gives up, its breaker is open or its wait is too long. */
export function failoverModel<M>(
  targets: readonly {
    model: M;
    policy: Policy<never>;
    /** Joined into the call's options when this target answers: temperature, maxOutputTokens, providerOptions. A function gets the options. */
    options?: object | ((options: object) => object);
  }[],
  options?: {
    maxWaitMs?: number; // 2000: a longer hint switches
    /** Codes that lead to the next target; default as failover's. */
    on?: readonly AgentErrorCode[];
    /** How long the target that answered stays the first for later calls of this model. 0: each call begins with the first. */
    stayMs?: number; // 300000
    /** Called when a target has answered. */
    onAnswer?: (answer: {
      target: string;
      model: string;
      switched: readonly { from: string; code: AgentErrorCode }[];
    }) => void;
  },
): M;
/** Around a call of streamText or generateText: recovers also what a middleware cannot (the call's own timeout, a stream that breaks). */
export function guardCall<R>(policy: Policy<unknown>, call: (context: { signal: AbortSignal }) => R, options?: { onBreak?: 'fail' | 'restart' | 'resume' }): R;   // 'fail'; a streamText result's streams and promises are the final attempt's
/** For generateText, streamText and agents: spread into the call. `tools` are wrapped; stopWhen, prepareStep and onStepFinish are joined with those given. `escalateTo`: the model of the step after 'escalate'. */
export function runSettings<S extends object>(run: Run, settings: S, options?: { escalateTo?: unknown }): S;
