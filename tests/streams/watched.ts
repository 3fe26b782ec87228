// The outcome of one recorded stream when an SDK reads it through `watch`.
import assert from 'node:assert/strict';
import { AgentError, type AgentErrorCode, ResponseHandler } from 'halfopen';
import type { Sdk } from './sdks.js';
import type { Cut, Player } from './server.js';

export interface Outcome {
  text: string;
  tools?: string;
  truncated?: true;
  throws?: { code: AgentErrorCode; retryable: boolean };
}

/** Reads a recorded stream to its end, or to what it throws; it arrives cut into these sizes. */
export async function watched(player: Player, sdk: Sdk, name: string, cut?: Cut): Promise<Outcome> {
  player.cut = cut;
  const handler = new ResponseHandler();
  const outcome: Outcome = { text: '' };
  try {
    const stream = await sdk.stream(`${player.origin}/${sdk.folder}/${name}`);
    const seen = new ResponseHandler();
    for await (const chunk of handler.watch(stream)) {
      if (seen.processChunk(chunk)?.metadata.truncated === true) outcome.truncated = true;
    }
  } catch (thrown) {
    assert.ok(AgentError.is(thrown), `an AgentError, not ${thrown}`);
    outcome.throws = { code: thrown.code, retryable: thrown.retryable };
  }
  outcome.text = handler.text;
  const tools = handler.toolCalls.map((call) => call.name + call.arguments).join(' ');
  if (tools !== '') outcome.tools = tools;
  return outcome;
}
