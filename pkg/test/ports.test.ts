// Servers of tests listen at ports that no outgoing connection takes meanwhile.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { freePort } from './ports.js';

const LINUX = '/proc/sys/net/ipv4/ip_local_port_range';

test('a free port, and the one above it, are none that the system gives to an outgoing connection', async () => {
  const [first] = existsSync(LINUX) ? readFileSync(LINUX, 'utf8').split('\t').map(Number) : [49_152];
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort(10_000)));
  assert.equal(new Set(ports).size, 100);
  assert.ok(first !== undefined && Math.max(...ports) + 10_000 < first, `${Math.max(...ports)}, ${first}`);
});
