// Events as log records: emitted by `exportEvents`, exported by OpenTelemetry's exporter to a receiver of OTLP/HTTP, written
// to a file as the collector's file exporter writes it, and read back by `npx halfopen devtools --otlp`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { createPolicy, type HalfopenEvent, onEvent } from 'halfopen';
import { exportEvents } from 'halfopen/otel';

interface Attribute {
  key: string;
  value: { stringValue?: string };
}
interface LogRecord {
  timeUnixNano: string;
  severityText: string;
  eventName?: string;
  body: { stringValue: string };
  attributes: Attribute[];
}

/** The requests as they came, and the records in them. */
const requests: string[] = [];
const records: LogRecord[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  requests.push(text);
  for (const { scopeLogs } of JSON.parse(text).resourceLogs)
    for (const { logRecords } of scopeLogs) records.push(...logRecords);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
const directory = mkdtempSync(join(tmpdir(), 'halfopen-otlp-'));
const emitted: HalfopenEvent[] = [];

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${port}/v1/logs` });
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'host.name': 'worker-7', 'service.version': '1.4.0' }),
    processors: [new BatchLogRecordProcessor({ exporter })],
  });
  const stops = [exportEvents(provider.getLogger('halfopen')), onEvent((event) => emitted.push(event))];
  const policy = createPolicy({ name: 'answers', retry: { baseDelayMs: 1 } });
  await policy.execute(({ attempt }) => {
    if (attempt === 1) throw Object.assign(new Error('slow down: é 😀'), { status: 429 });
    return 'yes';
  });
  await policy.execute(() => Promise.reject(Object.assign(new Error('no'), { status: 401 }))).catch(() => {});
  for (const stop of stops) stop();
  await policy.execute(() => 'nobody listens any more');
  await provider.shutdown();
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
});

test('every event arrives as a record: its line, its time, how severe it is, and what to filter by', () => {
  assert.ok(emitted.length >= 10);
  assert.deepEqual(
    records.map(({ body }) => JSON.parse(body.stringValue)),
    emitted,
  );
  for (const [index, event] of emitted.entries()) {
    const record = records[index] as LogRecord;
    assert.equal(record.eventName, `halfopen.${event.type}`);
    assert.equal(Number(BigInt(record.timeUnixNano) / 1_000_000n), Math.trunc(event.time));
    const attributes = Object.fromEntries(
      record.attributes.map(({ key, value }) => [key, value.stringValue]),
    );
    assert.equal(attributes['halfopen.source'], event.source);
    assert.equal(attributes['halfopen.policy'], event.policy);
    assert.equal(attributes['halfopen.call'], event.call);
  }
  const severities = Object.fromEntries(records.map((record) => [record.eventName, record.severityText]));
  assert.equal(severities['halfopen.attempt.failed'], 'WARN');
  assert.equal(severities['halfopen.call.failed'], 'ERROR');
  assert.equal(severities['halfopen.call.succeeded'], 'INFO');
});

test('the command reads them back, with the process of their resource', async (t) => {
  const file = join(directory, 'logs.json');
  writeFileSync(file, `${requests.join('\n')}\n`);
  const bin = fileURLToPath(new URL('../../pkg/bin/halfopen.js', import.meta.url));
  const child = spawn(process.execPath, [bin, 'devtools', '--port', '0', '--otlp', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HALFOPEN_HOME: directory, HALFOPEN_DEVTOOLS_TOKEN: '' },
  });
  t.after(() => child.kill());
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url = /http:\S+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  const { origin, searchParams } = new URL(url);
  const answer = await fetch(`${origin}/events?format=jsonl`, {
    headers: { authorization: `Bearer ${searchParams.get('token')}` },
  });
  const [first, ...rest] = (await answer.text())
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  assert.deepEqual([first.type, first.host, first.version], ['process.started', 'worker-7', '1.4.0']);
  assert.deepEqual(rest, emitted);
});

test('what is no logger is a misuse', () => {
  assert.throws(() => exportEvents({} as never), /Logger of @opentelemetry\/api-logs/);
});
