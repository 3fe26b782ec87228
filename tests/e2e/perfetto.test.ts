// The trace that the dashboard exports, opened in Perfetto: what its trace processor makes of it, and how it looks there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openInPerfetto, perfettoFiles } from './perfetto-ui.js';
import { fixture, openFixture, openPage, output, setStage } from './stage.js';

const stage = setStage();

/** The events of the fixture, all or of one type. */
function recorded(type?: string): { call: string; to?: string; time: number }[] {
  const lines = readFileSync(fixture('incident.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).filter((event) => type === undefined || event.type === type);
}

test('Perfetto reads the incident: calls, what is within them, the breaker, without a complaint', async (t) => {
  const files = perfettoFiles();
  if ('missing' in files) return t.skip(files.missing);
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await openFixture(page);
  await page.getByRole('option').first().waitFor();
  const download = page.waitForEvent('download');
  await page.keyboard.press('g');
  const trace = readFileSync(await (await download).path(), 'utf8');
  await page.close();

  const { page: perfetto, query, close } = await openInPerfetto(stage.browser, files.folder, trace);
  t.after(close);
  const column = async (sql: string) => (await query(sql)).map((row) => Object.values(row)[0]);
  assert.deepEqual(await query(`select name, value from stats where severity != 'info' and value != 0`), []);

  // A row for calls that do not overlap, then one for the breaker; no row passes for the process's main thread.
  const rows = await query(`select process.name as process, thread.name as row, is_main_thread as main
    from thread join process using(upid) where thread.name is not null order by tid`);
  assert.deepEqual(
    rows.map(({ row, main }) => [row, main]),
    [
      ['support-desk', 0],
      ['breaker support-desk', 0],
    ],
  );
  assert.match(String(rows[0]?.process), /^agent [0-9a-f]{16}$/);

  // Every call, from its first event to its last, to the millisecond.
  const begun = recorded('call.started');
  const calls = await query(`select extract_arg(arg_set_id, 'args.call') as call, dur, depth from slice
    where extract_arg(arg_set_id, 'args.call') is not null`);
  assert.equal(calls.length, begun.length);
  assert.ok(calls.every((call) => call.depth === 0));
  for (const { call, time } of begun) {
    const took = Math.max(...recorded().flatMap((event) => (event.call === call ? [event.time] : []))) - time;
    const dur = Number(calls.find((one) => one.call === call)?.dur) / 1e6;
    assert.ok(Math.abs(dur - took) <= 1, `${call}: ${dur} ms, not ${took}`);
  }
  // Attempts and waits, each within a call, and one after the other.
  const attempts = await column(`select count() from slice where depth = 1 and name glob 'attempt *'`);
  assert.deepEqual(attempts, [recorded('attempt.started').length]);
  const waits = await column(
    `select count() from slice where depth = 1 and name in ('backoff', 'Retry-After')`,
  );
  assert.deepEqual(waits, [recorded('retry.scheduled').length]);
  assert.deepEqual(await query(`select * from slice where depth > 1 and dur > 0`), []);
  // The breaker's states, without a gap.
  const states = await query(`select slice.name as state, ts, ts + dur as ends from slice
    join thread_track on track_id = thread_track.id join thread using(utid)
    where thread.name glob 'breaker *' and dur > 0 order by ts`);
  assert.deepEqual(
    states.map((state) => state.state),
    ['closed', ...recorded('breaker.changed').map((event) => event.to?.replace('_', '-'))],
  );
  for (const [index, state] of states.slice(1).entries()) assert.equal(state.ts, states[index]?.ends);

  // And a person sees it.
  await perfetto.getByText('breaker support-desk').first().waitFor();
  await perfetto.waitForTimeout(1_000);
  await perfetto.screenshot({ path: join(output, 'perfetto.png') });
  assert.equal(await perfetto.getByText('something went wrong').count(), 0);
});
