/** Where a log is: a file, a folder of the devtools, a devtools server, or PostgreSQL. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../devtools/loopback.js';
import { databasePlace } from '../devtools/postgres-url.js';
import {
  isRunning,
  type Registration,
  readRegistration,
  registrationByPort,
} from '../devtools/registration.js';
import { linesIn, linesOf } from '../lab/lines.js';

/** A log that can be read, again and again. */
export interface LogSource {
  /** Its location, without secrets. */
  readonly place: string;
  /** Changes whenever the log may have. */
  version(): string;
  /** All lines that the log has now, oldest first. */
  lines(): AsyncIterable<string>;
}

/** How long a log that others write to counts as read, in milliseconds. */
const FRESH_MS = 3_000;

/** A log of a file, or of a folder of the devtools. */
export function fileSource(path: string): LogSource {
  return {
    place: path,
    version: () =>
      filesOf(path)
        .map((file) => {
          const { size, mtimeMs } = readable(() => statSync(file));
          return `${file} ${size} ${mtimeMs}`;
        })
        .join('\n'),
    async *lines() {
      for (const file of filesOf(path)) {
        try {
          yield* linesOf(file);
        } catch (error) {
          throw unread(error);
        }
      }
    },
  };
}

/** The files of a log, oldest first. The devtools cut theirs into `events-<log>-<position>.jsonl`. */
function filesOf(path: string): string[] {
  if (!readable(() => statSync(path)).isDirectory()) return [path];
  const position = (name: string) => /^events-[0-9a-f]{8}-(\d{15})\.jsonl$/.exec(name)?.[1];
  const names = readdirSync(path)
    .filter((name) => position(name) !== undefined)
    .sort((a, b) => Number(position(a)) - Number(position(b)));
  if (names.length === 0)
    throw new Error(`${path} has no log of the devtools, whose files are events-<log>-<position>.jsonl`);
  return names.map((name) => join(path, name));
}

function readable<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw unread(error);
  }
}

const unread = (error: unknown): Error =>
  new Error(`the log could not be read: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });

/**
 * The log of a devtools server. The token is that of the URL, as `npx halfopen devtools --url` prints it; without one,
 * HALFOPEN_DEVTOOLS_TOKEN, or that of this user's server on the port.
 */
export function serverSource(address: string): LogSource {
  const { origin, hostname, port, searchParams } = new URL(address);
  const token = async (): Promise<string | undefined> => {
    const given = searchParams.get('token') || process.env.HALFOPEN_DEVTOOLS_TOKEN;
    if (given || !isLoopback(hostname)) return given || undefined;
    return (await serverOn(Number(port) || 80))?.token;
  };
  return {
    place: origin,
    version: now,
    async *lines() {
      const secret = await token();
      const response = await fetch(`${origin}/events?format=jsonl`, {
        redirect: 'error',
        headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
      }).catch((error: Error & { cause?: Error }) => {
        throw new Error(
          `${origin} does not answer (${error.cause?.message || error.message}). Start the server: npx halfopen devtools`,
          { cause: error },
        );
      });
      if (!response.ok || response.body === null) {
        const said = (await response.text()).trim().slice(0, 300);
        throw new Error(`${origin} answered ${response.status}: ${said}`);
      }
      const text = response.body.pipeThrough(new TextDecoderStream());
      yield* linesIn(text as unknown as AsyncIterable<string>);
    },
  };
}

/** The server of this user on a port, if it runs and proves itself. */
async function serverOn(port: number): Promise<Registration | undefined> {
  const found = await readRegistration(registrationByPort(port));
  return found !== undefined && (await isRunning(found)) ? found : undefined;
}

/** A log that servers keep in PostgreSQL. */
export function databaseSource(url: string): LogSource {
  return {
    place: databasePlace(url),
    version: now,
    async *lines() {
      const { PostgresStore } = await import('../devtools/server/postgres.js');
      const store = await PostgresStore.openToRead(url);
      try {
        const reader = store.read(store.start, undefined);
        for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next())
          yield* chunk.lines;
        await reader.close();
      } finally {
        await store.close();
      }
    },
  };
}

const now = (): string => String(Math.floor(Date.now() / FRESH_MS));
