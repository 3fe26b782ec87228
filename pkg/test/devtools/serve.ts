// A devtools server as a process of its own, for tests that kill it, freeze it or weigh it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { ServerOptions } from '../../src/devtools/server/main.js';

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** Bytes in use, heap and buffers, after a garbage collection. */
  memory(): Promise<number>;
  /** Sets its wall clock back by that number of milliseconds. Returns the clock's new time. */
  setClockBack(ms: number): Promise<number>;
  /** Its output to its terminal so far. */
  complaints(): string;
  /** Lets it close and end by itself: of a process that was killed no coverage is noted. */
  end(): Promise<void>;
}

let program: string | undefined;

/** The server as one file: it starts in a tenth of the time that translating the sources takes. */
export function bundled(): string {
  if (program !== undefined) return program;
  // Where Node notes coverage it stays, with its map: scripts/coverage-pkg.mjs reads both.
  const noted = process.env.NODE_V8_COVERAGE;
  const directory = noted ?? mkdtempSync(join(tmpdir(), 'halfopen-serve-'));
  if (noted === undefined) process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  program = join(directory, `serve-${process.pid}.mjs`);
  buildSync({
    entryPoints: [fileURLToPath(new URL('serve-child.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    // Made by the build of the package, and read only when a browser asks for it.
    external: ['*/lab-files.js'],
    // For `pg`, which is CommonJS and requires modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
    sourcemap: noted !== undefined && 'inline',
    sourcesContent: false,
  });
  return program;
}

interface HowToServe {
  /** Keeps what it says off the terminal. */
  readonly quiet?: boolean;
  /** A command that starts it, with its own words. */
  readonly within?: readonly string[];
}

/** Resolves when the server listens. */
export function serveInProcess(
  options: Partial<ServerOptions>,
  { quiet = false, within = [] }: HowToServe = {},
): Promise<ServerProcess> {
  const [execPath = process.execPath, ...execArgv] = [...within, process.execPath];
  const child = fork(bundled(), [JSON.stringify(options)], {
    execPath,
    execArgv,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
    if (!quiet) process.stderr.write(chunk);
  });
  return new Promise((resolve, reject) => {
    // Not at its exit: what it has written may come later.
    child.once('close', (code, signal) =>
      reject(new Error(`the server ended: ${code ?? signal} ${complaints}`)),
    );
    child.once('message', (message) => {
      const { url, token } = message as { url: string; token: string };
      const ask = (question: 'memory' | number) =>
        new Promise<number>((answered) => {
          child.once('message', (answer) => answered(answer as number));
          child.send(question);
        });
      const [memory, setClockBack] = [() => ask('memory'), (ms: number) => ask(ms)];
      const end = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      };
      resolve({ child, url, token, memory, setClockBack, complaints: () => complaints, end });
    });
  });
}
