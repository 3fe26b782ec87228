/**
 * The steps of a call that begins again. A call with three steps whose third breaks off has run the tools of two:
 *
 * 1. `streamText` is called again, and calls its model with the prompt of the first step.
 * 2. The guarded model appends the messages that the finished steps have added: the assistant's calls and the tools' results.
 * 3. So the model is called for the third step, and no tool runs a second time. The steps before are kept from the first attempt.
 *
 * As AI SDK 7's `streamRetries` does: a tool's call is passed on when its step has ended, so that a step that breaks has run none.
 */

import type { ModelCall, StreamPart } from './parts.js';

/** A guarded model finds the call that it is in by the signal of the attempt, which the AI SDK passes on as it is. */
const running = /* @__PURE__ */ new WeakMap<AbortSignal, Steps>();

/** The steps of the call that a model is called in, if that begins again after a break. */
export function stepsAround({ abortSignal }: ModelCall): Steps | undefined {
  return abortSignal === undefined ? undefined : running.get(abortSignal);
}

/** A call of a model for its step, with the messages of the steps before it that are kept. */
export function continuedCall<P extends ModelCall>(params: P): P {
  return stepsAround(params)?.continued(params) ?? params;
}

/** A signal that follows the attempt's, for a model that gets that one instead. */
export function inSameCall(signal: AbortSignal, { abortSignal }: ModelCall): void {
  const steps = abortSignal === undefined ? undefined : running.get(abortSignal);
  if (steps !== undefined) running.set(signal, steps);
}

/** The finished steps of one call, over its attempts. */
export class Steps {
  /** The parts of the steps that have finished, as `fullStream` has them. */
  private readonly finished: StreamPart[] = [];
  /** Those of them that the present attempt does not repeat. */
  kept: readonly StreamPart[] = [];
  private current: StreamPart[] = [];
  /** Tools of the application have run: in a finished step, or in one that broke behind them. */
  private hasRunTools = false;
  /** The messages that the finished steps have added to the prompt. */
  added: readonly unknown[] = [];
  /** How long the prompt of the attempt's first step is. */
  private first: number | undefined;
  /** The last prompt that the model was sent. */
  private sent: readonly unknown[] | undefined;
  private isFollowed = false;

  /** Returns false if another attempt would run the tools of finished steps again: no guarded model is in the call. */
  attemptBegins(signal: AbortSignal): boolean {
    if (this.sent !== undefined) this.added = this.sent.slice(this.first);
    this.first = undefined;
    this.sent = undefined;
    this.current = [];
    running.set(signal, this);
    const continues = this.isFollowed && this.added.length > 0;
    if (!continues) this.finished.length = 0;
    this.kept = [...this.finished];
    return continues || !this.hasRunTools;
  }

  /** The call of the model for its step: the messages of the steps that are kept follow the first prompt. */
  continued<P extends ModelCall>(params: P): P {
    const { prompt } = params as { prompt?: unknown };
    if (!Array.isArray(prompt)) return params;
    this.isFollowed = true;
    this.first ??= prompt.length;
    this.sent = [...prompt.slice(0, this.first), ...this.added, ...prompt.slice(this.first)];
    return { ...params, prompt: this.sent };
  }

  /** Takes the next part of the call's stream. */
  take(part: StreamPart): void {
    const { type } = part;
    if (type === 'finish') return;
    this.hasRunTools ||= isOfOwnTool(part);
    // The stream begins once.
    if (type === 'start' && this.finished.length > 0) return;
    this.current.push(part);
    if (type !== 'finish-step') return;
    this.finished.push(...this.current);
    this.current = [];
  }
}

/** Returns `true` if a part of `fullStream` is the result, or the failure, of a tool of the application. */
export function isOfOwnTool({ type, providerExecuted }: StreamPart): boolean {
  return /^tool-(result|error)$/.test(type) && providerExecuted !== true;
}

/** The results of finished steps, as the AI SDK has them, from the parts of its stream. */
export function resultsOf(parts: readonly StreamPart[]): object[] {
  const results: object[] = [];
  let content: StreamPart[] = [];
  let begun: StreamPart | undefined;
  for (const part of parts) {
    if (part.type === 'start-step') {
      content = [];
      begun = part;
    } else if (part.type === 'finish-step') {
      const { type: _end, ...end } = part;
      const { type: _begin, ...begin } = begun ?? { type: '' };
      results.push({ ...begin, ...end, ...contentsOf(content) });
    } else content.push(part);
  }
  return results;
}

/** The content of one step, in order, and by its kinds. */
function contentsOf(parts: readonly StreamPart[]): object {
  const content: StreamPart[] = [];
  for (const part of parts) {
    const [kind = '', what] = part.type.split('-');
    if (kind === 'text' || kind === 'reasoning') {
      const before = content.at(-1);
      if (what === 'start') content.push({ type: kind, text: '' });
      else if (what === 'delta' && before?.type === kind)
        content[content.length - 1] = { ...before, text: `${before.text}${part.text}` };
    } else if (/^(tool-(call|result|error|approval-request)|file|source)$/.test(part.type))
      content.push(part);
  }
  const of = (type: string) => content.filter((part) => part.type === type);
  const text = (type: string) =>
    of(type)
      .map((part) => part.text)
      .join('');
  return {
    content,
    text: text('text'),
    reasoning: of('reasoning'),
    reasoningText: text('reasoning') || undefined,
    files: of('file'),
    sources: of('source'),
    toolCalls: of('tool-call'),
    toolResults: of('tool-result'),
  };
}

/** Adds counts of tokens, field by field. */
export function sumOf(before: unknown, after: unknown): unknown {
  if (typeof before === 'number' && typeof after === 'number') return before + after;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return after ?? before;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      sumOf((before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name]),
    ]),
  );
}
