// The Fleet view over three processes that share a policy: by the eyes, by the keyboard, and for axe.
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

const OPTIONS = {
  name: 'openai',
  breaker: { failureThreshold: 5, resetTimeoutMs: 60_000 },
  rateLimit: [
    { limit: 500, windowMs: 60_000 },
    { limit: 90_000, windowMs: 60_000, unit: 'tokens' },
  ],
  bulkhead: { maxConcurrent: 20 },
  fleet: { name: 'workers', quotaScope: 'org-1/gpt-5', shared: true },
};

/**
 * The events of three processes: two saw the provider fail, of which one has lost the store, and a third knows nothing
 * yet.
 */
function events(): object[] {
  const start = Date.now() - 20_000;
  return ['worker-1', 'worker-2', 'worker-3'].flatMap((source, place) => {
    let seq = 0;
    const event = (after: number, type: string, more: object = {}) => ({
      ...{ v: 1, source, seq: ++seq, time: start + after, type },
      ...more,
    });
    const version = place === 2 ? '1.4.1' : '1.4.0';
    const of = { policy: 'openai' };
    const call = { ...of, call: `${source}-1` };
    const fails = place < 2;
    return [
      event(0, 'process.started', {
        host: `host-${place}`,
        pid: 100 + place,
        version,
        deployment: 'eu-west',
      }),
      event(1, 'policy.configured', { ...of, options: OPTIONS, seed: 1 }),
      event(2, 'fleet.changed', { fleet: 'workers', status: 'joined' }),
      event(3, 'call.started', call),
      event(4, 'attempt.started', { ...call, attempt: 1, provider: 'openai', model: 'gpt-5' }),
      ...(fails
        ? [
            event(9, 'attempt.failed', {
              ...{ ...call, attempt: 1, durationMs: 5, code: 'RATE_LIMITED', severity: 'retriable' },
              ...{ retryable: true, rule: 'http.429', technicalDetails: '', signals: {}, counted: true },
              ...(place === 0 ? { retryAfterMs: 900_000 } : {}),
            }),
            event(9, 'breaker.changed', {
              ...{ ...of, breaker: 'openai', from: 'closed', to: 'open', generation: 2 },
              ...{ reason: 'as in the fleet', retryAt: start + 900_000 },
            }),
            event(9, 'call.failed', {
              ...{
                ...call,
                attempts: 1,
                durationMs: 6,
                code: 'RATE_LIMITED',
                why: 'exhausted',
                userMessage: '',
              },
            }),
          ]
        : [
            event(9, 'attempt.succeeded', { ...call, attempt: 1, durationMs: 5 }),
            event(9, 'call.succeeded', { ...call, attempts: 1, durationMs: 6 }),
            event(10, 'fleet.mismatch', { fleet: 'workers', key: 'workers/policy/openai' }),
          ]),
      ...(place === 1
        ? [
            event(5_000, 'fleet.changed', {
              ...{ fleet: 'workers', status: 'degraded', reason: 'the store did not answer within 50 ms' },
            }),
          ]
        : []),
    ];
  });
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`Fleet at ${width} px, ${theme}: who sees what, readable, nothing serious for axe`, async (t) => {
      const server = await serverFor(t);
      await send(server, events());
      const page = await openPage(stage.browser, `${server.dashboardUrl}&view=fleet`, width, theme);
      const troubles = troublesOf(page);
      const view = page.getByRole('region', { name: 'Fleet' });
      const card = view.getByRole('article', { name: 'Shared policy openai' });
      const seen = card.getByRole('list', { name: 'How its breaker is seen' });
      await seen.getByText('worker-1, worker-2').waitFor();
      assert.equal(await seen.getByRole('listitem').count(), 2);
      await card.getByText('3 of 500 attempts').waitFor();
      await card.getByText(/RATE_LIMITED at worker-1: the provider asked to wait/).waitFor();
      await card.getByText(/noticed by worker-3/).waitFor();
      await card
        .getByText(/1 process lost the store\. Without it, a process goes by its own breaker/)
        .waitFor();
      await card.getByText('in 1 m 00 s, safe share 166').waitFor();
      const first = view.getByRole('row', { name: /worker-2/ });
      assert.match(
        (await view
          .getByRole('row')
          .nth(width > 700 ? 1 : 0)
          .textContent()) ?? '',
        /worker-2/,
      );
      await first.getByText('store lost').waitFor();
      await first.getByText(/the store did not answer within 50 ms/).waitFor();
      await drawn(page);
      await page.screenshot({ path: join(output, `fleet-${width}-${theme}.png`), fullPage: true });
      assert.deepEqual(await seriousFindings(page), []);
      for (const part of ['html', 'section.page', '.shared-policy', '.processes']) {
        const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${part}'))`;
        assert.equal(await page.evaluate(beyond), 0, `${part} is wider than its place`);
      }
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
}

test('a process leads to its calls, by the keyboard; its host and its version are filters and groups', async (t) => {
  const server = await serverFor(t);
  await send(server, events());
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=fleet`);
  const button = page.getByRole('row', { name: /worker-3/ }).getByRole('button');
  await button.waitFor();
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('q') === 'source:worker-3');
  const rows = page.getByRole('listbox', { name: 'Calls' }).getByRole('option');
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  for (const [filter, count] of [
    ['host:host-0', 1],
    ['version:1.4.0', 2],
    ['deployment:eu-west', 3],
    ['-version:1.4.1 group:host', 2],
  ] as const) {
    await page.getByLabel('Filter calls').fill(filter);
    await rows.nth(count - 1).waitFor();
    assert.equal(await rows.count(), count, filter);
  }
  await page.getByText('host host-0').first().waitFor();
  await page.close();
});

test('a log without a fleet says how to share, and lists its processes', async (t) => {
  const server = await serverFor(t);
  const alone = { v: 1, source: 'alone', seq: 1, time: Date.now() };
  await send(server, [{ ...alone, type: 'process.started', host: 'laptop', pid: 7 }]);
  const page = await openPage(stage.browser, server.dashboardUrl);
  await go(page, 'Fleet');
  const view = page.getByRole('region', { name: 'Fleet' });
  await view.getByText(/No policy of this log shares its state/).waitFor();
  await view.getByRole('row', { name: /laptop/ }).waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.close();
});
