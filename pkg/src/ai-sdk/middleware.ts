/** A middleware for the AI SDK's models: every call of them under a policy. */

import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { repairingShape } from '../repair/options.js';
import { answersShape } from '../response/answers.js';
import {
  type GuardModelOptions,
  type Named,
  namesOf,
  openStream,
  orAborted,
  readable,
  whole,
} from './guarded-model.js';
import type { ModelCall, StreamResult } from './parts.js';
import { continuedCall } from './steps.js';

/** The middleware for `wrapLanguageModel`, `wrapEmbeddingModel` and `wrapImageModel`. */
export interface GuardMiddleware {
  /** The version of the AI SDK's middleware interface; `wrapLanguageModel` and its like read it. */
  readonly specificationVersion: 'v3';
  /** A whole answer of a language model, or images. */
  wrapGenerate<P extends ModelCall, R>(options: {
    params: P;
    model: Named & { doGenerate(params: P): PromiseLike<R> };
  }): Promise<R>;
  /** A stream of a language model. */
  wrapStream<P extends ModelCall, R extends StreamResult>(options: {
    params: P;
    model: Named & { doStream(params: P): PromiseLike<R> };
  }): Promise<R>;
  /** Embeddings. */
  wrapEmbed<P extends ModelCall, R>(options: {
    params: P;
    model: Named & { doEmbed(params: P): PromiseLike<R> };
  }): Promise<R>;
}

/** The versions of the package `ai` that this folder works with. */
export const AI_VERSIONS = '5 || 6 || 7';

/** The options of guarded models, each with what it may be. */
export const modelShape: is.Shape = {
  onBreak: is.oneOf('fail', 'resume'),
  resumePrompt: is.filledText,
  firstChunkTimeoutMs: is.span,
  stallTimeoutMs: is.span,
  ...answersShape,
  ...repairingShape,
};

/**
 * Returns a middleware for `wrapLanguageModel`, `wrapEmbeddingModel` and `wrapImageModel` of AI SDK 6 and 7: every call of
 * the model runs under the policy. A stream's `error` part is a failure; nothing of a stream is delivered before its first
 * content, so that a retry repeats nothing; a stream that breaks off later errors, or goes on (`onBreak: 'resume'`).
 *
 * Set `maxRetries: 0` on the call. A failure that the policy gave up on is an AgentError, which the AI SDK does not retry in
 * any case. The policy's fallback does not apply: use `failoverModel`, or catch the error.
 *
 * @param options - Milliseconds to the first content (default: `attemptMs`) and between parts (default: 120000), and what follows
 * a stream that breaks off (default: `'fail'`).
 * @throws TypeError for a wrong option or something that is no policy. The calls reject with an AgentError.
 *
 * @example
 * ```ts
 * const guarded = wrapLanguageModel({ model, middleware: guardMiddleware(policy) });
 * const { text } = await generateText({ model: guarded, prompt, maxRetries: 0 });
 * ```
 */
export function guardMiddleware(policy: Policy<unknown>, options?: GuardModelOptions): GuardMiddleware {
  expectPolicy('policy', policy);
  const read = is.readOptions<GuardModelOptions>(modelShape, options, 'guardMiddleware');
  const { repair, answers } = read;
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ params, model }) =>
      orAborted(
        params,
        whole(policy, params, (given) => model.doGenerate(given), {
          ...namesOf(policy, model),
          repair,
          answers,
        }),
      ),
    async wrapStream({ params, model }) {
      const opened = openStream(policy, continuedCall(params), (given) => model.doStream(given), {
        ...namesOf(policy, model),
        ...read,
      });
      const { result, parts } = await orAborted(params, opened);
      return { ...result, stream: readable(params, parts) };
    },
    wrapEmbed: ({ params, model }) =>
      orAborted(
        params,
        whole(policy, params, (given) => model.doEmbed(given), { ...namesOf(policy, model), repair }),
      ),
  };
}

/** @throws TypeError for anything but a policy, one of another copy of this package too: their calls cannot be mixed. */
export function expectPolicy(name: string, policy: unknown): asserts policy is Policy<unknown> {
  if (!(policy instanceof Policy)) throw is.misuse(name, 'a Policy', policy);
}
