// Runs the scenarios of core/lab/examples/lab_speed.rs as WebAssembly in Node, and prints what they took as JSON.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

const source = readFileSync(join(root, 'core/lab/examples/lab_speed.rs'), 'utf8');
const scenario = (name) => source.match(new RegExp(`const ${name}: &str = r#"([^]*?)"#;`))[1];

const { default: glue } = await import(pathToFileURL(join(root, 'pkg/wasm/lab/glue.js')));
const functions = glue();
const module = new WebAssembly.Module(readFileSync(join(root, 'pkg/wasm/lab/lab_bg.wasm')));
const imports = Object.fromEntries(
  WebAssembly.Module.imports(module).map(({ module }) => [module, functions]),
);
const { exports } = new WebAssembly.Instance(module, imports);
functions.__wbg_set_wasm(exports);
exports.__wbindgen_start?.();

/** The least CPU time of some runs. */
function measure(text, runs) {
  let best;
  for (let run = 0; run < runs; run++) {
    const began = process.cpuUsage();
    const handle = functions.labNew(text, 'full', Number.NaN);
    if (handle === 0) throw new Error(functions.labMisfit());
    while (!functions.labAdvance(handle, 1_000_000));
    const { totals, hash } = JSON.parse(functions.labResult(handle));
    const { user, system } = process.cpuUsage(began);
    const seconds = (user + system) / 1e6;
    if (best === undefined || seconds < best.seconds)
      best = { seconds, rate: totals.events / 1e6 / seconds, hash };
  }
  return { ...best, mebibytes: exports.memory.buffer.byteLength / 2 ** 20 };
}

console.log(
  JSON.stringify({ steady: measure(scenario('STEADY'), 3), million: measure(scenario('MILLION'), 1) }),
);
