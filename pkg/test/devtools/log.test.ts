// The append-only log: what is acknowledged is there, once, after whatever happened to the file.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { acceptBatch } from '../../src/devtools/server/accept.js';
import { LogCursor } from '../../src/devtools/server/cursor.js';
import { BacklogFull } from '../../src/devtools/server/event-store.js';
import { EventLog } from '../../src/devtools/server/log.js';
import { SeenEvents } from '../../src/devtools/server/seen.js';
import { line, temporaryDirectory, until } from './server.js';

const batch = (...lines: string[]) => acceptBatch(lines.join('\n')).events;

async function readAll(log: EventLog, from = log.start): Promise<{ seqs: number[]; gaps: number }> {
  const cursor = new LogCursor(log, from);
  const seqs: number[] = [];
  let gaps = 0;
  for (let chunk = await cursor.next(); chunk !== undefined; chunk = await cursor.next()) {
    for (const text of chunk.lines) seqs.push((JSON.parse(text) as { seq: number }).seq);
    if (chunk.gap) gaps += 1;
  }
  await cursor.close();
  return { seqs, gaps };
}

const filesOf = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
const onlyFile = (directory: string) => join(directory, filesOf(directory)[0] ?? 'none');

test('the process of a delay is read from an older writer too', () => {
  const delay = { type: 'retry.scheduled', call: 'c1' };
  const sources = batch(
    line(1, { ...delay, source: 'agent-1', delaySource: 'backoff' }),
    line(2, { ...delay, source: 'backoff', process: 'agent-1' }),
    line(3, { ...delay, source: 'retry-after' }),
  ).map(({ source }) => source);
  assert.deepEqual(sources, ['agent-1', 'agent-1', 'retry-after/c1']);
});

test('an appended event is in the file when append resolves', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory);
  assert.deepEqual(await log.append(batch(line(1), line(2))), { stored: 2, duplicates: 0, old: 0 });
  assert.equal(readFileSync(onlyFile(directory), 'utf8'), `${line(1)}\n${line(2)}\n`);
  await log.close();
});

test('a batch that comes again, at once or after a restart, is stored once', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory);
  const twice = await Promise.all([log.append(batch(line(1), line(2))), log.append(batch(line(2), line(3)))]);
  assert.deepEqual(
    twice.map(({ stored, duplicates }) => [stored, duplicates]),
    [
      [2, 0],
      [1, 1],
    ],
  );
  await log.close();
  const again = await EventLog.open(directory);
  assert.equal((await again.append(batch(line(3), line(4)))).duplicates, 1);
  assert.deepEqual((await readAll(again)).seqs, [1, 2, 3, 4]);
  await again.close();
});

test('a torn last line is cut off and the log goes on behind it', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory);
  await log.append(batch(line(1)));
  await log.close();
  appendFileSync(onlyFile(directory), line(2).slice(0, 20));
  const again = await EventLog.open(directory);
  assert.equal((await again.append(batch(line(2)))).stored, 1);
  assert.deepEqual((await readAll(again)).seqs, [1, 2]);
  await again.close();
});

test('a last line that lacks nothing but its newline is kept', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory);
  await log.append(batch(line(1)));
  await log.close();
  appendFileSync(onlyFile(directory), line(2));
  const again = await EventLog.open(directory);
  assert.equal((await again.append(batch(line(2), line(3)))).duplicates, 1);
  assert.deepEqual((await readAll(again)).seqs, [1, 2, 3]);
  await again.close();
});

test('zeros, as a crash of the machine leaves them, are passed over', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory);
  await log.append(batch(line(1)));
  await log.close();
  appendFileSync(onlyFile(directory), Buffer.alloc(200_000));
  const again = await EventLog.open(directory);
  await again.append(batch(line(2)));
  assert.deepEqual((await readAll(again)).seqs, [1, 2]);
  await again.close();
});

test('files rotate, the oldest go, and a reader that lags is told of the gap', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory, { segmentBytes: 1_000, maxBytes: 3_000 });
  await log.append(batch(line(1)));
  const lagging = new LogCursor(log, log.start);
  for (let seq = 2; seq <= 100; seq += 1) await log.append(batch(line(seq)));
  const sizes = filesOf(directory).map((name) => statSync(join(directory, name)).size);
  assert.ok(sizes.length >= 3 && sizes.length <= 5, `${sizes.length} files`);
  assert.ok(sizes.reduce((sum, size) => sum + size) <= 4_200, `${sizes} bytes`);

  const { seqs, gaps } = await readAll(log, 0);
  assert.equal(seqs.at(-1), 100);
  assert.deepEqual(
    seqs,
    Array.from({ length: seqs.length }, (_, index) => 101 - seqs.length + index),
  );
  assert.equal(gaps, 1);
  assert.equal((await lagging.next())?.gap, true);
  await lagging.close();
  await log.close();
});

test('a reader may start within a line and gets the next whole one', async (t) => {
  const log = await EventLog.open(temporaryDirectory(t));
  await log.append(batch(line(1, { task: '{"x":{}}' }), line(2), line(3)));
  const first = line(1, { task: '{"x":{}}' }).length;
  for (let from = 1; from <= first; from += 1) {
    assert.deepEqual((await readAll(log, from)).seqs, [2, 3], `from ${from}`);
  }
  assert.deepEqual((await readAll(log, first + 1)).seqs, [2, 3]);
  assert.deepEqual((await readAll(log, first + 2)).seqs, [3]);
  await log.close();
});

test('more than may wait is refused, and can be sent again', async (t) => {
  const log = await EventLog.open(temporaryDirectory(t), { backlogBytes: 300 });
  const first = log.append(batch(line(1), line(2)));
  const results = await Promise.allSettled([
    log.append(batch(line(3), line(4))),
    log.append(batch(line(5), line(6))),
  ]);
  await first;
  const refused = results.filter(({ status }) => status === 'rejected');
  assert.ok(refused.length >= 1);
  assert.ok((refused[0] as PromiseRejectedResult).reason instanceof BacklogFull);
  await log.append(batch(line(5), line(6)));
  assert.ok((await readAll(log)).seqs.includes(6));
  await log.close();
});

test('an event far below the newest of its source is neither stored nor a duplicate', async (t) => {
  const log = await EventLog.open(temporaryDirectory(t));
  assert.deepEqual(await log.append(batch(line(100_000), line(1))), { stored: 1, duplicates: 0, old: 1 });
  assert.deepEqual((await readAll(log)).seqs, [100_000]);
  await log.close();
});

test('a log with a file that is not its own does not open, and holds nothing open', async (t) => {
  const directory = temporaryDirectory(t);
  const log = await EventLog.open(directory, { segmentBytes: 100 });
  for (const seq of [1, 2, 3]) await log.append(batch(line(seq)));
  await log.close();
  const [oldest = ''] = filesOf(directory).sort();
  const elsewhere = join(temporaryDirectory(t), 'elsewhere');
  renameSync(join(directory, oldest), elsewhere);
  symlinkSync(elsewhere, join(directory, oldest));
  await assert.rejects(EventLog.open(directory), /is no regular file/);
  rmSync(join(directory, oldest));
  renameSync(elsewhere, join(directory, oldest));
  const again = await EventLog.open(directory);
  assert.deepEqual((await readAll(again)).seqs, [1, 2, 3]);
  await again.close();
});

test('files that somebody removes are counted, in the log itself and for its owner', async (t) => {
  const directory = temporaryDirectory(t);
  let lost = 0;
  const hooks = {
    restore: async () => {},
    onLost(count: number) {
      lost += count;
    },
  };
  const log = await EventLog.open(directory, { segmentBytes: 100 }, hooks);
  for (const seq of [1, 2, 3, 4]) await log.append(batch(line(seq)));
  const files = filesOf(directory).sort();
  const missing = files[0] ?? '';
  const inIt = readFileSync(join(directory, missing), 'utf8').trim().split('\n').length;
  rmSync(join(directory, missing));
  await until(() => lost === inIt, 'the look at the files');
  const newest = join(directory, files.at(-1) ?? '');
  const inNewest = () => readFileSync(newest, 'utf8').trim().split('\n');
  await until(() => inNewest().some((text) => text.includes('events.dropped')), 'the marker');
  const kept = inNewest().length;
  rmSync(newest);
  await log.append(batch(line(5)));
  // The marker of the first loss was in it, and does not count as an event.
  await until(() => lost === inIt + kept - 1, 'the next look');
  const counts = async () => {
    const cursor = new LogCursor(log, log.start);
    const found: number[] = [];
    for (let chunk = await cursor.next(); chunk !== undefined; chunk = await cursor.next())
      for (const text of chunk.lines) {
        const { type, count } = JSON.parse(text) as { type: string; count: number };
        if (type === 'events.dropped') found.push(count);
      }
    await cursor.close();
    return found;
  };
  await until(async () => (await counts()).length > 0, 'the marker of both');
  assert.deepEqual(await counts(), [lost]);
  await log.close();
});

test('seen events: any order within the window, bounded below it', () => {
  const seen = new SeenEvents();
  assert.equal(seen.add('a', 100_000), 'new');
  assert.equal(seen.add('a', 99_999), 'new');
  assert.equal(seen.add('a', 99_999), 'duplicate');
  assert.equal(seen.add('b', 99_999), 'new');
  assert.equal(seen.add('a', 100_000 - 65_536), 'old');
  assert.equal(seen.add('a', 100_000 - 65_535), 'new');
  assert.equal(seen.add('a', 165_000), 'new');
  assert.equal(seen.add('a', 100_000), 'duplicate');
  seen.remove('a', 165_000);
  assert.equal(seen.add('a', 165_000), 'new');
  assert.equal(seen.add('a', Number.MAX_SAFE_INTEGER), 'new');
  for (let source = 0; source < 5_000; source += 1) seen.add(`s${source}`, 1);
  assert.ok(seen.sources <= 1_024);
});
