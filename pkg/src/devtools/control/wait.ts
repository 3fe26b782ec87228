/**
 * Waits for actions of the dashboard: a request that the server answers when there is one (long polling), on a line of its own.
 *
 * The response decides what the process does. So the process believes only a server that has proved that it knows this user's
 * secret, on the very socket of the proof, and only on this machine.
 */

import { joinedSignal } from '../../call/joined-signal.js';
import type { ControlOptions } from '../platform.js';
import { readSentAction, type SentAction } from './action.js';

/** The server answers earlier, with an empty list. */
const PATIENCE_MS = 30_000;
/** Waits between tries while no server responds: doubling, with up to a quarter added at random. */
const RETRY = { firstMs: 250, maxMs: 5_000 };
/** Ids of actions that the next request confirms. */
const MOST_CONFIRMED = 100;

/** Waits until the returned function is called. Never throws, and keeps no process alive. */
export function waitForActions(
  { line, source, findServer }: ControlOptions,
  carryOut: (action: SentAction) => void,
): () => void {
  const stop = new AbortController();
  let confirmed: string[] = [];

  /** One request. Returns whether the server answered as it should. */
  const query = async (): Promise<boolean> => {
    const signal = joinedSignal(stop.signal, AbortSignal.timeout(PATIENCE_MS));
    const server = await findServer();
    if (server?.token === undefined) return false;
    const { token, secret } = server;
    if (!line.proved && (await line.challenge({ secret, samePort: true, signal })) !== 'proved') return false;
    const body = [new TextEncoder().encode(JSON.stringify({ source, done: confirmed }))];
    const answer = await line.post({ path: 'control/wait', token, body, signal, provedOnly: true });
    if (answer.status !== 200) return false;
    const { actions } = JSON.parse(answer.body) as { actions?: unknown };
    if (!Array.isArray(actions)) return false;
    confirmed = [];
    for (const one of actions.slice(0, MOST_CONFIRMED)) {
      const action = readSentAction(one);
      if (action === undefined || stop.signal.aborted) continue;
      confirmed.push(action.id);
      carryOut(action);
    }
    return true;
  };

  const loop = async (): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted; ) {
      const isAnswered = await query().catch(() => false);
      if (isAnswered) {
        failures = 0;
        continue;
      }
      line.reset();
      const ms = Math.min(RETRY.maxMs, RETRY.firstMs * 2 ** failures++) * (1 + Math.random() / 4);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        (timer as { unref?: () => void }).unref?.();
        stop.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  };
  void loop();
  return () => {
    stop.abort();
    line.reset();
  };
}
