// An agent that was killed or stopped in the middle of its calls: they are set aside, and come back when it does.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, root, serverFor, setStage } from './stage.js';

const stage = setStage();

/** An agent whose two calls go on, one waiting and one running. */
async function interruptedAgent(t: TestContext, url: string, token: string | undefined) {
  const agent = spawn(process.execPath, ['--import', 'tsx', 'tests/e2e/interrupted-agent.ts'], {
    cwd: root,
    env: { ...process.env, HALFOPEN_DEVTOOLS_URL: url, HALFOPEN_DEVTOOLS_TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => agent.kill('SIGKILL'));
  const [said] = await Promise.race([once(agent.stdout, 'data'), once(agent, 'exit')]);
  assert.equal(String(said), 'ready\n');
  return agent;
}

/** A page whose time can be advanced, the agent, and a call's row by its text. */
async function watched(t: TestContext) {
  const server = await serverFor(t);
  const install = (fresh: Page) => fresh.clock.install();
  const page = await openPage(stage.browser, server.dashboardUrl, 1400, 'light', install);
  t.after(() => page.close());
  const token = new URL(server.dashboardUrl).searchParams.get('token') ?? undefined;
  const agent = await interruptedAgent(t, server.url, token);
  const row = (task: string, says: string) =>
    page.getByRole('option', { name: new RegExp(`${task}: .*${says}`) });
  await row('waits', 'waiting to retry').waitFor();
  await row('runs', 'running, attempt 1').waitFor();
  return { page, agent, row };
}

test('the calls of a killed agent are set aside, and nothing waits for them', async (t) => {
  const { page, agent, row } = await watched(t);
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  // Its retry is due after a minute. It could be late.
  await page.clock.fastForward(70_000);
  assert.equal(await row('waits', 'waiting to retry').count(), 1);
  await page.clock.fastForward(30_000);
  for (const task of ['waits', 'runs']) await row(task, 'its process stopped reporting').waitFor();

  // Nothing goes on, so the page draws no frames of its own accord.
  await page.evaluate(`{
    const original = requestAnimationFrame;
    window.frames_asked = 0;
    window.requestAnimationFrame = (told) => { window.frames_asked += 1; return original(told); };
  }`);
  await page.clock.runFor(2_000);
  const asked = (await page.evaluate('window.frames_asked')) as number;
  // A tick has one, four times a second; a page that draws smoothly has sixty.
  assert.ok(asked < 40, `${asked} frames in two seconds`);

  await row('waits', 'not ended').click();
  const details = page.getByRole('complementary', { name: 'Selected call' });
  await details.getByText('in which its process stopped reporting').waitFor();
  await details.getByText('Last event', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  const band = page.getByRole('region', { name: 'Pending' });
  await band.getByText('nothing goes on').waitFor();
  await band.getByRole('button', { name: '2 calls silent' }).click();
  assert.equal(await page.getByLabel('Filter calls').inputValue(), 'silent');
  for (const task of ['waits', 'runs']) await row(task, 'not ended').waitFor();
});

test('an agent that was only stopped has its calls back when it goes on', async (t) => {
  const { page, agent, row } = await watched(t);
  agent.kill('SIGSTOP');
  await page.clock.fastForward(100_000);
  await row('runs', 'its process stopped reporting').waitFor();
  // The page's time is ahead of the agent's: what ends now is not in the time that a page shows which follows.
  await page.getByRole('button', { name: 'Fit' }).click();
  agent.kill('SIGCONT');
  agent.stdin.write('go on\n');
  await row('runs', 'succeeded after 1 attempt').waitFor();
  await row('waits', 'waiting to retry').waitFor();
});
