// waterline on an adapter of ours in memory: UsageError and AdapterError with `code` and `details`; what an adapter answers
// with a footprint becomes E_UNIQUE, all else an AdapterError around it.
import { again, final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['waterline'] });
/** An adapter whose `create` and `find` do what a case says. */
const adapter = (does) => ({
  identity: 'memory',
  adapterApiVersion: 1,
  defaults: {},
  datastores: {},
  registerDatastore(datastore, models, done) {
    this.datastores[datastore.identity] = { config: datastore, models };
    done();
  },
  teardown: (_identity, done) => done(),
  create: (_datastore, query, done) => done(does.create ?? null, { id: 1, ...query.newRecord }),
  find: (_datastore, _query, done) => done(does.find ?? null, does.found ?? []),
  update: (_datastore, _query, done) => done(does.update ?? null, []),
  destroy: (_datastore, _query, done) => done(does.destroy ?? null, []),
  count: (_datastore, _query, done) => done(null, 0),
  define: (_datastore, _table, _definition, done) => done(),
  drop: (_datastore, _table, _unused, done) => done(),
});
const use =
  (work, does = {}, settings = {}) =>
  async () => {
    const { default: Waterline } = await import('waterline');
    const orm = await new Promise((resolve, reject) =>
      Waterline.start(
        {
          adapters: { memory: adapter(does) },
          datastores: { default: { adapter: 'memory' } },
          models: {
            user: {
              datastore: 'default',
              primaryKey: 'id',
              attributes: {
                id: { type: 'number', autoMigrations: { autoIncrement: true } },
                email: {
                  type: 'string',
                  required: true,
                  validations: { isEmail: true },
                  autoMigrations: { unique: true },
                },
                plan: { type: 'string', validations: { isIn: ['free', 'team'] } },
                age: { type: 'number' },
              },
            },
          },
          ...settings,
        },
        (error, made) => (error ? reject(error) : resolve(made)),
      ),
    );
    try {
      return await work(Waterline.getModel('user', orm));
    } finally {
      await new Promise((resolve) => Waterline.stop(orm, resolve));
    }
  };
const failed = (message, more = {}) => Object.assign(new Error(message), more);
const jane = () => ({ email: 'jane.doe@example.com' });
const wrong = final('VALIDATION_ERROR');
lib.add(
  'required',
  wrong,
  'E_INVALID_NEW_RECORD: a field is missing',
  use((users) => users.create({ plan: 'free' })),
);
lib.add(
  'rule',
  wrong,
  'E_INVALID_NEW_RECORD: violates a rule',
  use((users) => users.create({ email: 'jane' })),
);
lib.add(
  'wrong-type',
  wrong,
  'E_INVALID_NEW_RECORD: of another type',
  use((users) => users.create({ ...jane(), age: 'old' })),
);
lib.add(
  'not-one-of',
  wrong,
  'isIn',
  use((users) => users.create({ ...jane(), plan: 'gold' })),
);
lib.add(
  'criteria',
  wrong,
  'E_INVALID_CRITERIA',
  use((users) => users.find({ limit: 'many' })),
);
lib.add(
  'values',
  wrong,
  'E_INVALID_VALUES_TO_SET',
  use((users) => users.update({ id: 1 }).set({ email: 7 })),
);
lib.add(
  'sort',
  wrong,
  'E_INVALID_CRITERIA: sort',
  use((users) => users.find().sort('colour SIDEWAYS')),
);
lib.add(
  'several',
  unclear('CONFLICT', 'VALIDATION_ERROR', 'UNKNOWN', 'ALREADY_EXISTS'),
  'findOne() found more than one',
  use((users) => users.findOne({ plan: 'free' }), {
    found: [
      { id: 1, ...jane() },
      { id: 2, ...jane() },
    ],
  }),
);
lib.add(
  'unique',
  final('ALREADY_EXISTS'),
  'E_UNIQUE',
  use((users) => users.create(jane()), {
    create: failed('Would violate uniqueness', { footprint: { identity: 'notUnique', keys: ['email'] } }),
  }),
);
lib.add(
  'catch-all',
  unclear('UNKNOWN', 'SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'IO_ERROR'),
  'AdapterError around an error without a code',
  use((users) => users.find(), {
    find: failed('Something went wrong in the adapter'),
  }),
);
lib.add(
  'reset',
  again('NETWORK_ERROR'),
  'AdapterError around ECONNRESET',
  use((users) => users.find(), {
    find: failed('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read', errno: -104 }),
  }),
);
lib.add(
  'deadlock',
  again('CONFLICT'),
  'AdapterError around 40P01',
  use((users) => users.create(jane()), {
    create: failed('deadlock detected', { code: '40P01', severity: 'ERROR' }),
  }),
);
lib.add(
  'no-table',
  final('NOT_FOUND'),
  'AdapterError around 42P01',
  use((users) => users.find(), {
    find: failed('relation "user" does not exist', { code: '42P01', severity: 'ERROR' }),
  }),
);
lib.add(
  'timeout',
  again('TIMEOUT', 'SERVER_ERROR', 'UNKNOWN'),
  'the adapter did not answer in time',
  use((users) => users.find().timeout?.(20) ?? users.find(), {
    find: failed('Query read timeout'),
  }),
);
const config = final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR', 'UNKNOWN');
lib.add(
  'no-adapter',
  config,
  'a datastore whose adapter is not there',
  use(() => 0, {}, { datastores: { default: { adapter: 'nowhere' } } }),
);
lib.add(
  'no-datastores',
  config,
  'no datastores',
  use(() => 0, {}, { datastores: undefined }),
);
lib.add(
  'no-key',
  config,
  'a model without a primary key',
  use(
    () => 0,
    {},
    {
      models: { user: { datastore: 'default', attributes: { email: { type: 'string' } } } },
    },
  ),
);
lib.add(
  'no-model',
  final('NOT_FOUND', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a model that nobody defined',
  async () => {
    const { default: Waterline } = await import('waterline');
    return use(() => Waterline.getModel('invoice', { collections: {} }))();
  },
);
export default lib;
