// Events in plain words: one sentence for each type that a reader of a terminal wants to know of.

import type { HalfopenEvent, Policy } from 'halfopen';

type Sentences = { [T in HalfopenEvent['type']]?: (event: Extract<HalfopenEvent, { type: T }>) => string };

const ms = (value: number) => `${Math.round(value)} ms`;

const SENTENCES: Sentences = {
  'call.started': (event) => `begins "${event.task ?? 'a call'}"`,
  'attempt.started': (event) =>
    event.probe ? `attempt ${event.attempt}, as the breaker's one probe` : `attempt ${event.attempt}`,
  'attempt.succeeded': (event) => `attempt ${event.attempt} is answered after ${ms(event.durationMs)}`,
  'attempt.failed': (event) =>
    `attempt ${event.attempt} fails after ${ms(event.durationMs)}: ${event.code}, by rule ${event.rule}`,
  'retry.scheduled': (event) =>
    event.delaySource === 'retry-after'
      ? `waits the ${ms(event.delayMs)} that the provider asked for`
      : `waits ${ms(event.delayMs)} (backoff, between ${ms(event.minMs)} and ${ms(event.maxMs)})`,
  'call.failed': (event) => `gives up (${event.why}): ${event.code}. "${event.userMessage}"`,
  'call.rejected': (event) =>
    event.retryAfterMs === undefined
      ? `is refused by the ${event.by}`
      : `is refused by the ${event.by}, which admits a probe in ${ms(event.retryAfterMs)}`,
  'fallback.used': (event) =>
    event.failed ? `its fallback failed, too` : `the fallback answers in its place (${event.code})`,
  'breaker.changed': (event) => `BREAKER ${event.from} → ${event.to}: ${event.reason}`,
  'stream.broken': (event) => `the stream breaks after ${event.received} chunks: ${event.action}`,
};

/** Prints what happens under a policy. */
export function narrate(policy: Policy<unknown>): void {
  policy.onEvent((event) => {
    const sentence = SENTENCES[event.type] as ((event: HalfopenEvent) => string) | undefined;
    if (sentence !== undefined) say(`   ${policy.name.padEnd(7)} ${sentence(event)}`);
  });
}

const began = performance.now();

/** A line of the log, with the time since the start. */
export function say(text: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s  ${text}`);
}
