/**
 * Waits for acts of the dashboard: a request that the server answers when there is one (long polling), on a line of its own.
 *
 * Whoever answers here decides what the process does, so only a server that has proved that it knows this user's secret is
 * believed, on the very socket of the proof, and only on this machine.
 */

import { joinedSignal } from '../../call/joined-signal.js';
import type { KnownServer, Line } from '../platform.js';
import { readSentAct, type SentAct } from './act.js';

/** The server answers earlier, with an empty list. */
const PATIENCE_MS = 30_000;
/** Waits between tries while no server answers: doubling, with up to a quarter added at random. */
const RETRY = { firstMs: 250, maxMs: 5_000 };
/** Ids of acts that the next request confirms. */
const MOST_CONFIRMED = 100;

/** The way to the server, and whose acts to wait for. */
export interface WaitOptions {
  readonly line: Line;
  /** The name of this process in events. */
  readonly source: string;
  readonly findServer: () => Promise<KnownServer | undefined>;
  readonly carryOut: (act: SentAct) => void;
}

/** Waits until the returned function is called. Never throws, and keeps no process alive. */
export function waitForActs({ line, source, findServer, carryOut }: WaitOptions): () => void {
  const stop = new AbortController();
  let confirmed: string[] = [];

  /** One request. Returns whether the server answered as it should. */
  const ask = async (): Promise<boolean> => {
    const signal = joinedSignal(stop.signal, AbortSignal.timeout(PATIENCE_MS));
    const server = await findServer();
    if (server?.token === undefined) return false;
    const { token, secret } = server;
    if (!line.proved && (await line.challenge({ secret, samePort: true, signal })) !== 'proved') return false;
    const body = [new TextEncoder().encode(JSON.stringify({ source, done: confirmed }))];
    const answer = await line.post({ path: 'control/wait', token, body, signal, provedOnly: true });
    if (answer.status !== 200) return false;
    const { acts } = JSON.parse(answer.body) as { acts?: unknown };
    if (!Array.isArray(acts)) return false;
    confirmed = [];
    for (const one of acts.slice(0, MOST_CONFIRMED)) {
      const act = readSentAct(one);
      if (act === undefined || stop.signal.aborted) continue;
      confirmed.push(act.id);
      carryOut(act);
    }
    return true;
  };

  const loop = async (): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted; ) {
      const isAnswered = await ask().catch(() => false);
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
