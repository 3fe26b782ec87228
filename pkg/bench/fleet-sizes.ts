// How soon fleets of several sizes know, and how much load they put on their store, as the package itself does it: a
// line of JSON for each size. fleet-sizes.jsonl has these results, and core/fleet/examples/fleet_sizes, which simulates
// more fleets, must match them.
//
// `node --import tsx pkg/bench/fleet-sizes.ts [calls a second of each process] [sizes] [processes in all]`: for each
// size, simulates fleets one after the other until they have that number of processes together (default: one fleet of
// each size).
import { AWAY_FROM, nothing, quantile, STEADY_FROM, simulate } from '../test/fleet/simulation.js';

const [rate = 1, sizes = '1,10,30,100,300,1000', all = '0'] = process.argv.slice(2);
const perSecond = Number(rate);

for (const size of sizes.split(',').map(Number)) {
  const began = performance.now();
  const out = nothing();
  // Single processes need a hundred samples too.
  const wanted = Math.max(Number(all), size === 1 ? 100 : size);
  while (out.processes < wanted) await simulate(size, perSecond, out);
  const fleets = out.processes / size;
  const seconds = (AWAY_FROM - STEADY_FROM) / 1_000;
  const took = (performance.now() - began) / 1_000;
  const row = {
    ...{ size, rate: perSecond, processes: out.processes },
    ...{ knownP50: quantile(out.known, 0.5), knownP99: quantile(out.known, 0.99) },
    ...{ wasted: +(out.wasted / out.processes).toFixed(2), probes: out.probes / fleets },
    ...{ recoveredP99: quantile(out.recovered, 0.99), syncMs: quantile(out.waits, 0.5) },
    ...{ syncsPerFleet: Math.round(out.syncs / seconds / fleets), mostSyncs: out.mostSyncs },
    ...{ bytesPerFleet: Math.round(out.bytes / seconds / fleets), stateBytes: out.bytesOfState },
    ...{ seconds: +took.toFixed(1), megabytes: Math.round(process.memoryUsage().rss / 1e6) },
  };
  console.log(JSON.stringify(row));
}
