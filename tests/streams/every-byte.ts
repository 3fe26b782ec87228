// Cuts the whole stream of a provider behind every byte and reports what an SDK makes of each. A process of its own, because
// node:test follows every promise of the process that it runs in, which takes longer than to read these 25 000 streams.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SDKS } from './sdks.js';
import { playFromMemory, sizeOf } from './server.js';
import { type Outcome, watched } from './watched.js';

export interface Cuts {
  /** The name of an SDK. */
  sdk: string;
  /** The rest follows behind the cut, or the stream ends there as if it were complete. */
  rest: 'follows' | 'is lost';
}

/** The outcome of each cut; the key is the number of bytes before it. */
export type Outcomes = [bytes: number, outcome: Outcome][];

async function cutBehindEveryByte({ sdk: name, rest }: Cuts): Promise<Outcomes> {
  const sdk = SDKS.find((one) => one.name === name);
  if (sdk === undefined) throw new Error(`expected the name of an SDK, got '${name}'`);
  const player = playFromMemory();
  const outcomes: Outcomes = [];
  for (let bytes = rest === 'follows' ? 1 : 0; bytes < sizeOf(sdk.folder, 'whole'); bytes++) {
    if (rest === 'is lost') player.end = bytes;
    const cut = rest === 'follows' ? [bytes, Number.MAX_SAFE_INTEGER] : undefined;
    outcomes.push([bytes, await watched(player, sdk, 'whole', cut)]);
  }
  await player.close();
  return outcomes;
}

/** Starts the process. It answers one question at a time, and ends when it is killed or its parent ends. */
export function startCutter(): { cut(cuts: Cuts): Promise<Outcomes>; stop(): void } {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url));
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) =>
      reject(new Error(`the process that cuts streams ended: ${code ?? signal}`)),
    );
  });
  ended.catch(() => {}); // it ends when it is stopped, too
  return {
    cut(cuts) {
      const outcomes = new Promise<Outcomes>((resolve) => child.once('message', resolve));
      child.send(cuts);
      return Promise.race([outcomes, ended]);
    },
    stop: () => child.kill(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.warn = () => {}; // the ollama SDK prints each line that was cut
  process.on('message', async (cuts: Cuts) => process.send?.(await cutBehindEveryByte(cuts)));
}
