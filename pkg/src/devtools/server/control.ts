/**
 * `POST /control`: an action of the dashboard for a process that allows it (`connectDevtools({ control: true })`). `POST
 * /control/wait`: where such a process waits for actions.
 *
 * Nothing is kept on disk: an action that its process has not fetched after half a minute is dropped.
 */

import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { readAction, type SentAction } from '../control/action.js';
import { isLoopback } from '../loopback.js';

/** Longest body. */
const MOST_BYTES = 64 * 1024;
/** A request of a process is answered after this time, with nothing, so that both sides know that the other is there. */
const HOLD_MS = 15_000;
/** A process that has not asked for so long is gone. */
const GONE_MS = 30_000;
/** Processes that may wait, and actions that may wait for one of them. */
const MOST_PROCESSES = 1_000;
const MOST_ACTIONS = 100;
/** Longest name of a process, as events have it. */
const LONGEST_SOURCE = 128;

/** A process that allows control. */
interface Waiting {
  actions: { readonly action: SentAction; readonly at: number }[];
  wake: () => void;
  seenAt: number;
}

/** The settings of the route. */
interface ControlOptions {
  readonly host: string;
  readonly token: string | undefined;
}

/** The routes, to be mounted at `/control`. `whenGone` is aborted when the other side no longer waits. */
export function control({ host, token }: ControlOptions, whenGone: (c: Context) => AbortSignal): Hono {
  const processes = new Map<string, Waiting>();
  const by = userName();
  const tooLarge = (c: Context) => c.json({ error: `An action has at most ${MOST_BYTES} bytes.` }, 413);
  const limit = bodyLimit({ maxSize: MOST_BYTES, onError: tooLarge });

  /** Forgets old actions, and processes that have gone. */
  const sweep = (now: number) => {
    for (const [source, one] of processes) {
      one.actions = one.actions.filter(({ at }) => now - at < GONE_MS);
      if (now - one.seenAt >= GONE_MS) processes.delete(source);
    }
  };

  return new Hono()
    .use(async (c, next) => {
      c.header('Cache-Control', 'no-store');
      if (token === undefined)
        return c.json(
          { error: 'A server without a token takes no actions. Start it without --no-token.' },
          403,
        );
      if (!isLoopback(host))
        return c.json(
          { error: 'Actions are taken on 127.0.0.1 alone, and this server listens elsewhere.' },
          403,
        );
      return next();
    })
    .post('/', limit, async (c) => {
      const now = performance.now();
      sweep(now);
      const body = await jsonOf(c);
      const action = readAction(body);
      if (typeof action === 'string') return c.json({ error: `${action}.` }, 400);
      const one = processes.get(String(body?.source));
      if (one === undefined) {
        const error =
          'This process allows no control, or has ended. It does after connectDevtools({ control: true }).';
        return c.json({ error }, 404);
      }
      if (one.actions.length >= MOST_ACTIONS)
        return c.json({ error: 'Too many actions wait for this process.' }, 503);
      const id = randomUUID();
      one.actions.push({ action: { ...action, id, by }, at: now });
      one.wake();
      return c.json({ id }, 202);
    })
    .post('/wait', limit, async (c) => {
      const now = performance.now();
      sweep(now);
      const body = await jsonOf(c);
      const source = body?.source;
      if (typeof source !== 'string' || source === '' || source.length > LONGEST_SOURCE)
        return c.json({ error: "'source' expects the name of a process." }, 400);
      const done = Array.isArray(body?.done) ? body.done : [];
      const one = processes.get(source) ?? { actions: [], wake: () => {}, seenAt: now };
      if (!processes.has(source) && processes.size >= MOST_PROCESSES)
        return c.json({ error: 'Too many processes allow control.' }, 503);
      processes.set(source, one);
      one.actions = one.actions.filter(({ action }) => !done.includes(action.id));
      // A second request of the same process replaces the first.
      one.wake();
      if (one.actions.length === 0) await held(one, whenGone(c));
      one.seenAt = performance.now();
      return c.json({ actions: one.actions.map(({ action }) => action) });
    });
}

/** Waits until there is an action, the time is over, or the process has gone. */
async function held(one: Waiting, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, HOLD_MS);
    timer.unref();
    one.wake = () => {
      clearTimeout(timer);
      resolve();
    };
    gone.addEventListener('abort', one.wake, { once: true });
  });
}

async function jsonOf(c: Context): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await c.req.text());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the user who runs the server: only this user has the page's key. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'the user of the devtools';
  }
}
