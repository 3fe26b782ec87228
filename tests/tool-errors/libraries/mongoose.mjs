// mongoose: its own validation, cast and version errors, and the driver's below them.
import { again, final, library, unclear } from '../expect.mjs';
import { addMongoFaults } from '../mongo-faults.mjs';
import { mongo } from '../servers/mongo.mjs';

const lib = library({ packages: ['mongoose', 'mongodb'] });
const open = async (url, options) => {
  const { default: mongoose } = await import('mongoose');
  const connection = mongoose.createConnection(url, { ...options, autoCreate: false, autoIndex: false });
  connection.on('error', () => {});
  const schema = new mongoose.Schema(
    { email: { type: String, required: true }, age: { type: Number, min: 0 }, tags: [String] },
    { optimisticConcurrency: true },
  );
  const User = connection.model('User', schema);
  return {
    insert: async () => {
      await connection.asPromise();
      return User.create({ email: 'jane.doe@example.com' });
    },
    end: () => connection.close(true),
    User,
    connection,
  };
};
addMongoFaults(lib, open);
const using = async (reply, work) => {
  const { url } = await mongo(reply);
  const made = await open(url, {});
  await made.connection.asPromise();
  try {
    return await work(made.User);
  } finally {
    await made.connection.close(true);
  }
};
lib.add('invalid', final('VALIDATION_ERROR'), 'ValidationError of a schema', () =>
  using(
    () => ({ ok: 1, n: 1 }),
    (User) => User.create({ age: -1 }),
  ),
);
lib.add('cast', final('VALIDATION_ERROR'), 'CastError: the id is none', () =>
  using(
    () => ({ ok: 1, n: 1 }),
    (User) => User.findById('jane').exec(),
  ),
);
lib.add('missing', final('NOT_FOUND'), 'DocumentNotFoundError', () =>
  using(
    (_, __, ___, Long) => ({ ok: 1, cursor: { id: Long.ZERO, ns: 'shop.users', firstBatch: [] } }),
    (User) => User.findOne({ email: 'x' }).orFail(),
  ),
);
lib.add(
  'version',
  unclear('CONFLICT'),
  'VersionError: somebody saved the document; it has to be read again',
  () =>
    using(
      (_, name, __, Long) =>
        name === 'find'
          ? {
              ok: 1,
              cursor: {
                id: Long.ZERO,
                ns: 'shop.users',
                firstBatch: [{ _id: '6565d9a2f1c2a3b4c5d6e7f8', email: 'a', __v: 1 }],
              },
            }
          : { ok: 1, n: 0, nModified: 0 },
      async (User) => {
        const { default: mongoose } = await import('mongoose');
        const user = User.hydrate({ _id: new mongoose.Types.ObjectId(), email: 'a', __v: 1 });
        user.email = 'b';
        return user.save();
      },
    ),
);
lib.add(
  'no-model',
  final('CONFIG_ERROR', 'NOT_FOUND', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR'),
  'MissingSchemaError: no language model is meant',
  async () => {
    const { default: mongoose } = await import('mongoose');
    return mongoose.model('Invoice');
  },
);
lib.add(
  'model-exists',
  final('ALREADY_EXISTS', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'OverwriteModelError: a mistake of the program',
  () =>
    using(
      () => ({ ok: 1 }),
      (User) => User.db.model('User', new User.schema.constructor({ name: String })),
    ),
);
lib.add(
  'buffering-timeout',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'the operation waited for a connection',
  async () => {
    const { default: mongoose } = await import('mongoose');
    const connection = mongoose.createConnection();
    const Item = connection.model('Item', new mongoose.Schema({ name: String }, { bufferTimeoutMS: 100 }));
    return Item.findOne({ name: 'x' }).exec();
  },
);
export default lib;
