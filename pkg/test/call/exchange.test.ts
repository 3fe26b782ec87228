// The common behaviour of guarded exchanges, through every entry: which responses they keep, and that they release all
// others.
import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, type Policy } from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { fetchMiddleware } from 'halfopen/mcp';
import { guardInterceptor } from 'halfopen/undici';
import { onVirtualClock } from '../policy/given.js';

type Send = () => Promise<Response>;

/** The doors, each as a function that sends one request by `send`. */
const DOORS: Readonly<Record<string, (policy: Policy, send: Send) => Promise<Response>>> = {
  async 'policy.fetch'(policy, send) {
    const global = globalThis.fetch;
    globalThis.fetch = send as typeof fetch;
    // It reads the global when it sends, which a retry does later.
    try {
      return await policy.fetch('http://stand-in/');
    } finally {
      globalThis.fetch = global;
    }
  },
  answerFetch: (policy, send) => answerFetch(policy, {}, send as typeof fetch)('http://stand-in/'),
  fetchMiddleware: (policy, send) => fetchMiddleware(policy)(send)('http://stand-in/'),
};

/** A response whose body never ends, and a flag that its body was released. */
function endless(status: number, text = 'x'.repeat(5000)) {
  const state = { isReleased: false };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel() {
      state.isReleased = true;
    },
  });
  return { response: new Response(body, { status }), state };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const [door, open] of Object.entries(DOORS)) {
  test(`${door}: a call that ends without a response lets go of the last failing one`, async () => {
    const { clock, policy } = onVirtualClock({ retry: { baseDelayMs: 1000, enableJitter: false } });
    const { response, state } = endless(503);
    const call = open(policy, async () => response).catch((error: unknown) => error);
    await clock.advance(500);
    assert.equal(state.isReleased, false);
    policy.dispose();
    assert.ok((await call) instanceof TypeError);
    await turns();
    assert.equal(state.isReleased, true);
  });

  for (const status of [200, 503]) {
    test(`${door}: a response of ${status} that comes after its attempt was cut off is let go`, async () => {
      const { clock, policy } = onVirtualClock({
        retry: { maxRetries: 1, backoff: () => 0 },
        timeout: { attemptMs: 100 },
      });
      const late = endless(status);
      let come = (_response: Response): void => {};
      let sent = 0;
      // Not every `fetch` heeds the signal.
      const send: Send = () =>
        ++sent === 1
          ? new Promise((resolve) => {
              come = resolve;
            })
          : Promise.resolve(new Response('fine'));
      const call = open(policy, send);
      await clock.advance(100);
      const response = await call;
      come(late.response);
      await turns();
      assert.equal(late.state.isReleased, true);
      assert.equal(await response.text(), 'fine');
    });
  }

  test(`${door}: the error that a client makes of the last response knows whom the request went to`, async () => {
    const { policy } = onVirtualClock({ retry: false, provider: 'anthropic', model: 'claude-sonnet-4-5' });
    const { headers, status } = await open(policy, async () => new Response('no', { status: 500 }));
    const { provider } = classify(Object.assign(new Error('no'), { headers, status }));
    assert.deepEqual([provider.provider, provider.model], ['anthropic', 'claude-sonnet-4-5']);
  });

  test(`${door}: a failing body that stalls is waited for on the policy's clock`, async () => {
    const { clock, policy } = onVirtualClock({ retry: false });
    let isOver = false;
    const { response } = endless(500, 'no');
    const call = open(policy, async () => response).finally(() => {
      isOver = true;
    });
    await clock.advance(999);
    assert.equal(isOver, false);
    await clock.advance(1);
    await turns();
    assert.equal(isOver, true);
    assert.equal((await call).status, 500);
  });
}

test('undici: a call that ends without a response lets go of the last failing one', async () => {
  const { clock, policy } = onVirtualClock({ retry: { baseDelayMs: 1000, enableJitter: false } });
  const aborted: unknown[] = [];
  const dispatch = (_request: object, handler: Record<string, (...given: unknown[]) => void>): boolean => {
    const controller = { abort: (reason: unknown) => aborted.push(reason), pause() {}, resume() {} };
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 503, {}, '');
    handler.onResponseData?.(controller, new Uint8Array(5000));
    return true;
  };
  const ended = new Promise<unknown>((resolve) => {
    const handler = { onResponseError: (_controller: unknown, error: unknown) => resolve(error) };
    guardInterceptor(policy)(dispatch)({ method: 'GET' } as never, handler as never);
  });
  await clock.advance(500);
  assert.deepEqual(aborted, []);
  policy.dispose();
  assert.equal(((await ended) as { code: string }).code, 'CANCELLED');
  assert.equal(aborted.length, 1);
});
