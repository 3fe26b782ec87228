// lokijs: plain errors, and some that are only texts.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['lokijs'] });
const database = async () => new (await import('lokijs')).default('shop.db');
const orders = async (options) => {
  const db = await database();
  return db.addCollection('orders', { unique: ['number'], ...options });
};
lib.add('taken', final('ALREADY_EXISTS', 'CONFLICT'), 'Duplicate key for property number', async () => {
  const made = await orders();
  made.insert({ number: 7 });
  made.insert({ number: 7 });
});
lib.add(
  'taken-by-update',
  final('ALREADY_EXISTS', 'CONFLICT'),
  'an update to a number that is taken',
  async () => {
    const made = await orders();
    made.insert({ number: 7 });
    const other = made.insert({ number: 8 });
    made.update({ ...other, number: 7 });
  },
);
lib.add(
  'inserted-twice',
  final('ALREADY_EXISTS', 'VALIDATION_ERROR', 'CONFLICT'),
  'Document is already in collection',
  async () => {
    const made = await orders();
    made.insert(made.insert({ number: 7 }));
  },
);
lib.add(
  'not-inserted',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  'Trying to update unsynced document',
  async () => (await orders()).update({ number: 7 }),
);
lib.add('other-document', final('NOT_FOUND', 'VALIDATION_ERROR'), 'an id that is not there', async () =>
  (await orders()).update({ $loki: 99, meta: {}, number: 7 }),
);
lib.add('no-object', final('VALIDATION_ERROR'), 'Document needs to be an object', async () =>
  (await orders()).insert('seven'),
);
lib.add(
  'remove-no-object',
  final('VALIDATION_ERROR', 'NOT_FOUND'),
  'Object is not a document stored in the collection',
  async () => (await orders()).remove({ number: 7 }),
);
lib.add(
  'no-collection',
  final('UNKNOWN', 'NOT_FOUND', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a collection that is not there: null is returned',
  async () => (await database()).getCollection('frob').find(),
);
lib.add(
  'no-operator',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'an operator that nobody has: fun is not a function',
  async () => {
    const made = await orders();
    made.insert({ number: 7 });
    return made.find({ number: { $frob: 1 } });
  },
);
lib.add(
  'no-view',
  unclear('NOT_FOUND', 'VALIDATION_ERROR', 'UNKNOWN'),
  'a transform that is not there',
  async () => (await orders()).chain('frob').data(),
);
lib.add('bad-step', final('VALIDATION_ERROR', 'UNKNOWN'), 'a regular expression that is none', async () => {
  const made = await orders();
  made.insert({ number: 'seven' });
  return made.find({ number: { $regex: '(' } });
});
lib.add(
  'broken-file',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'IO_ERROR'),
  'what was saved is no JSON: it may be half of one',
  async () => (await database()).loadJSON('{"filename": "shop.db", collections'),
);
export default lib;
