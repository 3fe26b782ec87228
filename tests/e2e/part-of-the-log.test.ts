// The dashboard requests only the part of the log that its address names: from a file, and from a PostgreSQL if there
// is one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type DevtoolsServer, startDevtoolsServer } from 'halfopen/devtools';
import { type PostgresServer, postgresPrograms, startPostgres } from '../fleet/postgres-server.js';
import { answeredCall, openPage, send, setStage, until } from './stage.js';

const HOUR = 3_600_000;
const stage = setStage();

let postgres: PostgresServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'halfopen-part-'));
before(async () => {
  if (postgresPrograms() !== undefined) postgres = await startPostgres();
});
after(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Four calls: two processes and two policies, of an hour ago and of now. */
async function fill(server: DevtoolsServer): Promise<void> {
  await send(server, [
    ...answeredCall(0, { source: 'w1', policy: 'chat', task: 'old chat' }, HOUR),
    ...answeredCall(4, { source: 'w1', policy: 'chat', task: 'new chat' }),
    ...answeredCall(8, { source: 'w1', policy: 'search', task: 'new search' }),
    ...answeredCall(0, { source: 'w2', policy: 'chat', task: 'other chat' }),
  ]);
}

const PARTS = [
  ['', ['old chat', 'new chat', 'new search', 'other chat']],
  ['policy=search', ['new search']],
  ['process=w2', ['other chat']],
  [`from=${Date.now() - HOUR / 2}`, ['new chat', 'new search', 'other chat']],
  [`to=${Date.now() - HOUR / 2}&policy=chat`, ['old chat']],
  ['text=NEW%20', ['new chat', 'new search']],
  ['policy=search&policy=chat&process=w1&text=search', ['new search']],
] as const;

for (const kind of ['file', 'database'] as const) {
  test(`the part that the address names comes from the server, which keeps its log in a ${kind}`, async (t) => {
    const database = kind === 'database' ? postgres?.url : undefined;
    // Where PostgreSQL is not installed (`scripts/setup.sh fleet`), the file alone is tested.
    if (kind === 'database' && database === undefined) return;
    const server = await startDevtoolsServer({ port: 0, directory: join(folder, kind), database });
    t.after(() => server.close());
    await fill(server);
    for (const [part, tasks] of PARTS) {
      const asked: URL[] = [];
      const page = await openPage(
        stage.browser,
        `${server.dashboardUrl}${part === '' ? '' : `&${part}`}`,
        1400,
        'light',
        async (fresh) => {
          fresh.on('request', (request) => {
            const url = new URL(request.url());
            if (url.pathname === '/events') asked.push(url);
          });
        },
      );
      const rows = page.getByRole('listbox', { name: 'Calls' }).getByRole('option');
      const shown = await until(
        async () =>
          (await rows.allTextContents()).map((row) => tasks.find((task) => row.includes(task)) ?? row),
        (all) => all.length >= tasks.length,
      );
      assert.deepEqual([...shown].sort(), [...tasks].sort(), part);
      // The server sent no more than that: what the page counts is what came.
      await page.getByText(`${tasks.length * 4} events`, { exact: true }).waitFor();
      const wanted = [...new URLSearchParams(part)];
      for (const url of asked)
        for (const [name, value] of wanted)
          assert.ok(url.searchParams.getAll(name).includes(value), url.search);
      assert.ok(asked.length > 0);
      await page.close();
    }
  });
}
