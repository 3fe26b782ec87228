// Shared parts of the policy tests: errors, signals that count their listeners, clocks that count their timers.
import assert from 'node:assert/strict';
import {
  AgentError,
  type AgentErrorCode,
  type Clock,
  createPolicy,
  type Policy,
  type PolicyOptions,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

/** An error that is retried. */
export const retryable = (message = 'boom'): AgentError => new AgentError('SERVER_ERROR', message);
/** An error that is not. */
export const fatal = (message = 'no'): AgentError => new AgentError('AUTHENTICATION_ERROR', message);

/** A policy on a virtual clock, without jitter. */
export function onVirtualClock<F = never>(
  options: PolicyOptions<F> = {},
): { clock: VirtualClock; policy: Policy<F> } {
  const clock = new VirtualClock();
  const { retry } = options;
  const policy = createPolicy<F>({
    clock,
    ...options,
    retry: retry === false ? false : { enableJitter: false, ...retry },
  });
  return { clock, policy };
}

/** Returns the promise's rejection; fails the test if it does not reject, or not with an AgentError. */
export async function rejection(promise: Promise<unknown>): Promise<AgentError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(AgentError.is(error), `expected an AgentError, got ${String(error)}`);
    return error;
  }
  assert.fail('expected a rejection');
}

export async function rejectsWith(promise: Promise<unknown>, code: AgentErrorCode): Promise<AgentError> {
  const error = await rejection(promise);
  assert.equal(error.code, code);
  return error;
}

/** Returns `true` if a promise is still open after everything else has settled. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settled = (): void => {
    pending = false;
  };
  promise.then(settled, settled);
  await new Promise((resolve) => setImmediate(resolve));
  return pending;
}

/** A signal that counts its listeners. */
export function countingSignal(): { controller: AbortController; signal: AbortSignal; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
    count++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
    count--;
    remove(...args);
  };
  return { controller, signal, listeners: () => count };
}

/** A virtual clock that counts what was set and what was cleared or fired. */
export class CountingClock extends VirtualClock implements Clock {
  set = 0;
  override setTimeout(callback: () => void, ms: number): unknown {
    this.set++;
    return super.setTimeout(callback, ms);
  }
}

/** An operation that never ends and does not listen to its signal. */
export const deaf = (): Promise<never> => new Promise(() => {});
