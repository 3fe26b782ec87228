// The process that `serve.ts` starts: a devtools server that can be asked what it holds.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ServerOptions, startServer } from '../../src/devtools/server/main.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { url, token, close } = await startServer({
  host: '127.0.0.1',
  ...(JSON.parse(process.argv[2] ?? '{}') as Pick<ServerOptions, 'port'>),
});
process.on('message', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.on('disconnect', () => close().then(() => process.exit(0)));
process.send?.({ url, token });
