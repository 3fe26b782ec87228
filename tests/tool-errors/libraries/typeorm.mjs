// typeorm over pg: QueryFailedError with the driver's fields copied onto it.
import { final, library } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({ packages: ['typeorm', 'pg'], needs, setup: async () => ({ db: await postgres() }) });
const open = async ({ user, connectionTimeoutMillis, ...options }, entities = []) => {
  await import('reflect-metadata');
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    ...options,
    type: 'postgres',
    username: user,
    entities,
    poolSize: 1,
    connectTimeoutMS: connectionTimeoutMillis,
    extra: { max: 1 },
  });
  await source.initialize();
  return { query: (text) => source.query(text), end: () => source.destroy(), source };
};
addPostgresFaults(lib, open, { timeout: { connectionTimeoutMillis: 200 } });
const users = async () => {
  const { EntitySchema } = await import('typeorm');
  return new EntitySchema({
    name: 'users',
    columns: { id: { type: Number, primary: true, generated: true }, email: { type: String } },
  });
};
lib.add('entity-missing', final('NOT_FOUND'), 'EntityNotFoundError', async ({ db }) => {
  const { source, end } = await open(db.as(), [await users()]);
  try {
    return await source.getRepository('users').findOneByOrFail({ email: 'nobody@example.com' });
  } finally {
    await end();
  }
});
lib.add(
  'entity-unknown',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR'),
  'EntityMetadataNotFoundError: a mistake of the program',
  async ({ db }) => {
    const { source, end } = await open(db.as());
    try {
      return await source.getRepository('invoices').find();
    } finally {
      await end();
    }
  },
);
lib.add('entity-unique', final('ALREADY_EXISTS'), 'save() of an address that is taken', async ({ db }) => {
  const { source, end } = await open(db.as(), [await users()]);
  try {
    return await source.getRepository('users').save({ email: 'jane.doe@example.com' });
  } finally {
    await end();
  }
});
export default lib;
