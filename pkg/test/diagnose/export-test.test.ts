// The tests that `export_test` writes for findings: each fails with the policy that made the log, and passes once the policy
// is changed as the finding proposes. They run in a process of their own, as in the user's repository.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPolicy, type PolicyOptions } from 'halfopen';
import { script, VirtualClock } from 'halfopen/testing';
import { temporaryDirectory } from '../devtools/server.js';
import { connected } from './mcp-client.js';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** The options of the policies that make the log, and the changes that the findings propose. */
const SHOP = {
  retry: { maxRetries: 1, baseDelayMs: 20 },
  breaker: { failureThreshold: 1, resetTimeoutMs: 300 },
  breakerScope: 'attempt',
} as const;
const MODEL = { retry: { maxRetries: 3, baseDelayMs: 20 }, timeout: { attemptMs: 250 } } as const;
const MAIL = { retry: { maxRetries: 2, baseDelayMs: 20 } } as const;
const CHANGES = [
  {
    finding: 'hair-trigger',
    policy: 'shop',
    before: SHOP,
    after: { ...SHOP, breaker: { failureThreshold: 5 } },
  },
  {
    finding: 'short-timeout',
    policy: 'model',
    before: MODEL,
    after: { ...MODEL, timeout: { attemptMs: 500 } },
  },
  {
    finding: 'no-timeout',
    policy: 'mail_api',
    before: MAIL,
    after: { ...MAIL, timeout: { attemptMs: 1000, totalMs: 4000 } },
  },
];

/** The log of a shop that fails at times, a model of 120 to 330 ms, and a mail server of 10 ms. */
async function logOf(): Promise<string> {
  const clock = new VirtualClock(1_700_000_000_000);
  const lines: string[] = [];
  const make = (name: string, options: PolicyOptions) =>
    createPolicy({ ...options, name, clock, seed: 1, onEvent: (event) => lines.push(JSON.stringify(event)) });
  const [shop, model, mail] = [make('shop', SHOP), make('model', MODEL), make('mail_api', MAIL)];
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  for (let round = 0; round < 60; round += 1) {
    let attempt = 0;
    const slow = () => after(120 + ((round * 37 + attempt++ * 71) % 21) * 10).then(() => 'an answer');
    const fails = script<string>(Object.assign(new Error('Bad gateway'), { status: 502 }), 'found');
    const calls = [
      shop.execute(() => after(30).then(round % 12 === 0 ? fails : () => 'found')),
      model.execute(slow),
      mail.execute(() => after(10)),
    ];
    await Promise.all([Promise.allSettled(calls), clock.advance(2000)]);
  }
  return lines.join('\n');
}

/** A folder as a user's repository has it. */
function repository(t: TestContext): string {
  const folder = temporaryDirectory(t);
  symlinkSync(MODULES, join(folder, 'node_modules'));
  return folder;
}

function run(folder: string, file: string): { passes: boolean; output: string } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', file], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { passes: status === 0, output: stdout + stderr };
}

test('each test fails with the policy that made the log, and passes with the proposed change', async (t) => {
  const folder = repository(t);
  const log = join(folder, 'events.jsonl');
  writeFileSync(log, await logOf());
  const { call } = await connected(t, [log]);
  const { value: found } = await call('findings');
  const findings = found.findings as {
    check: string;
    policy: string;
    settings: { path: string; to: string }[];
    evidence: { id?: string }[];
  }[];
  const policies = (options: Record<string, object>) =>
    `import { createPolicy } from 'halfopen';\n${Object.entries(options)
      .map(([name, of]) => `export const ${name} = createPolicy(${JSON.stringify({ name, ...of })});`)
      .join('\n')}\n`;
  for (const { finding, policy, before, after } of CHANGES) {
    const one = findings.find(({ check, policy: of }) => check === finding && of === policy);
    assert.ok(one, `${finding} of ${policy}: ${JSON.stringify(findings.map(({ check }) => check))}`);
    const ids = one.evidence.flatMap(({ id }) => id ?? []);
    assert.ok(ids.length > 0, finding);
    // Every call that the finding names leads to a test of it.
    for (const id of [ids[0], ids.at(-1)]) {
      const { value } = await call('export_test', { id, finding, policyModule: './policies.mjs' });
      assert.equal(value.demands, finding);
      assert.equal(value.file, `${policy}-${finding}.test.mjs`);
      writeFileSync(join(folder, value.file), value.code);
      writeFileSync(join(folder, 'policies.mjs'), policies({ [policy]: before }));
      const recorded = run(folder, value.file);
      assert.ok(!recorded.passes, `${finding} passes before the change:\n${value.code}`);
      const paths = one.settings.map(({ path }) => path).join(' and ');
      assert.ok(recorded.output.includes(`: look at ${paths}`), recorded.output);
      writeFileSync(join(folder, 'policies.mjs'), policies({ [policy]: after }));
      const changed = run(folder, value.file);
      assert.ok(changed.passes, `${finding} fails after the change:\n${value.code}\n${changed.output}`);
    }
  }
});

test('without a module the recorded options are in a marked place on top, and the test fails with them', async (t) => {
  const folder = repository(t);
  const log = join(folder, 'events.jsonl');
  writeFileSync(log, await logOf());
  const { call } = await connected(t, [log]);
  const { value: found } = await call('findings');
  const { evidence } = found.findings.find(({ check }: { check: string }) => check === 'short-timeout');
  const { value } = await call('export_test', { id: evidence[0].id });
  assert.match(
    value.code,
    /\/\/ YOUR POLICY\..*'model'.*\n\/\/ import \{ model as yours \} from .*\nconst yours = \{ /,
  );
  writeFileSync(join(folder, value.file), value.code);
  assert.ok(!run(folder, value.file).passes);
  writeFileSync(join(folder, value.file), value.code.replace('attemptMs: 250', 'attemptMs: 500'));
  assert.ok(run(folder, value.file).passes);
  // In TypeScript where it is wanted.
  const { value: typed } = await call('export_test', { id: evidence[0].id, language: 'typescript' });
  assert.equal(typed.file, 'model-short-timeout.test.ts');
  assert.match(typed.code, /\(ms: number\)/);
});

test('a call without such a finding is repeated, and passes', async (t) => {
  const folder = repository(t);
  const log = join(folder, 'events.jsonl');
  writeFileSync(log, await logOf());
  const { call } = await connected(t, [log]);
  const { value: calls } = await call('calls', { filter: 'policy:shop status:ok' });
  const { value } = await call('export_test', { id: calls.calls[0].id });
  assert.equal(value.demands, null);
  assert.match(value.code, /It repeats the call, and passes with the recorded options/);
  writeFileSync(join(folder, value.file), value.code);
  assert.ok(existsSync(join(folder, value.file)) && run(folder, value.file).passes);
});

for (const failed of [0, 1])
  test(`a call that opened the breaker by being slow has no test of its failures (${failed} failed attempts before)`, async (t) => {
    const folder = repository(t);
    const log = join(folder, 'events.jsonl');
    const clock = new VirtualClock(1_700_000_000_000);
    const lines: string[] = [];
    const slow = createPolicy({
      name: 'slow',
      clock,
      seed: 1,
      retry: { maxRetries: 1, baseDelayMs: 20 },
      timeout: { totalMs: 5000 },
      breaker: {
        window: { kind: 'count', size: 10, failureRate: 0.9, minimumCalls: 1 },
        slowCall: { durationMs: 100, rate: 1 },
        resetTimeoutMs: 1000,
      },
      onEvent: (event) => lines.push(JSON.stringify(event)),
    });
    const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
    for (let round = 0; round < 8; round += 1) {
      const failures = Array.from({ length: failed }, () =>
        Object.assign(new Error('Bad gateway'), { status: 502 }),
      );
      const operation = script<unknown>(...failures, () => after(200));
      const calls = [slow.execute(operation), after(300).then(() => slow.execute(() => after(10)))];
      await Promise.all([Promise.allSettled(calls), clock.advance(3000)]);
    }
    writeFileSync(log, lines.join('\n'));
    const { call } = await connected(t, [log]);
    const { value: found } = await call('findings');
    const one = found.findings.find(({ check }: { check: string }) => check === 'hair-trigger');
    assert.ok(one, JSON.stringify(found.findings));
    const id = one.evidence.flatMap(({ id }: { id?: string }) => id ?? [])[0];
    const { value } = await call('export_test', { id });
    assert.equal(value.demands, null);
    assert.doesNotMatch(value.file, /hair-trigger/);
    writeFileSync(join(folder, value.file), value.code);
    assert.ok(run(folder, value.file).passes, 'it repeats the call');
    const { isError, text } = await call('export_test', { id, finding: 'hair-trigger' });
    assert.ok(isError && /does not show enough for a test of 'hair-trigger'/.test(text), text);
  });

test('mistakes say what was expected', async (t) => {
  const folder = repository(t);
  const log = join(folder, 'events.jsonl');
  writeFileSync(log, await logOf());
  const { call } = await connected(t, [log]);
  const { value: calls } = await call('calls', { filter: 'policy:shop' });
  const { id } = calls.calls[0];
  const { value: fast } = await call('calls', { filter: 'policy:model -retried' });
  const quick = fast.calls[0].id;
  for (const [given, says] of [
    [
      { id, finding: 'flapping' },
      /^there is no test for the finding 'flapping'; there is one for short-timeout, no-timeout, hair-trigger$/,
    ],
    [{ id, finding: 'short-timeout' }, /has no finding 'short-timeout'/],
    [{ id: quick, finding: 'short-timeout' }, /^the finding 'short-timeout' does not name the call /],
    [{ id, policyExport: 'a b' }, /^'policyExport' expects the name of an export, got "a b"$/],
    [{ id, language: 'python' }, /^'language' expects javascript or typescript, got "python"$/],
  ] as const) {
    const { isError, text } = await call('export_test', given);
    assert.ok(isError, text);
    assert.match(text, says);
  }
});
