// `idempotent: false`: what may have been carried out is not repeated; what was refused before any work is.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { guardClient } from 'halfopen/mcp';
import { VirtualClock } from 'halfopen/testing';

/** How often a call that must not be carried out twice runs. */
async function calls(thrown: unknown): Promise<number> {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false });
  let count = 0;
  const response = policy.respond(
    () => {
      count++;
      throw thrown;
    },
    { idempotent: false },
  );
  await clock.advance(1e9);
  await response;
  return count;
}

const answered = (status: number, headers?: Record<string, string>) =>
  Object.assign(new Error('x'), { status, ...(headers && { headers }) });
const failed = (code: string) => Object.assign(new Error('x'), { code });

test('a call that may have been carried out runs once', async () => {
  for (const thrown of [
    ...[500, 502, 503, 504, 520].map((status) => answered(status)),
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'].map(failed),
    new AgentError('SERVER_ERROR', 'x'),
    new AgentError('INVALID_RESPONSE', 'x', { retryable: true }),
    Object.assign(new Error('Internal error'), { name: 'McpError', code: -32603 }),
    Object.assign(new Error('CERT_HAS_EXPIRED: read'), { code: 'ECONNRESET' }),
    Object.assign(new Error('try again in 5 seconds'), { status: 503 }),
    new Error('socket hang up'),
  ]) {
    assert.equal(await calls(thrown), 1, String(thrown) + JSON.stringify(thrown));
  }
});

test('a call that was refused before any work is repeated', async () => {
  for (const thrown of [
    answered(429),
    answered(529),
    answered(503, { 'retry-after': '1' }),
    failed('ECONNREFUSED'),
    failed('ENOTFOUND'),
    new AgentError('RATE_LIMITED', 'x'),
    new AgentError('SERVER_ERROR', 'x', { provider: { statusCode: 503 }, retryAfterMs: 10 }),
  ]) {
    assert.equal(await calls(thrown), 4, String(thrown) + JSON.stringify(thrown));
  }
});

test('a tool of an MCP server that failed within is not called again', async () => {
  for (const answer of [
    () => ({ isError: true, content: [{ type: 'text', text: 'Internal server error' }] }),
    () => {
      throw Object.assign(new Error('MCP error -32603: Internal error'), { code: -32603 });
    },
  ]) {
    const clock = new VirtualClock();
    let count = 0;
    const client = {
      callTool: async (_request: object) => {
        count++;
        return answer();
      },
      listTools: async () => ({ tools: [] }),
    };
    const guarded = guardClient(client, createPolicy({ clock, breaker: false }));
    const result = guarded.callTool({ name: 'pay', arguments: {} }).catch(() => 'failed');
    await clock.advance(1e9);
    assert.equal(await result, 'failed');
    assert.equal(count, 1);
  }
});
