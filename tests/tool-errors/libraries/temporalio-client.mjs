// @temporalio/client on a stub of gRPC: ServiceError with the ServiceError of grpc-js as its cause, and classes of its own.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, sleep } from '../servers/net.mjs';

const lib = library({ packages: ['@temporalio/client'] });
const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService/';

/** A server of which each method but GetSystemInfo fails like this. */
async function failing(code, details) {
  const { Server, ServerCredentials } = (await import('@grpc/grpc-js')).default;
  const made = new Server();
  const method = (name, handler) =>
    made.register(
      SERVICE + name,
      handler,
      (bytes) => bytes,
      (bytes) => bytes,
      'unary',
    );
  method('GetSystemInfo', (_, reply) => reply(null, Buffer.alloc(0)));
  for (const name of [
    'StartWorkflowExecution',
    'DescribeWorkflowExecution',
    'SignalWorkflowExecution',
    'QueryWorkflow',
  ])
    method(name, async (_, reply) => {
      if (code === 'silent') await sleep(3000);
      reply({ code, details });
    });
  const port = await closedPort();
  await new Promise((resolve, reject) =>
    made.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return { address: `127.0.0.1:${port}`, stop: () => made.forceShutdown() };
}
async function client(address) {
  const { Client, Connection } = (await import('@temporalio/client')).default;
  const connection = await Connection.connect({ address, connectTimeout: 800, interceptors: [] });
  return { client: new Client({ connection, namespace: 'shop' }), connection };
}
const DO = {
  start: (made) => made.workflow.start('refund', { workflowId: 'r-7', taskQueue: 'q', args: [] }),
  describe: (made) => made.workflow.getHandle('r-7').describe(),
  signal: (made) => made.workflow.getHandle('r-7').signal('stop'),
  query: (made) => made.workflow.getHandle('r-7').query('state'),
};
for (const [name, action, code, details, expect, why] of [
  [
    'no-workflow',
    'describe',
    5,
    'workflow not found for ID: r-7',
    final('NOT_FOUND'),
    'WorkflowNotFoundError',
  ],
  [
    'no-workflow-to-signal',
    'signal',
    5,
    'workflow execution already completed',
    final('NOT_FOUND', 'CONFLICT'),
    'it ended',
  ],
  [
    'no-namespace',
    'start',
    5,
    'Namespace shop is not found.',
    final('NOT_FOUND', 'CONFIG_ERROR'),
    'no such namespace',
  ],
  [
    'already-started',
    'start',
    6,
    'Workflow execution is already running. WorkflowId: r-7',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'WorkflowExecutionAlreadyStartedError',
  ],
  ['bad-id', 'start', 3, 'WorkflowId length exceeds limit.', final('VALIDATION_ERROR'), 'INVALID_ARGUMENT'],
  [
    'query-failed',
    'query',
    3,
    'unknown queryType state',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'QueryNotRegisteredError',
  ],
  [
    'denied',
    'start',
    7,
    'Request unauthorized.',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'PERMISSION_DENIED',
  ],
  ['unauthenticated', 'start', 16, 'invalid token', final('AUTHENTICATION_ERROR'), 'UNAUTHENTICATED'],
  [
    'rate',
    'start',
    8,
    'namespace rate limit exceeded',
    again('RATE_LIMITED', 'PROVIDER_OVERLOADED'),
    'RESOURCE_EXHAUSTED',
  ],
  ['aborted', 'signal', 10, 'shard status unknown', again('CONFLICT', 'SERVER_ERROR'), 'ABORTED'],
  ['internal', 'start', 13, 'panic in handler', again('SERVER_ERROR'), 'INTERNAL'],
  [
    'unavailable',
    'start',
    14,
    'Not enough hosts to serve the request',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'NETWORK_ERROR'),
    'UNAVAILABLE',
  ],
  [
    'not-ready',
    'query',
    9,
    'no poller seen for task queue recently, worker may be down',
    unclear('CONFLICT', 'SERVER_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    'FAILED_PRECONDITION: no worker',
  ],
  ['deadline', 'start', 4, 'context deadline exceeded', again('TIMEOUT'), 'DEADLINE_EXCEEDED'],
  [
    'unimplemented',
    'start',
    12,
    'method is disabled on this server',
    final('PROVIDER_NOT_SUPPORTED', 'PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    'UNIMPLEMENTED',
  ],
])
  lib.add(name, expect, why, async () => {
    const server = await failing(code, details);
    const made = await client(server.address);
    try {
      return await made.connection.withDeadline(Date.now() + 2500, () => DO[action](made.client));
    } finally {
      await made.connection.close();
      server.stop();
    }
  });
lib.add('silent', again('TIMEOUT'), 'the deadline of the call', async () => {
  const server = await failing('silent');
  const made = await client(server.address);
  try {
    return await made.connection.withDeadline(Date.now() + 300, () => DO.start(made.client));
  } finally {
    await made.connection.close();
    server.stop();
  }
});
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () => {
  const server = await failing('silent');
  const made = await client(server.address);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  try {
    return await made.connection.withAbortSignal(controller.signal, () => DO.start(made.client));
  } finally {
    await made.connection.close();
    server.stop();
  }
});
lib.add(
  'refused',
  again('NETWORK_ERROR', 'TIMEOUT'),
  'nothing listens: Failed to connect before the deadline',
  async () => client(`127.0.0.1:${await closedPort()}`),
);
for (const [name, make, expect, why] of [
  [
    'failed',
    (t, c) =>
      new t.WorkflowFailedError(
        'Workflow execution failed',
        c.ApplicationFailure.nonRetryable('card declined', 'CardDeclined'),
      ),
    final('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'VALIDATION_ERROR'),
    'the workflow ended with a failure that it calls final',
  ],
  [
    'timed-out',
    (t, c) =>
      new t.WorkflowFailedError(
        'Workflow execution timed out',
        new c.TimeoutFailure('Workflow execution timed out', undefined, 'START_TO_CLOSE'),
      ),
    again('TIMEOUT'),
    'the workflow ran out of time',
  ],
  [
    'cancelled',
    (t, c) =>
      new t.WorkflowFailedError('Workflow execution cancelled', new c.CancelledFailure('Workflow canceled')),
    final('CANCELLED'),
    'somebody cancelled the workflow',
  ],
])
  lib.add(name, expect, why, async () => {
    const temporal = (await import('@temporalio/client')).default;
    throw make(temporal, temporal);
  });
export default lib;
