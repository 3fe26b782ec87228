// A process in Deno whose fleet meets in Deno KV: the first argument is the question of the test, the second the file of the KV.
import { createPolicy } from 'halfopen';
import { fleet, inspect } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { kvStore } from 'halfopen/fleet/kv';

const [question, path] = Deno.args;
const kv = await Deno.openKv(path);

/** When three processes are there, calls what fails until the breaker of all is open. Returns what that took of this process. */
async function outage() {
  const workers = fleet({ store: kvStore(kv), name: 'outage', storeTimeoutMs: 5_000 });
  const breaker = { failureThreshold: 30, resetTimeoutMs: 600_000 };
  const policy = createPolicy({ name: 'chat', retry: false, breaker, fleet: workers });
  const shared = async () => (await inspect(kvStore(kv), 'outage'))[0];
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  while ((await shared())?.nodes !== 3) {
    await policy.execute(() => 'fine');
    await pause();
  }
  let failures = 0;
  const down = () => {
    failures += 1;
    return Promise.reject(Object.assign(new Error('down'), { status: 503 }));
  };
  while ((await shared()).state !== 'open') {
    await policy.execute(down).catch(() => {});
    await pause();
  }
  return { failures };
}

const answers = {
  // Several stores on one KV, as several processes have them.
  conformance: () => {
    const stores = Array.from({ length: 3 }, () => kvStore(kv));
    let count = 0;
    const sync = (...given) => stores[count++ % stores.length].sync(...given);
    return checkStore(async () => ({ sync, close: async () => {} }));
  },
  outage,
};
console.log(JSON.stringify(await answers[question]()));
Deno.exit();
