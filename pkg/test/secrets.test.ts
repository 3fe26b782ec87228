// No secret that the application writes into a text reaches events, logs, observers, responses, reports or spans.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  AgentError,
  CircuitBreaker,
  createPolicies,
  createPolicy,
  degrade,
  failover,
  formatErrorMessage,
  type HalfopenEvent,
  onEvent,
  toolResult,
} from 'halfopen';
import { instrument } from 'halfopen/otel';
import { VirtualClock } from 'halfopen/testing';

const TAIL = 'CANARYkeyAbCdEfGhIjKlMnOpQrStUvWx7890';
const KEY = ['sk', 'proj', TAIL].join('-');
const URL_WITH_PASSWORD = `postgres://app:${TAIL}@db.example.com/main`;

/** Everything that anybody was given, as text. */
class Heard {
  readonly all: string[] = [];
  readonly events: HalfopenEvent[] = [];
  readonly take = (...said: unknown[]): void => {
    this.all.push(said.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' '));
  };
  readonly event = (event: HalfopenEvent): void => {
    this.events.push(event);
    this.take(event);
  };
  /** Fails if six letters of the key's middle are left, or if nothing was recorded at all. */
  holdsNoSecret(): void {
    assert.ok(this.all.length > 0, 'nothing was heard');
    for (const text of this.all) assert.doesNotMatch(text, /CANARY|OpQrSt/, text);
  }
}

function heard(t: { after(run: () => void): void }): Heard {
  const all = new Heard();
  t.after(onEvent(all.event));
  return all;
}

const spans = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('t');

test('names, tasks, models, options and own classifications', async (t) => {
  const all = heard(t);
  const clock = new VirtualClock();
  const policy = createPolicy({
    clock,
    name: KEY,
    provider: KEY,
    model: `model ${KEY}`,
    breaker: { name: `breaker ${KEY}`, failureThreshold: 1 },
    retry: { maxRetries: 1, enableJitter: false },
    classify: () => ({
      code: 'SERVER_ERROR',
      rule: `rule ${KEY}`,
      userMessage: `It failed with ${KEY}`,
      metadata: { technicalDetails: `details ${KEY}`, suggestions: [`use ${KEY}`] },
      provider: { provider: KEY, model: KEY, requestId: KEY },
    }),
    onDebug: all.take,
    // The span is the application's own, handed back to it.
    onError: (_span, response) => all.take(response),
  });
  const stop = instrument(policy, { tracer });
  const responded = policy.respond(
    () => {
      throw new Error(`boom ${KEY}`);
    },
    { task: `${'x'.repeat(180)} ${KEY}`, span: { traceId: KEY, spanId: 'a'.repeat(16) } },
  );
  await clock.advance(120_000);
  all.take(await responded);
  stop();
  for (const span of spans.getFinishedSpans()) all.take(span.name, span.attributes, span.events, span.status);
  const types = new Set(all.events.map((event) => event.type));
  for (const type of [
    'policy.configured',
    'call.started',
    'attempt.started',
    'attempt.failed',
    'call.failed',
  ]) {
    assert.ok(types.has(type as HalfopenEvent['type']), `${type} was not heard`);
  }
  assert.ok(spans.getFinishedSpans().length > 0);
  all.holdsNoSecret();
});

test('a policy that is named by the URL of a database', async (t) => {
  const all = heard(t);
  const policy = createPolicies({ retry: false }).get(URL_WITH_PASSWORD);
  await policy.execute(() => 1, { task: URL_WITH_PASSWORD });
  assert.match(all.all.join(), /postgres:\/\/\[redacted\]@db\.example\.com/);
  all.holdsNoSecret();
});

test("an AgentError's own message, metadata and provider", async (t) => {
  const all = heard(t);
  const policy = createPolicy({ name: 'p', retry: false, onDebug: all.take, onError: all.take });
  const error = new AgentError('SERVER_ERROR', `refused ${KEY}`, {
    metadata: { technicalDetails: `sent ${KEY}` },
    provider: { provider: KEY, model: KEY, requestId: KEY },
  });
  const response = await policy.respond(() => {
    throw error;
  });
  all.take(response);
  all.take(error);
  all.take(error.toResponse());
  all.take(formatErrorMessage(error, { technicalDetails: true }));
  all.holdsNoSecret();
});

for (const thrown of [Symbol(KEY), KEY, { message: KEY }, new Error(KEY), [KEY]]) {
  test(`thrown: ${typeof thrown}`, async (t) => {
    const all = heard(t);
    const policy = createPolicy({ name: 'p', retry: false, onDebug: all.take, onError: all.take });
    const error = await policy
      .execute(() => {
        throw thrown;
      })
      .catch((caught: AgentError) => caught);
    all.take(error as AgentError);
    all.take((error as AgentError).message);
    const tool = toolResult((): string => {
      throw thrown;
    });
    all.take(await tool());
    all.holdsNoSecret();
  });
}

test('degraded operations, failover targets and breakers', async (t) => {
  const all = heard(t);
  await degrade(
    () => {
      throw new Error(KEY);
    },
    { name: KEY, fallback: 1, onDebug: all.take },
  );
  const failing = createPolicy({ name: 'a', retry: false });
  await failover(
    [
      {
        policy: failing,
        name: `first ${KEY}`,
        run: () => Promise.reject(new AgentError('SERVER_ERROR', KEY)),
      },
      { policy: createPolicy({ name: 'b', retry: false }), name: `second ${KEY}`, run: () => 1 },
    ],
    { on: ['SERVER_ERROR'] },
  );
  new CircuitBreaker({ name: `breaker ${KEY}` }).isolate();
  const types = new Set(all.events.map((event) => event.type));
  assert.ok(types.has('degraded') && types.has('failover.switched') && types.has('breaker.changed'));
  all.holdsNoSecret();
});

test('a cut does not leave the head of a key', async (t) => {
  const all = heard(t);
  const policy = createPolicy({ name: 'p', retry: false, onDebug: all.take });
  for (let lead = 480; lead < 520; lead++) {
    await policy
      .execute(() => {
        throw new AgentError('SERVER_ERROR', `${'y'.repeat(lead)} ghp_${TAIL}`);
      })
      .catch(() => {});
  }
  all.holdsNoSecret();
});
