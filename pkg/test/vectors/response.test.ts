// response.json: what chunks and whole responses say, and what is wrong with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, type ResponseFormat, ResponseHandler } from 'halfopen';
import { cases } from './cases.js';

interface Wrong {
  provider?: true;
  class?: string;
  code: string;
  retryable: boolean;
  message?: string;
}

interface Case {
  name: string;
  format?: ResponseFormat;
  locale?: string;
  chunks?: unknown[];
  whole?: unknown;
  validate?: unknown;
  said?: unknown[];
  throws?: Wrong | null;
  at?: number;
  end?: Wrong | null;
  genuineEnd?: Wrong | null;
  text?: string;
  final?: string;
  finalThrows?: Wrong;
  statuses?: string[];
  toolCalls?: unknown[];
  unknown?: string[];
  truncated?: boolean;
  format_is?: string;
}

function assertWrong(thrown: unknown, expected: Wrong): void {
  assert.ok(AgentError.is(thrown), `an AgentError, not ${thrown}`);
  const { provider, class: name, ...fields } = expected;
  if (provider) {
    assert.deepEqual({ code: thrown.code, retryable: thrown.retryable }, fields);
    return;
  }
  assert.equal(thrown.name, name);
  const found = thrown as unknown as Record<string, unknown>;
  for (const [field, value] of Object.entries(fields)) assert.equal(found[field], value, field);
}

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

async function* stream(chunks: unknown[]) {
  yield* chunks;
}

for (const vector of cases<Case>('response')) {
  test(vector.name, async () => {
    const statuses: string[] = [];
    const unknown: unknown[] = [];
    const format = { format: vector.format };
    const handler = new ResponseHandler({
      ...format,
      locale: vector.locale,
      statusCallback: (status) => statuses.push(status),
      onDebug: (message, details) => {
        if (message === 'Passed over a chunk of an unknown type')
          unknown.push((details as { type?: string }).type);
      },
    });
    if ('validate' in vector) {
      const thrown = caught(() => handler.validateResponse(vector.validate));
      if (vector.throws) assertWrong(thrown, vector.throws);
      else assert.equal(thrown, undefined);
      assert.equal(handler.chunkCount, 0, 'validating changes nothing');
      return;
    }
    const said: unknown[] = [];
    const inputs = 'whole' in vector ? [vector.whole] : (vector.chunks ?? []);
    let thrown: unknown;
    for (const [index, input] of inputs.entries()) {
      thrown = caught(() =>
        said.push('whole' in vector ? handler.processResponse(input) : handler.processChunk(input)),
      );
      if (thrown === undefined) continue;
      assert.equal(index, vector.at, `failed at another chunk: ${thrown}`);
      break;
    }
    if (vector.throws) assertWrong(thrown, vector.throws);
    else assert.equal(thrown, undefined);
    if (vector.said) assert.deepEqual(said, vector.said);
    if (vector.text !== undefined) assert.equal(handler.text, vector.text);
    if (vector.final !== undefined) assert.equal(handler.getFinalResponse(), vector.final);
    if (vector.finalThrows)
      assertWrong(
        caught(() => handler.getFinalResponse()),
        vector.finalThrows,
      );
    if (vector.statuses) assert.deepEqual(statuses, vector.statuses);
    if (vector.toolCalls) assert.deepEqual(handler.toolCalls, vector.toolCalls);
    if (vector.unknown) assert.deepEqual(unknown, vector.unknown);
    if (vector.truncated)
      assert.ok(said.some((chunk) => (chunk as { metadata: { truncated?: true } }).metadata.truncated));
    if (vector.format_is) assert.equal(handler.format, vector.format_is);
    if (!vector.chunks) return;

    // The same through a watched stream: chunks pass unchanged up to the one that throws.
    const passed: unknown[] = [];
    const watcher = new ResponseHandler(format);
    let end: unknown;
    try {
      for await (const chunk of watcher.watch(stream(vector.chunks))) passed.push(chunk);
    } catch (error) {
      end = error;
    }
    assert.deepEqual(passed, vector.chunks.slice(0, vector.at));
    if (vector.throws) assertWrong(end, vector.throws);
    else if (vector.end) assertWrong(end, vector.end);
    else if (vector.end === null) assert.equal(end, undefined);
    assert.equal(watcher.text, handler.text);
    assert.deepEqual(watcher.toolCalls, handler.toolCalls);

    if (!('genuineEnd' in vector)) return;
    const collected = await new ResponseHandler(format)
      .collect(() => stream(vector.chunks ?? []))
      .catch((error) => error);
    if (vector.genuineEnd) assertWrong(collected, vector.genuineEnd);
    else if (handler.text !== '') assert.equal(collected, handler.text);
  });
}
