// An agent to be stopped or killed in the middle of its calls: one waits for its retry, one runs until a line comes on
// standard input. It says `ready` when the server has the events of both.
import { once } from 'node:events';
import { createPolicy } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';

const devtools = connectDevtools({ url: process.env.HALFOPEN_DEVTOOLS_URL });

const patient = createPolicy({
  name: 'patient',
  retry: { maxRetries: 1, baseDelayMs: 60_000, maxDelayMs: 60_000, jitter: 0 },
});
const failed = () => {
  throw Object.assign(new Error('overloaded'), { status: 503 });
};
const waits = patient.execute(failed, { task: 'waits' }).catch(() => undefined);

const slow = createPolicy({ name: 'slow', retry: false, timeout: { attemptMs: 120_000 } });
const runs = slow.execute(() => once(process.stdin, 'data'), { task: 'runs' });

// The calls have begun and the first attempt has failed once the next turn of the loop comes.
await new Promise((resolve) => setImmediate(resolve));
await devtools.flush();
console.log('ready');

await runs;
await devtools.close();
// The waits are not awaited, because they would take a minute.
void waits;
process.exit(0);
