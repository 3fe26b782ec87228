// Live errors of SDKs and clients beyond the first set: the same faults through every client.
import { clients } from './clients.mjs';
import { X } from './faults.mjs';
import { origin, register, start, stop } from './server.mjs';
import { FAULTS, HTML } from './wire.mjs';

const ID = 'reqCANARY0001';
const after = (ms, reason) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms).unref();
  return controller.signal;
};

export const cases = [];
export const setup = start;
export const teardown = stop;
function add(client, fault, expected, run, more = {}) {
  cases.push({
    id: `${client.key}.${fault}`,
    sdk: client.key,
    expected: { statusCode: null, retryAfterMs: null, requestId: null, accept: [], ...expected, ...more },
    ...(expected.ambiguous && { ambiguous: expected.ambiguous }),
    run,
  });
}

for (const client of clients) {
  const serve = (fault, spec) => `${origin.http}/x/${register(`wider.${client.key}.${fault}`, spec)}`;
  const { keeps } = client;
  for (const [fault, row] of Object.entries(FAULTS)) {
    const body = row[client.speaks];
    if (!body) continue;
    const aws = client.speaks === 'bedrock';
    const status =
      (aws && (row.awsStatus ?? { ThrottlingException: 429 }[row.aws])) ||
      row[`${client.speaks}Status`] ||
      row.status;
    const headers = { 'content-type': 'application/json' };
    if (row.hint) headers['retry-after'] = String(row.hint / 1000);
    if (keeps.id) headers[keeps.id] = ID;
    if (aws) headers['x-amzn-errortype'] = row.aws;
    const base = serve(fault, { kind: 'http', status, headers, body });
    const lost = keeps.body === false; // the client throws without having read the body
    const expected =
      lost && ['quota', 'no-model', 'context', 'filtered', 'overloaded'].includes(fault)
        ? {
            ...X(
              {
                quota: 'RATE_LIMITED',
                'no-model': 'NOT_FOUND',
                context: 'VALIDATION_ERROR',
                filtered: 'VALIDATION_ERROR',
                overloaded: 'SERVER_ERROR',
              }[fault],
              ['quota', 'overloaded'].includes(fault),
            ),
            ambiguous: 'the body was not read',
          }
        : row.expected;
    add(client, fault, expected, () => client.call({ base }), {
      statusCode: keeps.status ? status : null,
      retryAfterMs: row.hint && keeps.hint ? row.hint : null,
      requestId: keeps.id ? ID : null,
    });
  }
  const net = X('NETWORK_ERROR', true);
  add(client, 'refused', net, () => client.call({ base: `${origin.closed}/x/z` }));
  add(client, 'unknown-host', net, () => client.call({ base: `${origin.dns}/x/z` }));
  add(
    client,
    'self-signed',
    { ...X('NETWORK_ERROR', false), ...(client.losesCause && { ambiguous: 'only "fetch failed" is left' }) },
    () => client.call({ base: `${origin.https}/x/z` }),
  );
  add(client, 'reset', net, () => client.call({ base: serve('reset', { kind: 'destroy' }) }));
  add(
    client,
    'timeout',
    {
      ...X('TIMEOUT', true),
      ...(client.abortIsTimeout && { accept: ['CANCELLED'], ambiguous: 'a timeout is told as an abort' }),
    },
    () => client.call({ base: serve('timeout', { kind: 'never' }), timeout: 150 }),
  );
  add(client, 'abort', X('CANCELLED', false), () =>
    client.call({ base: serve('abort', { kind: 'never' }), signal: after(60) }),
  );
  add(client, 'cut-body', X('NETWORK_ERROR', true, { accept: ['INVALID_RESPONSE'] }), () =>
    client.call({ base: serve('cut-body', { kind: 'partial', body: '{"id":"x","choices":[{"mess' }) }),
  );
  add(
    client,
    'html-502',
    X('SERVER_ERROR', true),
    () =>
      client.call({
        base: serve('html-502', {
          kind: 'http',
          status: 502,
          headers: { 'content-type': 'text/html' },
          body: HTML,
        }),
      }),
    { statusCode: keeps.status ? 502 : null },
  );
  add(
    client,
    'empty-503',
    X('SERVER_ERROR', true, { accept: ['PROVIDER_OVERLOADED'] }),
    () => client.call({ base: serve('empty-503', { kind: 'http', status: 503, headers: {}, body: '' }) }),
    { statusCode: keeps.status ? 503 : null },
  );
  add(
    client,
    'html-200',
    X('INVALID_RESPONSE', false, { accept: client.key === 'langchain' ? ['UNKNOWN'] : [] }),
    () =>
      client.call({
        base: serve('html-200', {
          kind: 'http',
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: HTML,
        }),
      }),
  );
  add(client, 'cut-json-200', X('INVALID_RESPONSE', true), () =>
    client.call({
      base: serve('cut-json-200', {
        kind: 'http',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"id":"x","choices":[{"mess',
      }),
    }),
  );
}
for (const one of cases) {
  const { run } = one;
  one.run = async () => {
    await start();
    return run();
  };
}
