// `halfopen/log` with real pino and winston: what their lines look like.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { logEvents } from 'halfopen/log';
import { script } from 'halfopen/testing';
import { pino } from 'pino';
import winston from 'winston';

const busy = () => Object.assign(new Error('busy'), { status: 503 });
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
const wrongKey = () => Object.assign(new Error(`Incorrect API key provided: ${SECRET}`), { status: 401 });

/** A stream that keeps what is written to it, line by line, as JSON. */
function sink() {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { stream, lines };
}

test('pino: one line a call that matters, with fields beside the message', async () => {
  const { stream, lines } = sink();
  const stop = logEvents(pino(stream));
  const policy = createPolicy({ name: 'openai', retry: { baseDelayMs: 1 } });
  await policy.execute(() => 'fine');
  await policy.execute(script<unknown>(busy(), 'fine'), { task: 'plan' });
  await policy.execute(script<unknown>(wrongKey())).catch(() => {});
  stop();
  const [retried, failed, ...others] = lines();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [retried?.level, retried?.msg, retried?.task, retried?.attempts, retried?.failed],
    [40, 'openai: succeeded after 2 attempts', 'plan', 2, ['SERVER_ERROR']],
  );
  assert.deepEqual(
    [failed?.level, failed?.msg, failed?.code, failed?.statusCode],
    [50, 'openai: failed after 1 attempt: AUTHENTICATION_ERROR', 'AUTHENTICATION_ERROR', 401],
  );
  assert.ok(!JSON.stringify(lines()).includes(SECRET));
});

test('a child of pino keeps its bindings', async () => {
  const { stream, lines } = sink();
  const stop = logEvents(pino(stream).child({ service: 'agent' }), { level: 'all' });
  await createPolicy({ name: 'openai' }).execute(() => 'fine');
  stop();
  const [line] = lines();
  assert.deepEqual([line?.service, line?.policy, line?.level], ['agent', 'openai', 30]);
});

test('winston: the same fields, at its own levels', async () => {
  const { stream, lines } = sink();
  const logger = winston.createLogger({
    format: winston.format.json(),
    transports: [new winston.transports.Stream({ stream })],
  });
  const stop = logEvents(logger);
  const policy = createPolicy({ name: 'openai', retry: { baseDelayMs: 1 } });
  await policy.execute(script<unknown>(busy(), 'fine'), { task: 'plan' });
  await policy.execute(script<unknown>(wrongKey())).catch(() => {});
  stop();
  const heads = lines().map(({ level, message, code, task }) => ({ level, message, code, task }));
  assert.deepEqual(heads, [
    { level: 'warn', message: 'openai: succeeded after 2 attempts', code: undefined, task: 'plan' },
    {
      level: 'error',
      message: 'openai: failed after 1 attempt: AUTHENTICATION_ERROR',
      code: 'AUTHENTICATION_ERROR',
      task: undefined,
    },
  ]);
  assert.ok(!JSON.stringify(lines()).includes(SECRET));
});
