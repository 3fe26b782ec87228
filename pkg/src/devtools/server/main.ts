/**
 * The devtools server: listens, opens the log, prints its address.
 *
 * For Node and compatible runtimes only. `halfopen/devtools` loads this file when a server is requested, so agents and
 * pages never do.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { DEFAULT_PORT } from '../default-port.js';
import { checkDirectory, makeDirectory } from '../directory.js';
import { isLoopback } from '../loopback.js';
import {
  halfopenHome,
  type Registration,
  readRegistration,
  registrationByPort,
  registrationIn,
  removeRegistration,
  writeRegistration,
} from '../registration.js';
import { type RunningServer, STRONG_TOKEN } from '../running.js';
import { Connections } from './connections.js';
import { type DashboardFiles, dashboardFiles } from './dashboard.js';
import { DatabaseUnusable, type EventStore } from './event-store.js';
import { fileStore } from './file-store.js';
import { INGEST_LIMITS, type IngestLimits } from './ingest.js';
import { DirectoryInUse, holderOf, type Lock, lock } from './lock.js';
import { EventLog, type LogHooks, type LogLimits } from './log.js';
import { readOtlp } from './otlp.js';
import { routes } from './routes.js';
import { removeLeftovers, TEMPORARY } from './temporary.js';

/** Options of the server, as the package's users give them, and limits for its own tests. */
export interface ServerOptions {
  readonly port: number;
  readonly host: string;
  readonly directory?: string | undefined;
  readonly token?: string | false | undefined;
  /** The URL of a PostgreSQL database that keeps the log instead of the directory. */
  readonly database?: string | undefined;
  readonly retentionDays?: number | undefined;
  /** A file of OTLP/JSON whose events go into the log at the start. */
  readonly otlp?: string | undefined;
  /** Default: what the package has. */
  readonly dashboard?: DashboardFiles | undefined;
  readonly limits?: Partial<IngestLimits & LogLimits> | undefined;
}

/** Why a server could not be started; the message says what to do. */
export class CannotStart extends Error {}

/**
 * Starts a server.
 *
 * @throws {CannotStart} when the port is taken, the directory is in use, or nothing can be written.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const place = await directoryOf(options);
  // Requests that come before the log is open wait for it.
  let ready: (app: Hono) => void = () => {};
  const app = new Promise<Hono>((resolve) => {
    ready = resolve;
  });
  const server = createAdaptorServer({
    fetch: async (request, env) => (await app).fetch(request, env),
    overrideGlobalObjects: false,
    // A request has so long to come whole; Node looks at them once a second, not each 30 s as by default.
    serverOptions: { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
  }) as Server;
  const connections = new Connections(server);
  try {
    await listen(server, options);
    const opened = await open(server, options, place, connections);
    ready(opened.app);
    return opened.running;
  } catch (error) {
    server.close();
    server.closeAllConnections();
    if (place.temporary) await rm(place.directory, { recursive: true, force: true });
    throw error;
  }
}

/** Where the log is kept, and whether it goes with the server. */
interface Place {
  readonly directory: string;
  readonly temporary: boolean;
  /** The registration of the last server there. */
  readonly before: Registration | undefined;
}

/** Finds the directory, and makes sure that no other server has it open. */
async function directoryOf(options: ServerOptions): Promise<Place> {
  if (options.directory === undefined && options.port === 0) {
    await removeLeftovers();
    // A port chosen by the system is another one next time: its log would never be found again.
    return { directory: await mkdtemp(join(tmpdir(), TEMPORARY)), temporary: true, before: undefined };
  }
  const directory = resolve(options.directory ?? join(halfopenHome(), 'devtools', String(options.port)));
  const holder = await holderOf(directory).catch((error: Error) => {
    throw cannotKeep(directory, error);
  });
  if (holder !== undefined) throw inUse(directory, holder);
  return { directory, temporary: false, before: await readRegistration(registrationIn(directory)) };
}

function inUse(directory: string, { url, pid }: Registration): CannotStart {
  return new CannotStart(
    `The directory ${directory} is in use by the devtools server at ${url} (process ${pid}). ` +
      `Open that one (${printsUrl(Number(new URL(url).port))}), stop it, or choose another directory with --dir.`,
  );
}

function cannotKeep(directory: string, error: Error): CannotStart {
  if (error instanceof DirectoryInUse) return inUse(directory, error.holder);
  if (error instanceof DatabaseUnusable) return new CannotStart(error.message, { cause: error });
  return new CannotStart(
    `The log cannot be kept in ${directory}: ${error.message}. Choose another directory with --dir.`,
    { cause: error },
  );
}

/** The token that requests must bring; `undefined` for none. */
function tokenOf({ token, host }: ServerOptions, before: Registration | undefined): string | undefined {
  if (token === false) return undefined;
  if (token !== undefined) return token;
  // A server that did not close itself may have left its port, and what came to it, to another program.
  const kept = before?.closed === true ? before.token : undefined;
  if (kept !== undefined && (isLoopback(host) || kept.length >= STRONG_TOKEN)) return kept;
  return randomBytes(32).toString('base64url');
}

async function open(
  server: Server,
  options: ServerOptions,
  { directory, temporary, before }: Place,
  connections: Connections,
): Promise<{ app: Hono; running: RunningServer }> {
  const { port } = server.address() as AddressInfo;
  const url = urlOf(options.host, port);
  const token = tokenOf(options, before);
  const secret = token ?? randomBytes(32).toString('base64url');
  const instance = randomBytes(8).toString('hex');
  const registration: Registration = { instance, pid: process.pid, url, token, secret, directory };
  const limits = { ...INGEST_LIMITS, ...options.limits };

  let held: Lock | undefined;
  /** Makes the directory this server's: at the start, and again when somebody has removed it. */
  const claim = async () => {
    await makeDirectory(directory);
    await checkDirectory(directory);
    if (held === undefined || !(await held.held())) held = await lock(directory, registration);
    await writeRegistration(registrationIn(directory), registration);
  };
  const register = () =>
    writeRegistration(registrationByPort(port), registration).catch((error: Error) =>
      console.error(
        `halfopen devtools: ${registrationByPort(port)} cannot be written (${error.message}); ` +
          'agents find the token in HALFOPEN_DEVTOOLS_TOKEN only.',
      ),
    );

  let log: EventStore;
  try {
    await claim();
    log = await openStore(options, directory, {
      async restore() {
        await claim();
        await register();
      },
      onLost(count) {
        console.error(
          `halfopen devtools: files of the log in ${directory} were removed or cut while the server runs: ` +
            `${count} events are gone. The log goes on in a new file.`,
        );
      },
    });
  } catch (error) {
    await held?.release();
    throw cannotKeep(directory, error as Error);
  }
  try {
    if (options.otlp !== undefined) await readInto(log, options.otlp);
  } catch (error) {
    await log.close();
    await held?.release();
    throw error;
  }
  await register();
  const dashboard = options.dashboard ?? (await dashboardFiles());
  const app = routes({
    ...{ log, instance, host: options.host, port, token, secret, dashboard, limits },
    onCodeReused() {
      trusted = false;
      console.error(
        'halfopen devtools: the link of --open was used twice. If that was not you, another program of this machine may ' +
          'read the events: start the server again, which then has a new token.',
      );
    },
    onAuthorized: (socket) => connections.welcome(socket),
  });
  let closing: Promise<void> | undefined;
  /** The token may be kept for the next start. */
  let trusted = true;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await log.close();
    await removeRegistration(registrationByPort(port), instance);
    if (temporary) {
      await rm(directory, { recursive: true, force: true });
    } else if (await held?.held()) {
      await writeRegistration(registrationIn(directory), { ...registration, closed: trusted }).catch(
        () => {},
      );
    }
    await held?.release().catch(() => {});
  };
  const running: RunningServer = {
    url,
    dashboardUrl: token === undefined ? `${url}/` : `${url}/?token=${encodeURIComponent(token)}`,
    token,
    directory,
    log: log.place,
    close() {
      closing ??= close();
      return closing;
    },
  };
  return { app, running };
}

/** Opens the log where the options want it. */
async function openStore(options: ServerOptions, directory: string, hooks: LogHooks): Promise<EventStore> {
  const { database, retentionDays, limits } = options;
  if (database === undefined) return fileStore(await EventLog.open(directory, limits, hooks));
  const { PostgresStore } = await import('./postgres.js');
  return PostgresStore.open(database, retentionDays === undefined ? {} : { retentionDays });
}

/**
 * Adds the events of an OTLP/JSON file to the log. It passes over those that the last 32 MiB of the log have: what lies further
 * back is stored again.
 */
async function readInto(log: EventStore, path: string): Promise<void> {
  const { events, foreign, unreadable } = await readOtlp(path, (batch) => log.append(batch)).catch(
    (error) => {
      throw new CannotStart(`${path} cannot be read: ${error.message}`, { cause: error });
    },
  );
  if (events === 0) {
    const what = foreign > 0 ? `no log records of Halfopen, of ${foreign}` : 'no log records';
    throw new CannotStart(
      `${path} has ${what}. Expected is what a collector's file exporter writes: OTLP/JSON, a line for each request, ` +
        'with the records that exportEvents() of halfopen/otel emits.',
    );
  }
  if (unreadable > 0)
    console.error(`halfopen devtools: ${unreadable} lines of ${path} are no OTLP/JSON of logs: passed over`);
}

function printsUrl(port: number): string {
  return `\`npx halfopen devtools --url${port === DEFAULT_PORT ? '' : ` --port ${port}`}\` prints its URL`;
}

/** The system's errors for a port that cannot be used, with advice. */
const LISTEN_ERRORS: Readonly<Record<string, (at: string, port: number) => string>> = {
  EADDRINUSE: (at, port) =>
    `${at} is in use: another devtools server (${printsUrl(port)}) or another program. ` +
    'Stop it, or choose another port with --port.',
  EACCES: (at) => `${at} is not allowed for this user. Choose a port above 1023 with --port.`,
  EADDRNOTAVAIL: (at) => `${at} is no address of this machine. Leave --host out to listen on 127.0.0.1.`,
  ENOTFOUND: (at) => `${at} is no name that can be found. Leave --host out to listen on 127.0.0.1.`,
};

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const at = `Port ${port} on ${host}`;
      const explain = LISTEN_ERRORS[error.code ?? ''];
      reject(new CannotStart(explain ? explain(at, port) : `${at}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => resolve());
  });
}

/** Where a server is reached that listens on an address: on all of them, by this machine's own. */
function urlOf(host: string, port: number): string {
  const everywhere = /^(0\.0\.0\.0|\[?::\]?)$/.test(host);
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  // An address with a zone cannot be part of a URL.
  return new URL(everywhere || !URL.canParse(url) ? `http://127.0.0.1:${port}` : url).origin;
}
