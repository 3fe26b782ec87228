// Files of OTLP/JSON, as a collector's file exporter writes them, read into a server's log.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type OtlpSummary, readOtlp } from '../../src/devtools/server/otlp.js';
import { line, start, stored, temporaryDirectory } from './server.js';

const record = (body: unknown) => ({ timeUnixNano: '1', body, eventName: 'halfopen.call.started' });
const exported = (bodies: readonly unknown[], attributes: object[] = []) =>
  JSON.stringify({
    resourceLogs: [{ resource: { attributes }, scopeLogs: [{ scope: {}, logRecords: bodies.map(record) }] }],
  });
const text = (stringValue: string) => ({ stringValue });

async function read(t: TestContext, content: string): Promise<{ lines: string[]; summary: OtlpSummary }> {
  const path = join(temporaryDirectory(t), 'logs.json');
  writeFileSync(path, content);
  const lines: string[] = [];
  const summary = await readOtlp(path, async (events) => lines.push(...events.map((event) => event.line)));
  return { lines, summary };
}

test('the bodies are the events, in order; records of others and lines that are none are counted', async (t) => {
  const { lines, summary } = await read(
    t,
    [
      exported([text(line(1)), text('GET /health 200'), { kvlistValue: {} }, undefined]),
      '',
      exported([text(line(2))]).slice(0, 40),
      '{"resourceMetrics":[]}',
      '{"resourceLogs":[null]}',
      exported([text(line(3))]),
    ].join('\n'),
  );
  assert.deepEqual(lines, [line(1), line(3)]);
  assert.deepEqual(summary, { events: 2, foreign: 3, unreadable: 3 });
});

test('a process is introduced by its resource, once, before its first event', async (t) => {
  const resource = [
    { key: 'host.name', value: { stringValue: 'worker-7' } },
    { key: 'service.version', value: { stringValue: '1.4.0' } },
    { key: 'deployment.environment.name', value: { stringValue: 'eu' } },
    { key: 'process.pid', value: { intValue: '4711' } },
  ];
  const { lines } = await read(
    t,
    `${exported([text(line(7))], resource)}\n${exported([text(line(8))], resource)}\n`,
  );
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    ...{ v: 1, source: 'agent-1', seq: 0, time: 1_700_000_000_007, type: 'process.started' },
    ...{ host: 'worker-7', version: '1.4.0', deployment: 'eu', pid: 4711 },
  });
  assert.deepEqual(lines.slice(1), [line(7), line(8)]);
});

test('a server started with a file has its events, and once, however often it is read', async (t) => {
  const directory = temporaryDirectory(t);
  const otlp = join(directory, 'logs.json');
  writeFileSync(otlp, exported(Array.from({ length: 2_500 }, (_, seq) => text(line(seq + 1)))));
  const first = await start(t, { directory, otlp });
  assert.equal((await stored(first)).length, 2_500);
  await first.close();
  const again = await start(t, { directory, otlp });
  assert.equal((await stored(again)).length, 2_500);
});

test('lines of a file that are none are counted on the terminal', async (t) => {
  const directory = temporaryDirectory(t);
  const otlp = join(directory, 'torn.json');
  writeFileSync(otlp, `${exported([text(line(1))])}\n{"resourceLogs":[\n`);
  const said = t.mock.method(console, 'error', () => {}).mock;
  const server = await start(t, { directory, otlp });
  assert.equal((await stored(server)).length, 1);
  assert.match(
    String(said.calls[0]?.arguments[0]),
    /: 1 lines of .*torn\.json are no OTLP\/JSON of logs: passed over$/,
  );
});

test('a file without a newline that is longer than any text may be is refused in words', async (t) => {
  const directory = temporaryDirectory(t);
  const otlp = join(directory, 'huge.json');
  writeFileSync(otlp, '');
  truncateSync(otlp, 600 * 1024 * 1024);
  await assert.rejects(start(t, { directory, otlp }), /huge\.json.*line 1 is longer than 128 MiB/);
});

test('a file that is not there, or holds no log records, is said so', async (t) => {
  const directory = temporaryDirectory(t);
  await assert.rejects(start(t, { directory, otlp: join(directory, 'none.json') }), /none\.json.*ENOENT/);
  const other = join(directory, 'metrics.json');
  writeFileSync(other, '{"resourceMetrics":[]}\n');
  await assert.rejects(start(t, { directory, otlp: other }), /metrics\.json has no log records/);
});
