// sequelize over pg: its own classes around the driver's error (`parent`, `original`).
import { again, final, library } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({ packages: ['sequelize', 'pg'], needs, setup: async () => ({ db: await postgres() }) });
const open = async ({ user, database, connectionTimeoutMillis, ...options }, pool = {}) => {
  const { Sequelize } = await import('sequelize');
  const sequelize = new Sequelize(database, user, options.password, {
    ...options,
    dialect: 'postgres',
    dialectOptions: { connectionTimeoutMillis },
    logging: false,
    pool: { max: 1, acquire: 4000, ...pool },
    retry: { max: 0 },
  });
  return { query: (text) => sequelize.query(text), end: () => sequelize.close(), sequelize };
};
addPostgresFaults(lib, open, { timeout: { connectionTimeoutMillis: 200 } });
lib.add(
  'model-validation',
  final('VALIDATION_ERROR'),
  'a rule of the model, before any SQL',
  async ({ db }) => {
    const { DataTypes } = await import('sequelize');
    const { sequelize, end } = await open(db.as());
    const User = sequelize.define(
      'user',
      { email: { type: DataTypes.TEXT, validate: { isEmail: true } } },
      { timestamps: false },
    );
    try {
      return await User.create({ email: 'not an address' });
    } finally {
      await end();
    }
  },
);
lib.add(
  'model-unique',
  final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
  'UniqueConstraintError',
  async ({ db }) => {
    const { DataTypes } = await import('sequelize');
    const { sequelize, end } = await open(db.as());
    const User = sequelize.define('user', { email: DataTypes.TEXT }, { timestamps: false });
    try {
      return await User.create({ email: 'jane.doe@example.com' });
    } finally {
      await end();
    }
  },
);
lib.add('reject-on-empty', final('NOT_FOUND'), 'EmptyResultError', async ({ db }) => {
  const { DataTypes } = await import('sequelize');
  const { sequelize, end } = await open(db.as());
  const User = sequelize.define('user', { email: DataTypes.TEXT }, { timestamps: false });
  try {
    return await User.findOne({ where: { email: 'nobody@example.com' }, rejectOnEmpty: true });
  } finally {
    await end();
  }
});
lib.add(
  'pool-exhausted',
  again('TIMEOUT', 'CONFLICT', 'RATE_LIMITED', 'NETWORK_ERROR'),
  'ConnectionAcquireTimeoutError',
  async ({ db }) => {
    const { sequelize, end } = await open(db.as(), { acquire: 100 });
    const held = await sequelize.transaction();
    try {
      return await sequelize.query('SELECT 1');
    } finally {
      await held.rollback();
      await end();
    }
  },
);
export default lib;
