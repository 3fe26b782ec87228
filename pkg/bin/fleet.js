// `npx halfopen fleet`: what an operator sees of a fleet in Redis or Valkey, and does.
import { inspect, isolate, lift } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { columns, connect, printable, within } from './store-client.js';

/**
 * @param {'status' | 'isolate' | 'lift'} verb
 * @param {string} name of the fleet
 * @param {string | undefined} policy
 * @param {{ url: string, prefix?: string | undefined, json?: boolean | undefined }} options
 * @returns what to print.
 */
export async function fleetCommand(verb, name, policy, { url, prefix, json }) {
  const { client, end } = await connect(url);
  try {
    const store = redisStore(client, { prefix });
    if (verb !== 'status') {
      await within(verb === 'isolate' ? isolate(store, name, policy) : lift(store, name, policy), url);
      return verb === 'isolate'
        ? `'${policy}' of '${name}' is isolated: every process refuses its calls from its next sync on`
        : `'${policy}' of '${name}' is not isolated any more`;
    }
    const policies = await within(inspect(store, name), url);
    if (json) return JSON.stringify(policies, undefined, 2);
    return policies.length === 0 ? `nobody has joined a fleet '${name}' within a day` : table(policies);
  } finally {
    end();
  }
}

function table(policies) {
  const rows = policies.map(({ policy, state, since, nodes, limits }) => [
    printable(policy),
    state,
    new Date(since).toISOString(),
    String(nodes),
    limits.map(({ unit, limit, used }) => `${used}/${limit} ${unit}`).join(', ') || '-',
  ]);
  return columns([['policy', 'state', 'since', 'processes', 'limits'], ...rows]);
}
