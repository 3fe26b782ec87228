// The example agent, run as a reader would run it: it ends well, and its log keeps the laws that the demo promises.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HalfopenEvent } from 'halfopen';
import { startDevtoolsServer } from 'halfopen/devtools';
import { checkEvents, checkSecrets } from './laws.js';

const OPENAI_API_KEY = 'sk-proj-Zq8vT3mKx0Jw7RbYc5Nd2LhG';
const ANTHROPIC_API_KEY = 'sk-ant-api03-Hp4sWe9UfQz6XaVt1MgKyB8r';

test('the agent works through the day, and its log keeps the laws', async (t) => {
  const server = await startDevtoolsServer({ port: 0 });
  t.after(() => server.close());
  const agent = fileURLToPath(new URL('agent.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', agent], {
    env: {
      ...process.env,
      HALFOPEN_DEVTOOLS_URL: server.url,
      HALFOPEN_DEVTOOLS_TOKEN: server.token,
      OPENAI_API_KEY,
      ANTHROPIC_API_KEY,
    },
  });
  const answer = await fetch(`${server.url}/events?format=jsonl`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const log = await answer.text();
  const events = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as HalfopenEvent);
  const findings = [
    ...checkEvents(events),
    ...checkSecrets({ 'what it printed': stdout + stderr, 'the events': log }, [
      OPENAI_API_KEY,
      ANTHROPIC_API_KEY,
    ]),
  ];
  for (const { what, wrong } of findings) {
    t.diagnostic(`${wrong === undefined ? '✓' : '✗'} ${what}`);
    assert.equal(wrong, undefined, what);
  }
});
