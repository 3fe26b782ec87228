// The process that `serve.ts` starts: a devtools server that reports its state on request, and whose clock can be set
// back.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ServerOptions, startServer } from '../../src/devtools/server/main.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { Date: SystemDate } = globalThis;
let backMs = Number(process.env.DEVTOOLS_CLOCK_BACK_MS ?? 0);
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, words) => new target(...((words.length > 0 ? words : [Date.now()]) as [number])),
  get: (target, name) => (name === 'now' ? () => target.now() - backMs : Reflect.get(target, name)),
});

const { url, token, close } = await startServer({
  host: '127.0.0.1',
  ...(JSON.parse(process.argv[2] ?? '{}') as Pick<ServerOptions, 'port'>),
});
process.on('message', (message) => {
  if (typeof message === 'number') {
    backMs = message;
    process.send?.(Date.now());
    return;
  }
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.on('disconnect', () => close().then(() => process.exit(0)));
process.send?.({ url, token });
