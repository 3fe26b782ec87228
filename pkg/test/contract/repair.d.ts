// The contract of `halfopen/repair`: what a remedy changes in a request, and what is wrong with a conversation before it is sent.
import type { Remedy } from 'halfopen';

export type RequestFormat = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google' | 'ai-sdk';
export function applyRemedy<R extends object>(
  request: R,
  remedy: Remedy,
  options?: {
    format?: RequestFormat | undefined;
    shorten?: ((request: R, need: { limit?: number | undefined; sent?: number | undefined }) => R) | undefined;
  },
): { request: R; changes: readonly string[] } | undefined;
export function findProblems(
  request: object,
  options?: { format?: RequestFormat | undefined; model?: string | undefined },
): readonly { remedy: Remedy; at: string; problem: string }[];
export function feedbackFor(error: unknown, options?: { locale?: string | undefined }): string | undefined;
export function repairConversation<R extends object>(
  request: R,
  options?: { format?: RequestFormat | undefined; model?: string | undefined },
): { request: R; changes: readonly string[] };
