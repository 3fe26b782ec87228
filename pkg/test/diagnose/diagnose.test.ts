// `npx halfopen diagnose`: the dashboard's findings, worst first, and how it ends.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { start, temporaryDirectory } from '../devtools/server.js';
import { FIXTURES, run } from './command.js';

const INCIDENT = `${FIXTURES}incident.jsonl`;

test('prints each finding with where it is seen, what to change and the code', async () => {
  const { code, stdout, stderr } = await run(['diagnose', INCIDENT]);
  assert.deepEqual([code, stderr], [0, '']);
  const [first = '', second = '', summary = ''] = stdout.trimEnd().split('\n\n');
  assert.match(
    first,
    /^✕ harm {2}Only the fallback answered 9 calls of 'support-desk' in a row {2}\(hidden-outage\)$/m,
  );
  assert.match(first, /^ {2}- call 547f96f2-\w+, 2026-11-22T\S+Z: .*answered by its fallback/m);
  assert.match(first, /^ {2}What to do: /m);
  assert.match(
    second,
    /^⚠ risk {2}10 retries of SERVER_ERROR in a row, and none succeeded {2}\(futile-retries\)$/m,
  );
  assert.match(second, /^ {4}createPolicy\(\{$/m);
  assert.match(
    summary,
    /: 115 events, \d+ calls, 0 runs, from 2026-11-22T\S+ to 2026-11-22T\S+\.\n2 findings: 1 harm, 1 risk\.$/,
  );
});

test('--json has the findings of the vectors, which the page has too', async () => {
  const { stdout } = await run(['diagnose', INCIDENT, '--json']);
  const { log, findings } = JSON.parse(stdout);
  const vectors = JSON.parse(readFileSync(`${FIXTURES}../vectors/findings.json`, 'utf8'));
  assert.equal(log.events, 115);
  assert.deepEqual(
    findings,
    vectors.find((one: { log: string; lines: number }) => one.log === 'incident' && one.lines === 115)
      .findings,
  );
});

test('--fail-on ends with 1 where a finding of that grade or a worse one stands', async (t) => {
  const directory = temporaryDirectory(t);
  const line = (seq: number, more: string) =>
    `{"v":1,"source":"s","seq":${seq},"time":${1e12 + seq},"policy":"chat",${more}}`;
  const risk = join(directory, 'risk.jsonl');
  const options = '{"retry":{"maxRetries":3},"timeout":{"totalMs":"Infinity"}}';
  writeFileSync(
    risk,
    [
      line(1, `"type":"policy.configured","options":${options},"seed":1`),
      line(2, '"call":"c","type":"call.started"'),
      line(3, '"call":"c","type":"call.succeeded","attempts":1,"durationMs":1'),
    ].join('\n'),
  );
  const fine = join(directory, 'fine.jsonl');
  writeFileSync(fine, line(1, '"call":"c","type":"call.started"'));
  const codes = async (path: string) => {
    const grades = [[], ['--fail-on', 'risk'], ['--fail-on', 'harm']];
    return Promise.all(grades.map(async (more) => (await run(['diagnose', path, ...more])).code));
  };
  assert.deepEqual(await codes(INCIDENT), [0, 1, 1]);
  assert.deepEqual(await codes(risk), [0, 1, 0]);
  assert.deepEqual(await codes(fine), [0, 0, 0]);
  assert.match(
    (await run(['diagnose', fine])).stdout,
    /\nNo problem detected: nothing in this log suggests another setting\.\n$/,
  );
});

test('a folder of the devtools and a running server have the findings of the file', async (t) => {
  const { stdout: expected } = await run(['diagnose', INCIDENT]);
  const findings = (stdout: string) => stdout.slice(0, stdout.lastIndexOf('\n\n'));
  const folder = join(temporaryDirectory(t), 'log');
  mkdirSync(folder);
  cpSync(INCIDENT, join(folder, 'events-0123abcd-000000000000000.jsonl'));
  assert.equal(findings((await run(['diagnose', folder])).stdout), findings(expected));

  const server = await start(t);
  const sent = await fetch(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-ndjson' },
    body: readFileSync(INCIDENT),
  });
  assert.equal(sent.status, 200);
  const home = { HALFOPEN_HOME: String(process.env.HALFOPEN_HOME) };
  // With the token of the URL, of the environment, and of this user's server on that port.
  for (const [url, env] of [
    [server.dashboardUrl, { HALFOPEN_HOME: temporaryDirectory(t) }],
    [server.url, { HALFOPEN_DEVTOOLS_TOKEN: String(server.token) }],
    [server.url, home],
  ] as const) {
    const { code, stdout, stderr } = await run(['diagnose', '--url', url], env);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(findings(stdout), findings(expected));
    assert.ok(!stdout.includes(String(server.token)), 'the token is not printed');
  }
  const denied = await run(['diagnose', '--url', server.url], { HALFOPEN_HOME: temporaryDirectory(t) });
  assert.equal(denied.code, 1);
  assert.match(denied.stderr, /^halfopen: http:\/\/127\.0\.0\.1:\d+ answered 401: A token is needed\./);
});

test('what is not understood ends with 2, and a log that cannot be read with 1', async (t) => {
  const directory = temporaryDirectory(t);
  const wrong = join(directory, 'wrong.jsonl');
  writeFileSync(wrong, 'no log\n');
  for (const [args, code, says] of [
    [[], 2, /'diagnose' expects one log: a file, a folder, --url or --database, got none\n/],
    [['a', 'b'], 2, /got 2\n/],
    [['a', '--url', 'http://127.0.0.1:1'], 2, /got 2\n/],
    [['--url', 'nowhere'], 2, /--url expects the URL of a devtools server, got 'nowhere'/],
    [['--database', 'mysql://u:secret@h/x'], 2, /--database expects a URL that begins with postgres:\/\//],
    [['a', '--fail-on', 'note'], 2, /--fail-on expects 'harm' or 'risk', got 'note'/],
    [['a', '--seeds', '3'], 2, /'diagnose' has no option --seeds/],
    [[join(directory, 'none.jsonl')], 1, /the log could not be read: ENOENT/],
    [[directory], 1, /has no log of the devtools/],
    [[wrong], 1, /wrong\.jsonl has no event of Halfopen in it: /],
    [['--url', 'http://127.0.0.1:9'], 1, /does not answer \(.*\)\. Start the server: npx halfopen devtools/],
  ] as const) {
    const ended = await run(['diagnose', ...args]);
    assert.deepEqual([ended.code, ended.stdout], [code, ''], args.join(' '));
    assert.match(ended.stderr, says);
    assert.ok(!ended.stderr.includes('secret'));
  }
});
