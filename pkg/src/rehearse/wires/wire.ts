/** Shared by the wires: the reader of requests, and an answer before a wire writes it. */
import type { Any, Rule } from '../rules/shared.js';

export type Provider = 'openai' | 'anthropic' | 'google';

/** A call of a tool by the model. `args` is JSON, or what was to be JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** A call in a conversation, with its result once it has one. */
export interface PastCall {
  readonly name: string;
  readonly args: string;
  readonly result: string | undefined;
}

/** A request, as far as the scripted model reads it. */
export interface Conversation {
  readonly tools: readonly string[];
  readonly calls: readonly PastCall[];
  /** The text of the last answer without calls, for questions that continue it. */
  readonly isContinued: boolean;
}

type Finish = 'stop' | 'tools' | 'length' | 'filter' | 'refusal';

/** What the model says, before it is written in a format. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: Finish;
}

/** An answer's fields beside its content. */
export interface Head {
  readonly id: string;
  readonly model: string;
  readonly request: Any;
  readonly tokensIn: number;
  /** Makes a signature of this provider for a content. */
  sign(content: string): string;
}

/** A server-sent event. */
export interface WireEvent {
  readonly event?: string;
  readonly data: unknown;
}

export interface ErrorBody {
  readonly status: number;
  readonly words: string;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** One format of one provider. */
export interface Wire {
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini';
  readonly provider: Provider;
  readonly path: RegExp;
  readonly rules: readonly Rule[];
  read(request: Any): Conversation;
  whole(answer: Answer, head: Head): unknown;
  events(answer: Answer, head: Head): WireEvent[];
  error(error: ErrorBody, id: string): unknown;
  /** An error within a stream that began with 200. */
  errorEvent(error: ErrorBody): WireEvent;
}

export const words = (text: string) => text.match(/\S+\s*/g) ?? [];

export const tokensOut = ({ text, calls }: Answer) =>
  words(text).length + calls.reduce((sum, { args }) => sum + 8 + Math.ceil(args.length / 4), 0);

/** The value of a text in JSON; undefined if it is none. */
export const parsed = (text: string): Any => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
