// Runs cases one after another and yields { case, outcome: 'thrown' | 'returned' | 'hung', value, ms }.
// 'value' is the live thrown (or returned) value. SDK console output is captured while a case runs.
import { inspect } from 'node:util';

export const noise = {}; // case id -> [[console method, text], ...]
export const strays = []; // unhandled rejections and uncaught exceptions
export const warnings = [];
let current = null;
let hooked = false;
const text = (x) => {
  try {
    return typeof x === 'string' ? x : inspect(x, { depth: 3 });
  } catch {
    return '?';
  }
};
function hook() {
  if (hooked) return;
  hooked = true;
  for (const kind of ['unhandledRejection', 'uncaughtException'])
    process.on(kind, (e) =>
      strays.push({
        during: current,
        kind,
        name: e?.name,
        message: String(e?.message ?? e).slice(0, 200),
        code: e?.code,
      }),
    );
  process.removeAllListeners('warning');
  process.on('warning', (w) => warnings.push({ during: current, w: String(w.message).slice(0, 120) }));
  for (const m of ['warn', 'error', 'log', 'info', 'debug']) {
    const orig = console[m];
    console[m] = (...a) => {
      if (!current) return orig.apply(console, a);
      noise[current] ??= [];
      noise[current].push([m, a.map(text).join(' ').slice(0, 400)]);
    };
  }
}
export async function* runAll(cases, watchdogMs = 15_000) {
  hook();
  for (const c of cases) {
    current = c.id;
    const started = performance.now();
    let timer, outcome, value;
    const HUNG = Symbol('hung');
    const watchdog = new Promise((ok) => {
      timer = setTimeout(ok, watchdogMs, HUNG);
    });
    try {
      value = await Promise.race([Promise.resolve().then(c.run), watchdog]);
      outcome = value === HUNG ? 'hung' : 'returned';
    } catch (e) {
      value = e;
      outcome = 'thrown';
    }
    clearTimeout(timer);
    current = null;
    yield {
      case: c,
      outcome,
      value: outcome === 'hung' ? undefined : value,
      ms: Math.round(performance.now() - started),
    };
  }
}
