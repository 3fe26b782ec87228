// `process.started`: a process introduces itself to whoever keeps its events.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { type TestContext, test } from 'node:test';
import { connect } from '../../src/devtools/connect.js';
import { nodePlatform } from '../../src/devtools/platform-node.js';
import { emit } from '../../src/event/events.js';
import { start, stored } from './server.js';

function environment(t: TestContext, variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

test('the process comes behind its first event, and once', async (t) => {
  environment(t, {
    HALFOPEN_VERSION: '1.4.0',
    HALFOPEN_DEPLOYMENT: 'eu sk-proj-abcdefghijklmnopqrstuvwxyz0123456789',
  });
  const server = await start(t);
  const connection = connect({ url: server.url, channel: false }, nodePlatform);
  for (let count = 0; count < 3; count += 1)
    emit({}, { type: 'iterations.exceeded', max: 1 }, Date.now(), []);
  await connection.close();
  const events = await stored(server);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['iterations.exceeded', 'process.started', 'iterations.exceeded', 'iterations.exceeded'],
  );
  const { host, pid, version, deployment } = events[1] ?? {};
  assert.deepEqual([host, pid, version], [hostname(), process.pid, '1.4.0']);
  assert.doesNotMatch(String(deployment), /abcdefgh/, 'redacted, as all that the application gives');
  assert.equal(new Set(events.map(({ seq }) => seq)).size, 4);
});

test('version and deployment as OpenTelemetry has them in the environment', (t) => {
  environment(t, {
    HALFOPEN_VERSION: '',
    HALFOPEN_DEPLOYMENT: '',
    OTEL_RESOURCE_ATTRIBUTES: 'service.version=2.0%2B7, deployment.environment.name=eu%20west,broken=%,x',
  });
  const { version, deployment } = nodePlatform.describeProcess();
  assert.deepEqual([version, deployment], ['2.0+7', 'eu west']);
});
