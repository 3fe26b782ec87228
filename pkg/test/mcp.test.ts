// `halfopen/mcp` without the SDK: what becomes of responses that are not passed on, and of wrong arguments.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type Policy, type PolicyOptions } from 'halfopen';
import { fetchMiddleware, guardClient, toolSucceeded } from 'halfopen/mcp';

const policyOf = (options: PolicyOptions = {}): Policy =>
  createPolicy({ retry: { maxRetries: 3, baseDelayMs: 1, enableJitter: false }, ...options });

/** A response whose body never ends; records that its body was released. */
function failing(cancelled: number[], number: number): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(5000).fill(120)),
    cancel: () => void cancelled.push(number),
  });
  return new Response(body, { status: 500 });
}

test('the bodies of failing responses that are not passed on are cancelled', async () => {
  const cancelled: number[] = [];
  let sent = 0;
  const next = async () => failing(cancelled, ++sent);
  const response = await fetchMiddleware(policyOf({ breaker: false }))(next)('http://127.0.0.1/mcp');
  assert.deepEqual([response.status, sent, cancelled], [500, 4, [1, 2, 3]]);
  await response.body?.cancel();
  assert.deepEqual(cancelled, [1, 2, 3, 4]);
});

test("a hedge's response is not that of the call, which another attempt ended", async () => {
  const cancelled: number[] = [];
  let sent = 0;
  const next = async () => {
    const number = ++sent;
    // The first comes after the hedge has failed, and is the last that the call hears of.
    await new Promise((resolve) => setTimeout(resolve, number === 1 ? 60 : 1));
    return failing(cancelled, number);
  };
  const policy = policyOf({ hedge: { afterMs: 5 }, retry: false, breaker: false });
  const response = await fetchMiddleware(policy)(next)('http://127.0.0.1/mcp');
  assert.deepEqual([response.status, sent, cancelled], [500, 2, [2]]);
  await response.body?.cancel();
});

test('callTool without arguments rejects, and does not throw', async () => {
  const client = { callTool: async () => ({}), listTools: async () => ({ tools: [] }) };
  const guarded = guardClient(client as never, policyOf()) as { callTool(): Promise<unknown> };
  const result = guarded.callTool();
  await assert.rejects(result, TypeError);
});

test('a long complaint of a server is no work, and the model reads the beginning', () => {
  for (const quote of [`'`, '"']) {
    const words = `Expected a number, received ${quote}`.repeat(20_000);
    const begun = performance.now();
    const text = `Invalid arguments for tool add: ${words}x`;
    assert.throws(
      () => toolSucceeded({ isError: true, content: [{ type: 'text', text }] }),
      ({ code, message }: { code: string; message: string }) =>
        code === 'VALIDATION_ERROR' && message.length < 1200 && !message.includes('received'),
    );
    const tookMs = performance.now() - begun;
    assert.ok(tookMs < 2000, `${tookMs} ms`); // by one expression it was half a minute
  }
});

test('of a complaint that names values, the places and expectations remain', () => {
  const said = (text: string) => {
    try {
      toolSucceeded({
        isError: true,
        content: [{ type: 'text', text: `Invalid arguments for tool add: ${text}` }],
      });
    } catch (error) {
      return /fit the tool: (.*)\. Call/.exec((error as Error).message)?.[1];
    }
    return undefined;
  };
  assert.equal(said(`Expected 'C', received 'it's' at unit, and more`), "Expected 'C' at unit, and more");
  assert.equal(said('Expected number, received string at n'), 'Expected number at n');
  assert.equal(
    said(`Expected 'C', received 'A', Expected 'D' but received "x"`),
    "Expected 'C', Expected 'D'",
  );
});
