// The Runs view over two runs of an agent, one of which gets lost: by the eyes, by the keyboard, and for axe.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  drawn,
  go,
  openPage,
  output,
  send,
  seriousFindings,
  serverFor,
  setStage,
  troublesOf,
} from './stage.js';

const stage = setStage();

/** The same search again and again until the run is stopped; a run that found what it was for; and a sub-agent. */
function events(): object[] {
  const start = Date.now() - 60_000;
  let seq = 0;
  const event = (after: number, type: string, more: object = {}) => ({
    ...{ v: 1, source: 'agent', seq: ++seq, time: start + after, type },
    ...more,
  });
  const lost = { run: 'run-lost' };
  const found = { run: 'run-found' };
  const because = (count: number) => ({ kind: 'loop', loop: 'repeats', tool: 'search_flights', count });
  const call = { policy: 'openai', call: 'call-1', ...lost };
  const usage = { inputTokens: 1200, outputTokens: 80 };
  return [
    event(0, 'run.started', {
      ...{ ...lost, name: 'travel', task: 'find a flight to Bern', limits: { steps: 12 } },
    }),
    event(5, 'call.started', call),
    event(6, 'attempt.started', { ...call, attempt: 1, provider: 'openai', model: 'gpt-5' }),
    event(900, 'attempt.succeeded', { ...call, attempt: 1, durationMs: 894, usage }),
    event(900, 'call.succeeded', { ...call, attempts: 1, durationMs: 895 }),
    ...[1, 2, 3].flatMap((step) => [
      event(step * 1_000, 'run.step', { ...lost, step }),
      event(step * 1_000 + 80, 'run.tool', {
        ...{ ...lost, tool: 'search_flights', outcome: 'ok', repeated: step, durationMs: 80 },
      }),
    ]),
    event(3_900, 'run.advised', { ...lost, advice: 'steer', because: because(3) }),
    event(4_000, 'run.step', { ...lost, step: 4 }),
    event(4_100, 'run.tool', { ...lost, tool: 'search_flights', outcome: 'ok', repeated: 4, durationMs: 75 }),
    event(4_200, 'run.advised', { ...lost, advice: 'conclude', because: because(4) }),
    event(4_250, 'effect.claimed', { ...lost, name: 'book', key: 'aaaa0123456789ab', attempt: 1 }),
    event(4_260, 'effect.done', { ...lost, name: 'book', key: 'aaaa0123456789ab', attempt: 1 }),
    event(4_270, 'effect.claimed', { ...lost, name: 'pay', key: 'bbbb0123456789ab', attempt: 2 }),
    event(4_280, 'effect.unknown', { ...lost, name: 'pay', key: 'bbbb0123456789ab' }),
    event(4_300, 'run.warned', { ...lost, limit: 'steps', max: 12, spent: 10 }),
    event(4_400, 'run.tool', { ...lost, tool: 'book', outcome: 'failed', code: 'TIMEOUT', repeated: 1 }),
    event(5_000, 'run.ended', {
      ...{ ...lost, end: 'stopped', code: 'MAX_ITERATIONS_EXCEEDED' },
      userMessage: 'The assistant repeated itself and was stopped.',
      spent: { steps: 4, toolCalls: 5, ms: 5_000, inputTokens: 5_400, outputTokens: 320, cost: 0.0421 },
    }),
    event(6_000, 'run.started', { ...found, name: 'travel', task: 'find a hotel in Bern', limits: {} }),
    event(6_100, 'run.started', { run: 'run-sub', name: 'prices', parentRun: 'run-found', limits: {} }),
    event(6_200, 'run.step', { ...found, step: 1 }),
    event(6_300, 'run.tool', { ...found, tool: 'search_hotels', outcome: 'ok', repeated: 1, durationMs: 90 }),
    event(7_000, 'run.ended', {
      ...{ ...found, end: 'completed' },
      spent: { steps: 1, toolCalls: 1, ms: 1_000, inputTokens: 900, outputTokens: 60, cost: 0 },
    }),
  ];
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`Runs at ${width} px, ${theme}: a lost run by its steps, readable, nothing serious for axe`, async (t) => {
      const server = await serverFor(t);
      await send(server, events());
      const page = await openPage(stage.browser, `${server.dashboardUrl}&view=runs`, width, theme);
      const troubles = troublesOf(page);
      const view = page.getByRole('region', { name: 'Runs' });
      const row = view.getByRole('row', { name: /find a flight to Bern/ });
      for (const says of ['stopped', 'MAX_ITERATIONS_EXCEEDED', '5\u202f400 / 320', '0.0421', '5.00 s'])
        await row.getByText(says).waitFor();
      // By the keyboard.
      await row.getByRole('button').focus();
      await page.keyboard.press('Enter');
      const run = view.getByRole('article', { name: 'Run find a flight to Bern' });
      const steps = run.getByRole('list', { name: 'Steps' }).locator('> li');
      await steps.first().waitFor();
      assert.equal(await steps.count(), 4);
      const third = steps.nth(2);
      await third.getByText('×3').waitFor();
      await third.getByText("steer: 'search_flights' came to the same 3 times").waitFor();
      await third.getByText('did not help').waitFor();
      await steps.nth(3).getByText('book · TIMEOUT').waitFor();
      await steps.nth(3).getByText('10 of 12 steps spent').waitFor();
      await run.getByText('The assistant repeated itself and was stopped.').waitFor();
      const effects = run.getByRole('list', { name: 'Effects' }).getByRole('listitem');
      assert.deepEqual(
        (await effects.allInnerTexts()).map((text) =>
          text
            .split(/\s*\n\s*/)
            .slice(1)
            .join(' | '),
        ),
        [
          'pay | not known whether it happened · 4.28 s after the beginning · 2 attempts | bbbb01234567',
          'book | happened · 4.26 s after the beginning | aaaa01234567',
        ],
      );
      await drawn(page);
      await page.screenshot({ path: join(output, `run-${width}-${theme}.png`), fullPage: true });
      assert.deepEqual(await seriousFindings(page), []);
      for (const part of ['html', 'section.page', '.card.run', '.runs']) {
        const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${part}'))`;
        assert.equal(await page.evaluate(beyond), 0, `${part} is wider than its place`);
      }
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
}

test('a run leads to its calls and its sub-agents, and a finding leads to the run', async (t) => {
  const server = await serverFor(t);
  await send(server, events());
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=findings`);
  const loop = page.locator('[data-check="loop"]');
  await loop
    .getByRole('heading', {
      name: "1 run of 'travel' repeated itself: 'search_flights' came to the same 4 times",
    })
    .waitFor();
  for (const check of ['advice-ignored', 'run-without-limit'])
    await page.locator(`[data-check="${check}"]`).waitFor();
  await loop.getByRole('button', { name: 'run find a flight to Bern' }).click();
  const lost = page.getByRole('article', { name: 'Run find a flight to Bern' });
  await lost.waitFor();
  await page.getByRole('button', { name: 'find a hotel in Bern' }).click();
  const found = page.getByRole('article', { name: 'Run find a hotel in Bern' });
  await found.getByRole('button', { name: 'prices' }).click();
  const sub = page.getByRole('article', { name: 'Run prices' });
  await sub.getByText('Part of').waitFor();
  await page.getByRole('button', { name: 'find a flight to Bern' }).click();
  await lost.getByRole('listitem').getByRole('button', { name: 'openai' }).click();
  await page.locator('#details').waitFor();
  await page.close();
});

test('a log without a run says how to make one', async (t) => {
  const server = await serverFor(t);
  await send(server, [{ v: 1, source: 'alone', seq: 1, time: Date.now(), type: 'process.started', pid: 7 }]);
  const page = await openPage(stage.browser, server.dashboardUrl);
  await go(page, 'Runs');
  await page.getByText(/No run in this log/).waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.close();
});
