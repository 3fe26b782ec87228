// mongodb: MongoServerError with `code`, `codeName` and `errorLabels`; selection, network and program errors.
import { final, library } from '../expect.mjs';
import { addMongoFaults } from '../mongo-faults.mjs';
import { mongo } from '../servers/mongo.mjs';
import { abortAfter } from '../servers/net.mjs';

const lib = library({ packages: ['mongodb'] });
addMongoFaults(lib, async (url, options) => {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(url, options);
  return {
    insert: () => client.db().collection('users').insertOne({ _id: 1, email: 'jane.doe@example.com' }),
    end: () => client.close(true),
  };
});
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'MongoParseError', async () => {
  const { MongoClient } = await import('mongodb');
  return new MongoClient('postgres://db.example.com/shop');
});
lib.add('bad-id', final('VALIDATION_ERROR'), 'BSONError: no ObjectId', async () => {
  const { ObjectId } = await import('mongodb');
  return new ObjectId('jane');
});
lib.add('bulk', final('ALREADY_EXISTS'), 'MongoBulkWriteError around a duplicate key', async () => {
  const { MongoClient } = await import('mongodb');
  const { url } = await mongo(() => ({
    ok: 1,
    n: 1,
    writeErrors: [
      {
        index: 1,
        code: 11000,
        errmsg: 'E11000 duplicate key error collection: shop.users index: _id_ dup key: { _id: 1 }',
      },
    ],
  }));
  const client = new MongoClient(url);
  try {
    return await client
      .db()
      .collection('users')
      .insertMany([{ _id: 0 }, { _id: 1 }]);
  } finally {
    await client.close(true);
  }
});
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () => {
  const { MongoClient } = await import('mongodb');
  const { url } = await mongo(() => undefined);
  const client = new MongoClient(url);
  try {
    return await client
      .db()
      .collection('users')
      .find({}, { signal: abortAfter(150) })
      .toArray();
  } finally {
    await client.close(true);
  }
});
lib.add(
  'closed',
  final('CANCELLED', 'INITIALIZATION_ERROR', 'NETWORK_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'the program used a cursor after it was exhausted or a session that has ended',
  async () => {
    const { MongoClient } = await import('mongodb');
    const { url } = await mongo(() => ({ ok: 1, n: 1 }));
    const client = new MongoClient(url);
    const session = client.startSession();
    await session.endSession();
    try {
      return await client.db().collection('users').insertOne({ _id: 1 }, { session });
    } finally {
      await client.close(true);
    }
  },
);
export default lib;
