// Runs the cases of one library, one after another, on live clients and servers: node run.mjs <library> [classifier]
// With a module that exports classify(), it also compares what that makes of the value and of the value rebuilt.
// Prints what was thrown, one line of JSON for each case. record.mjs and live.mjs start it as a process of its own:
// clients patch globals and leave sockets behind.
import { readFileSync } from 'node:fs';
import { load } from './libraries.mjs';
import { pack, unpack } from './serialise.mjs';
import { closeAll } from './servers/net.mjs';
import { find, NotHere, stopAll } from './servers/process.mjs';

const PATIENCE = 30_000;
const [name, classifier] = process.argv.slice(2);
const { classify } = classifier ? await import(classifier) : {};
const { cases, packages = [], needs = [], setup, teardown } = await load(name);
const report = (line) => process.stdout.write(`\u0001${JSON.stringify(line)}\n`);

for (const key of Object.keys(process.env))
  if (/(KEY|TOKEN|SECRET|_proxy)$/i.test(key)) delete process.env[key];
const strays = [];
for (const kind of ['unhandledRejection', 'uncaughtException']) {
  process.on(kind, (error) => strays.push(String(error?.message ?? error).slice(0, 200)));
}
process.removeAllListeners('warning');

const lacking = needs.filter((program) => !find(program));
if (lacking.length > 0) {
  report({ lacking });
  process.exit(0);
}
const versions = {};
try {
  for (const one of packages) {
    versions[one] = JSON.parse(
      readFileSync(new URL(`./node_modules/${one}/package.json`, import.meta.url)),
    ).version;
  }
} catch {
  report({ lacking: packages });
  process.exit(0);
}
report({ versions });

let context;
try {
  context = await setup?.();
  for (const { name: id, make } of cases) {
    const late = Symbol('late');
    let timer;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, PATIENCE, late);
    });
    try {
      const value = await Promise.race([(async () => make(context))(), patience]);
      report({
        id,
        outcome: value === late ? 'hung' : 'returned',
        value: value === late ? undefined : short(value),
      });
    } catch (value) {
      if (value instanceof NotHere) report({ id, outcome: 'not here', value: value.message });
      else {
        const kept = { at: Date.now(), thrown: pack(value) };
        report({ id, outcome: 'thrown', value: kept, changed: changed(value, kept) });
      }
    }
    clearTimeout(timer);
  }
} catch (error) {
  report({ failed: String(error?.stack ?? error) });
}
if (strays.length > 0) report({ strays });
await Promise.race([
  (async () => {
    await teardown?.(context);
    await closeAll();
  })().catch(() => {}),
  new Promise((resolve) => setTimeout(resolve, 5000)),
]);
await stopAll();
process.exit(0);

/** Returns `true` if the rebuilt value is classified in another way. */
function changed(value, { at, thrown }) {
  if (!classify) return undefined;
  const gist = ({ code, retryable, retryAfterMs, provider, rule }) =>
    JSON.stringify([code, retryable, retryAfterMs, provider, rule]);
  const rebuilt = unpack(JSON.parse(JSON.stringify(thrown)));
  return gist(classify(value, { now: at })) !== gist(classify(rebuilt, { now: at }));
}

function short(value) {
  try {
    return JSON.stringify(value)?.slice(0, 200);
  } catch {
    return String(value).slice(0, 200);
  }
}
