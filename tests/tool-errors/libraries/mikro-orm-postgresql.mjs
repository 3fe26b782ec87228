// @mikro-orm/postgresql: DriverException and its classes with the driver's fields; ValidationError and its classes of its own.
import { final, library, unclear } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({
  packages: ['@mikro-orm/postgresql', '@mikro-orm/core', 'pg'],
  needs,
  setup: async () => ({ db: await postgres() }),
});
const entities = async () => {
  const { defineEntity, p } = await import('@mikro-orm/core');
  const User = defineEntity({
    name: 'User',
    tableName: 'users',
    properties: { id: p.integer().primary(), email: p.string(), age: p.integer().nullable() },
  });
  const Stock = defineEntity({
    name: 'Stock',
    tableName: 'stock',
    properties: { id: p.integer().primary(), count: p.integer().version() },
  });
  const Order = defineEntity({
    name: 'Order',
    tableName: 'orders',
    properties: { id: p.integer().primary(), user: () => p.manyToOne(User), total: p.decimal().nullable() },
  });
  const Invoice = defineEntity({
    name: 'Invoice',
    tableName: 'invoices',
    properties: { id: p.integer().primary() },
  });
  return { User, Stock, Order, Invoice };
};
const init = async ({ host, port, user, password, database, connectionTimeoutMillis }, more = {}) => {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  return MikroORM.init({
    host,
    port,
    user,
    password,
    dbName: database,
    entities: Object.values(await entities()),
    pool: { min: 0, max: 1 },
    ...(connectionTimeoutMillis && { driverOptions: { connectionTimeoutMillis } }),
    ...more,
  });
};
const open = async (options) => {
  const orm = await init(options);
  return { query: (text) => orm.em.fork().execute(text), end: () => orm.close(true) };
};
// It creates a database that is not there.
addPostgresFaults(lib, open, { skip: ['no-database'], timeout: { connectionTimeoutMillis: 200 } });

/** Adds a case of the mapper itself: `work(em, names)` on an entity manager of its own. */
const add = (name, expect, why, work, more) =>
  lib.add(name, expect, why, async ({ db }) => {
    const orm = await init(db.as(), more);
    try {
      return await work(orm.em.fork(), await entities(), orm);
    } finally {
      await orm.close(true);
    }
  });
const misuse = final('VALIDATION_ERROR', 'CONFIG_ERROR');
add('entity-missing', final('NOT_FOUND'), 'NotFoundError of findOneOrFail()', (em) =>
  em.findOneOrFail('User', { email: 'nobody@example.com' }),
);
add('entity-unique', final('ALREADY_EXISTS'), 'UniqueConstraintViolationException of flush()', async (em) => {
  em.create('User', { id: 99, email: 'jane.doe@example.com' });
  return em.flush();
});
add(
  'entity-reference',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
  'ForeignKeyConstraintViolationException of flush()',
  async (em) => {
    em.create('Order', { id: 98, user: 97 });
    return em.flush();
  },
);
add('entity-required', final('VALIDATION_ERROR'), 'ValidationError: a value is required', async (em) => {
  em.create('User', { id: 96 });
  return em.flush();
});
add('entity-no-table', final('NOT_FOUND', 'VALIDATION_ERROR'), 'TableNotFoundException', (em) =>
  em.find('Invoice', {}),
);
add(
  'version',
  unclear('CONFLICT'),
  'OptimisticLockError: somebody changed the row; it has to be read again',
  async (em, _, orm) => {
    const { count: seen } = await em.findOneOrFail('Stock', { id: 1 });
    await orm.em.fork().execute('UPDATE stock SET count = count + 1 WHERE id = 1');
    const later = orm.em.fork();
    return later.lock(await later.findOneOrFail('Stock', { id: 1 }), 1, seen);
  },
);
add('unversioned', misuse, 'OptimisticLockError: an unversioned entity', async (em) => {
  const user = await em.findOneOrFail('User', { id: 1 });
  return em.lock(user, 1, 7);
});
add('no-transaction', misuse, 'an open transaction is required', async (em) =>
  em.findOne('User', { id: 1 }, { lockMode: 4 }),
);
add('propagation', misuse, 'TransactionStateError: no transaction for propagation "mandatory"', (em) =>
  em.transactional(() => 1, { propagation: 'mandatory' }),
);
add('global', misuse, 'the global EntityManager is disallowed', (_em, _, orm) => orm.em.find('User', {}));
add(
  'no-property',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  'a query of a property that is not there',
  (em) => em.find('User', { nickname: 'jane' }),
);
add('cursor', final('VALIDATION_ERROR'), 'CursorError: a cursor that is none', (em) =>
  em.findByCursor('User', { first: 2, after: 'frob', orderBy: { id: 'asc' } }),
);
add(
  'entity-unknown',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR'),
  'MetadataError: a mistake of the program',
  (em) => em.find('Customer', {}),
);
const config = final('CONFIG_ERROR', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR');
lib.add('no-entities', config, 'No entities found, please use `entities` option', ({ db }) =>
  init(db.as(), { entities: [] }),
);
lib.add('no-key', config, 'MetadataError: an entity without a primary key', async ({ db }) => {
  const { defineEntity, p } = await import('@mikro-orm/core');
  const Note = defineEntity({ name: 'Note', properties: { text: p.string() } });
  return init(db.as(), { entities: [Note] });
});
lib.add('no-name', config, 'No database specified', ({ db }) => init({ ...db.as(), database: undefined }));
export default lib;
