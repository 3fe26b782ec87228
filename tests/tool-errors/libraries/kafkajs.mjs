// kafkajs on a stub of a broker: KafkaJSProtocolError with `type`, `code` and `retriable`, wrapped after retries.
import { again, final, library, unclear } from '../expect.mjs';
import { kafka } from '../servers/kafka.mjs';
import { closedPort, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['kafkajs'] });
async function client(port, more = {}) {
  const { Kafka, logLevel } = await import('kafkajs');
  return new Kafka({
    clientId: 'agent',
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 400,
    requestTimeout: 400,
    retry: { retries: 0, initialRetryTime: 20 },
    ...more,
  });
}
const produce = async (port, more) => {
  const made = await client(port, more);
  const { Partitioners } = await import('kafkajs');
  const producer = made.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  try {
    return await producer.send({ topic: 'jobs', messages: [{ value: 'x' }] });
  } finally {
    await producer.disconnect().catch(() => {});
  }
};
for (const [name, code, expect, why] of [
  [
    'not-leader',
    6,
    again('SERVER_ERROR', 'CONFLICT', 'NETWORK_ERROR'),
    'NOT_LEADER_FOR_PARTITION: retriable',
  ],
  [
    'leader-not-available',
    5,
    again('SERVER_ERROR', 'CONFLICT', 'NETWORK_ERROR'),
    'LEADER_NOT_AVAILABLE: retriable',
  ],
  ['request-timed-out', 7, again('TIMEOUT'), 'REQUEST_TIMED_OUT: retriable'],
  ['not-enough-replicas', 19, again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), 'NOT_ENOUGH_REPLICAS: retriable'],
  ['network-exception', 13, again('NETWORK_ERROR', 'SERVER_ERROR'), 'NETWORK_EXCEPTION: retriable'],
  ['storage-error', 56, again('SERVER_ERROR', 'IO_ERROR'), 'KAFKA_STORAGE_ERROR: retriable'],
  [
    'corrupt-message',
    2,
    again('INVALID_RESPONSE', 'VALIDATION_ERROR', 'SERVER_ERROR'),
    'CORRUPT_MESSAGE: retriable',
  ],
  [
    'unknown-topic',
    3,
    again('NOT_FOUND', 'SERVER_ERROR'),
    'UNKNOWN_TOPIC_OR_PARTITION: Kafka says retriable, metadata may be old',
  ],
  ['message-too-large', 10, final('VALIDATION_ERROR'), 'MESSAGE_TOO_LARGE'],
  ['invalid-topic', 17, final('VALIDATION_ERROR'), 'INVALID_TOPIC_EXCEPTION'],
  ['topic-denied', 29, final('PERMISSION_DENIED'), 'TOPIC_AUTHORIZATION_FAILED'],
  ['cluster-denied', 31, final('PERMISSION_DENIED'), 'CLUSTER_AUTHORIZATION_FAILED'],
  ['invalid-acks', 21, final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'INVALID_REQUIRED_ACKS'],
  [
    'unsupported-version',
    35,
    final('CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR'),
    'UNSUPPORTED_VERSION',
  ],
  ['policy', 44, final('VALIDATION_ERROR', 'PERMISSION_DENIED'), 'POLICY_VIOLATION'],
  [
    'unknown-server-error',
    -1,
    unclear('SERVER_ERROR', 'UNKNOWN'),
    'UNKNOWN: Kafka says that it is not retriable, and nothing more',
  ],
]) {
  lib.add(name, expect, why, async () => produce((await kafka({ produce: code })).port));
}
lib.add(
  'no-coordinator',
  again('SERVER_ERROR', 'NETWORK_ERROR', 'CONFLICT'),
  'the coordinator is not available: of that, no brokers in the pool is left',
  async () => {
    const made = await client((await kafka({ coordinator: 15 })).port);
    const admin = made.admin();
    await admin.connect();
    try {
      return await admin.fetchOffsets({ groupId: 'workers', topics: ['jobs'] });
    } finally {
      await admin.disconnect();
    }
  },
);
lib.add(
  'topic-policy',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'INVALID_REPLICATION_FACTOR inside an aggregate',
  async () => {
    const made = await client((await kafka({ createTopics: 38 })).port);
    const admin = made.admin();
    await admin.connect();
    try {
      return await admin.createTopics({ topics: [{ topic: 'jobs', replicationFactor: 9 }] });
    } finally {
      await admin.disconnect();
    }
  },
);
lib.add(
  'sasl-mechanism',
  final('CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'UNSUPPORTED_SASL_MECHANISM',
  async () =>
    produce((await kafka({ sasl: 33 })).port, {
      sasl: { mechanism: 'plain', username: 'app', password: 'CANARYsecret7890' },
    }),
);
lib.add(
  'refused',
  again('NETWORK_ERROR'),
  'KafkaJSNumberOfRetriesExceeded over KafkaJSConnectionError',
  async () => produce(await closedPort()),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', async () =>
  produce(9092, { brokers: ['kafka.invalid:9092'] }),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'KafkaJSRequestTimeoutError', async () =>
  produce((await tcp()).port),
);
lib.add('hung-up', again('NETWORK_ERROR'), 'KafkaJSConnectionClosedError', async () =>
  produce((await kafka({ hangUp: 0 })).port),
);
lib.add(
  'not-connected',
  unclear('NETWORK_ERROR', 'CONFIG_ERROR', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR', 'CANCELLED'),
  'the program did not connect first, or was cut off: the library says retriable',
  async () => {
    const { Partitioners } = await import('kafkajs');
    const producer = (await client(await closedPort())).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    return producer.send({ topic: 'jobs', messages: [{ value: 'x' }] });
  },
);
lib.add(
  'bad-message',
  final('VALIDATION_ERROR'),
  'KafkaJSNonRetriableError: a mistake of the program',
  async () => {
    const { Partitioners } = await import('kafkajs');
    const producer = (await client((await kafka()).port)).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    try {
      return await producer.send({ messages: [{ value: 'x' }] });
    } finally {
      await producer.disconnect();
    }
  },
);
export default lib;
