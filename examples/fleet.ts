// Three workers that share a breaker: each sees few failures, together they see an outage, and one probe ends it for all.
//
//   node --import tsx examples/fleet.ts
//
// They meet in memory here. In production each is a process, and they meet in Redis: redisStore(client) of 'halfopen/fleet/redis'.

import { AgentError, createPolicy } from 'halfopen';
import { type FleetStore, fleet, memoryStore } from 'halfopen/fleet';
import { VirtualClock } from 'halfopen/testing';

/** The lines that the example prints. */
export async function outage(): Promise<string[]> {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const store = memoryStore({ clock });
  // A process of its own would have a connection of its own.
  const connection = (): FleetStore => ({ ...store });
  const workers = [1, 2, 3].map((number) => {
    const joined = fleet({ store: connection(), name: 'workers' });
    const policy = createPolicy({
      name: 'openai',
      clock,
      retry: false,
      breaker: { resetTimeoutMs: 60_000, halfOpenMaxCalls: 1 },
      fleet: joined,
    });
    return { name: `worker ${number}`, joined, policy };
  });

  let isDown = false;
  let requests = 0;
  const request = async (): Promise<string> => {
    requests++;
    if (isDown) throw new AgentError('PROVIDER_OVERLOADED', '503');
    return 'Paris';
  };
  const round = async (): Promise<void> => {
    for (const { policy } of workers) await policy.execute(request).catch(() => {});
    await clock.advance(500);
  };
  const say = (what: string): void => {
    const states = workers.map(({ name, policy }) => `${name} ${policy.breaker?.state}`);
    lines.push(`${what}: ${states.join(', ')}`);
  };

  await round();
  await round();
  say('all is well');
  isDown = true;
  await round();
  await round();
  await round();
  say('two failures each');
  const before = requests;
  for (let i = 0; i < 20; i++) await round();
  lines.push(`${requests - before} requests in the next ten seconds`);
  await clock.advance(60_000);
  isDown = false;
  const probes = requests;
  await Promise.all(workers.map(({ policy }) => policy.execute(request).catch(() => {})));
  lines.push(`${requests - probes} probe`);
  for (let i = 0; i < 20; i++) await round();
  say('after it');
  for (const { joined } of workers) await joined.close();
  return lines;
}

if (import.meta.url === `file://${process.argv[1]}`) for (const line of await outage()) console.log(line);
