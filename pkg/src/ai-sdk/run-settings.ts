/** A run of an agent in the loop of the AI SDK: its advice before each step, and around each tool. */

import * as ai from 'ai';
import { joinedSignal } from '../call/joined-signal.js';
import * as is from '../options.js';
import {
  answered,
  expectRun,
  payer,
  pulledWithin,
  refusalOf,
  reported,
  Said,
  stepOf,
} from '../run/around.js';
import type { Run, StepAdvice } from '../run/types.js';
import type { ModelCall, StreamPart, StreamResult } from './parts.js';
import { inSameCall } from './steps.js';

/** Options of {@link runSettings}. */
export interface RunSettingsOptions {
  /** The model of the step after 'escalate': a model object, or an id. Default: the call's own. */
  escalateTo?: unknown;
}

type Advice = Exclude<StepAdvice, { do: 'stop' }>;
type Message = object;

/** The part of the settings that this file reads. */
interface Settings {
  tools?: Record<string, Tool>;
  stopWhen?: StopCondition | readonly StopCondition[];
  prepareStep?: (step: Step) => unknown;
  onStepFinish?: OnStep;
  /** Version 7: it goes before `onStepFinish`. */
  onStepEnd?: OnStep;
}

interface Tool {
  execute?: (input: unknown, options: { toolCallId?: string; abortSignal?: AbortSignal }) => unknown;
}

interface Step {
  model: unknown;
  messages: readonly Message[];
  /** Only version 7 has it. There, a step's messages are also those of the steps after it. */
  initialMessages?: unknown;
}

interface Prepared {
  model?: unknown;
  messages?: readonly Message[];
  [setting: string]: unknown;
}

type StopCondition = (state: object) => boolean | PromiseLike<boolean>;
type OnStep = (step: { text?: unknown; toolCalls?: readonly unknown[] }) => unknown;

/**
 * Returns the settings of a call or an agent of the AI SDK with the run in its loop: for `generateText`, `streamText` and
 * `ToolLoopAgent`. It advises before each step and each tool: it steers by a message of the user, refuses a tool by a
 * tool error, concludes with `toolChoice: 'none'`, and stops by `stopWhen`; then the call resolves, and `run.end` says why.
 * A step that is cut off by the end of the run's time rejects with the end's error.
 *
 * The model's calls and the tools run within the run (`run.within`): their usage counts, under a policy or not.
 * Without a `stopWhen` of yours only the run ends the loop, so give it `limits.steps`. This does not end the run: call
 * `run.finish()`.
 *
 * @param settings - Those of the call: `tools`, `stopWhen`, `prepareStep` and `onStepFinish` are joined with the run's.
 * @throws TypeError for anything but a run, settings and right options.
 *
 * @example
 * ```ts
 * const run = createRun({ limits: { steps: 20 } });
 * const { text } = await generateText(runSettings(run, { model, tools, prompt }));
 * const answer = run.end?.kind === 'stopped' ? run.end.error.userMessage() : text;
 * ```
 */
export function runSettings<S extends object>(run: Run, settings: S, options?: RunSettingsOptions): S {
  expectRun(run);
  if (typeof settings !== 'object' || settings === null)
    throw is.misuse('settings', 'the settings of a call of the AI SDK', settings);
  const { escalateTo } = is.readOptions<RunSettingsOptions>(
    { escalateTo: is.kind('a model, or its id', isModel) },
    options,
    'runSettings',
  );
  const { tools, stopWhen = [], prepareStep, onStepEnd, onStepFinish } = settings as Settings;
  const conditions = typeof stopWhen === 'function' ? [stopWhen] : stopWhen;
  const said = new Said<Message>();
  /** The advice for a step that `stopWhen` has let begin. */
  let next: Advice | undefined;
  const onStep: OnStep = (step) => {
    const { text, toolCalls = [] } = step;
    if (typeof text === 'string' && toolCalls.length === 0) run.text(text);
    return (onStepEnd ?? onStepFinish)?.(step);
  };
  const joined: Settings = {
    ...(tools !== undefined && {
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, tool]) => [name, guarded(run, name, tool)]),
      ),
    }),
    stopWhen: async (state) => {
      if ((await Promise.all(conditions.map((condition) => condition(state)))).some(Boolean)) return true;
      const advice = run.step();
      if (advice.do === 'stop') return true;
      next = advice;
      return false;
    },
    async prepareStep(step) {
      const advice = next ?? stepOf(run);
      next = undefined;
      const messages = step.initialMessages === undefined ? said.within(step.messages) : step.messages;
      const own = (await prepareStep?.({ ...step, messages })) as Prepared | undefined;
      const model = advice.do === 'escalate' ? (escalateTo ?? own?.model) : own?.model;
      const prepared: Prepared = { ...own, model: within(run, resolved(model ?? step.model), advice) };
      if (advice.do === 'conclude') prepared.toolChoice = 'none';
      if (advice.do === 'steer' || advice.do === 'conclude') {
        prepared.messages = [
          ...(own?.messages ?? messages),
          said.add(step.messages, { role: 'user', content: advice.say }),
        ];
      } else if (messages !== step.messages) prepared.messages = own?.messages ?? messages;
      return prepared;
    },
    ...(onStepEnd === undefined ? { onStepFinish: onStep } : { onStepEnd: onStep }),
  };
  return { ...settings, ...joined };
}

const isModel = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;

/** A refusal, as an error of the tool, because an output would have to be of the tool's own type. The model reads its text. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

function guarded(run: Run, name: string, tool: Tool): Tool {
  const { execute } = tool;
  if (typeof execute !== 'function') return tool; // The provider or the browser runs it.
  return {
    ...tool,
    execute(input, options) {
      const call = { id: options?.toolCallId, name, arguments: input };
      const refusal = refusalOf(run, call);
      if (refusal !== undefined) throw new RefusedError(refusal);
      let returned: unknown;
      const running = run.within(() => {
        returned = execute.call(tool, input, stoppable(run, options));
        return returned;
      });
      if (!isIterable(returned)) return reported(run, call, running);
      running.catch(() => {}); // Its reader gets the run's end too.
      return reportedLast(run, call, returned);
    },
  };
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === 'function';
}

/** The results of a tool that yields some before its last. */
async function* reportedLast(
  run: Run,
  call: { id: string | undefined; name: string; arguments: unknown },
  results: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  let last: unknown;
  try {
    for await (const value of pulledWithin(run, results)) {
      last = value;
      yield value;
    }
  } catch (error) {
    await reported(run, call, Promise.reject(error));
  }
  run.toolResult(call, { result: last });
}

/** The same options, aborted by the run too. */
function stoppable<O extends { abortSignal?: AbortSignal | undefined }>(run: Run, options: O): O {
  return { ...options, abortSignal: joinedSignal(options?.abortSignal, run.signal) };
}

/** The same for a model's, which finds the call that it is in by its signal. */
function stoppableCall(run: Run, params: ModelCall): ModelCall {
  const call = stoppable(run, params);
  inSameCall(call.abortSignal as AbortSignal, params);
  return call;
}

interface Model {
  doGenerate(params: ModelCall): PromiseLike<unknown>;
  doStream(params: ModelCall): PromiseLike<StreamResult>;
}

/** A model by its id, as the AI SDK resolves it. */
function resolved(model: unknown): Model {
  if (typeof model !== 'string') return model as Model;
  const { AI_SDK_DEFAULT_PROVIDER: provider = ai.gateway } = globalThis as {
    AI_SDK_DEFAULT_PROVIDER?: { languageModel(id: string): unknown };
  };
  return provider.languageModel(model) as Model;
}

/** The model, called within the run. */
function within(run: Run, model: Model, advice: Advice): Model {
  const own: Partial<Record<string | symbol, unknown>> = {
    async doGenerate(params: ModelCall) {
      const answer = (await answered(run, () => model.doGenerate(stoppableCall(run, params)))) as {
        content: StreamPart[];
      };
      if (advice.do !== 'conclude') return answer;
      const last = new LastAnswer(run);
      const content = answer.content.filter((part) => last.keeps(part));
      last.ends();
      return { ...answer, content };
    },
    async doStream(params: ModelCall) {
      const pay = payer(run);
      const result = await run.within(() => model.doStream(stoppableCall(run, params)));
      const last = advice.do === 'conclude' ? new LastAnswer(run) : undefined;
      return { ...result, stream: paid(result.stream, pay, last) };
    },
  };
  return new Proxy(model, {
    get: (target, name) => {
      const value = own[name] ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The answer after 'conclude'. If the model calls tools all the same, the run ends: the AI SDK would throw an error of its own. */
class LastAnswer {
  private calls: StreamPart[] = [];

  constructor(private readonly run: Run) {}

  keeps(part: StreamPart): boolean {
    const isCall = /^tool-(call|input)/.test(part.type) && part.providerExecuted !== true;
    if (isCall && part.type === 'tool-call') this.calls.push(part);
    return !isCall;
  }

  ends(): void {
    for (const { toolCallId, toolName, input } of this.calls)
      this.run.toolCall({ id: String(toolCallId), name: String(toolName), arguments: input });
    if (this.calls.length > 0) this.run.step();
  }
}

/** The same stream. At its end a policy around the model has reported its usage. */
function paid(
  stream: ReadableStream<unknown>,
  pay: (answer: unknown) => void,
  last: LastAnswer | undefined,
): ReadableStream<unknown> {
  const reader = stream.getReader();
  let finish: unknown;
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            pay(finish);
            last?.ends();
            return controller.close();
          }
          const part = value as StreamPart;
          if (part.type === 'finish') finish = part;
          if (last?.keeps(part) === false) continue;
          return controller.enqueue(part);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
