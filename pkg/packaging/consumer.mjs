// The tasks of every consumer of the package, whatever loaded it. Returns its observations, and throws at the first
// fault.

function expect(what, got, wanted) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  }
}

/** Classes and functions print under the names that they are exported by. Bundles that are minified have others. */
export function expectNames(module) {
  const misnamed = Object.entries(module)
    .filter(([name, value]) => typeof value === 'function' && value.name !== name)
    .map(([name, value]) => `${name} is ${value.name}`);
  expect('names', misnamed, []);
}

/** `loaded` are the module namespaces of the entry points, as this runtime imported or required them. */
export async function consume({ halfopen, testing }) {
  const { AgentError, AGENT_ERROR_CODES, classify, createPolicy, getUserFriendlyMessage, redact } = halfopen;

  // The core runs: text in, text out, a table, a classification of an object.
  expect('codes', AGENT_ERROR_CODES.length, 28);
  expect('redact', redact('Bearer sk-ant-REDACTED').includes('abcdefghij'), false);
  const seen = classify({ status: 429, headers: { 'retry-after': '2' }, message: 'slow down' });
  expect('classify', [seen.code, seen.retryAfterMs], ['RATE_LIMITED', 2000]);
  expect('message', getUserFriendlyMessage('TIMEOUT').length > 10, true);
  const german = getUserFriendlyMessage('TIMEOUT', {}, { locale: 'de-AT' });
  expect('German', german.includes('Bitte versuchen Sie'), true);

  // A guarded call, on a clock of the testing entry: two failures, two waits, an answer. No real time passes.
  const clock = new testing.VirtualClock();
  const policy = createPolicy({ name: 'consumer', clock, seed: 1, retry: { enableJitter: false } });
  const operation = testing.script(
    new Error('socket hang up'),
    Object.assign(new Error('x'), { status: 503 }),
    42,
  );
  const call = policy.execute(operation);
  await clock.advance(1000);
  await clock.advance(2000);
  expect('answer', await call, 42);
  expect('calls', operation.calls, 3);
  expect('timers left', clock.pending, 0);

  // One class in all entry points: an error that crosses them is recognised.
  const failure = await policy
    .execute(() => Promise.reject(Object.assign(new Error('no'), { status: 401 })))
    .catch((error) => error);
  expect(
    'instanceof',
    [failure instanceof AgentError, failure instanceof Error, AgentError.is(failure)],
    [true, true, true],
  );
  expect('code', failure.code, 'AUTHENTICATION_ERROR');
  expect('what the user reads', failure.userMessage('de').includes('API-Schlüssel'), true);

  // A stream that breaks goes on with what was received.
  const words = ['a', 'broken', 'stream'];
  const stream = policy.stream(
    async function* ({ attempt, received }) {
      for (const word of words.slice(received.length)) {
        if (attempt === 1 && word === 'stream') throw new Error('socket hang up');
        yield word;
      }
    },
    { onBreak: 'resume' },
  );
  const chunks = [];
  const reading = (async () => {
    for await (const chunk of stream) chunks.push(chunk);
  })();
  // Code that is translated takes more turns to begin a wait.
  for (let second = 0; second < 5 && chunks.length < words.length; second += 1) await clock.advance(1000);
  expect('stream', chunks, words);
  await reading;

  policy.dispose();
  return `${AGENT_ERROR_CODES.length} codes, ${operation.calls} attempts, ${failure.code}, ${chunks.length} chunks`;
}
