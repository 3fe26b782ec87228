// @orama/orama: plain errors with a `code` of its own in capitals.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['@orama/orama'] });
const SCHEMA = { name: 'string', price: 'number', picture: 'vector[3]' };
const use =
  (work, options = {}) =>
  async () => {
    const orama = await import('@orama/orama');
    return work(await orama.create({ schema: SCHEMA, ...options }), orama);
  };
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
const config = final('CONFIG_ERROR', 'VALIDATION_ERROR');
lib.add(
  'exists',
  final('ALREADY_EXISTS'),
  'DOCUMENT_ALREADY_EXISTS',
  use(async (db, { insert }) => {
    await insert(db, { id: 'a', name: 'June' });
    return insert(db, { id: 'a', name: 'July' });
  }),
);
lib.add(
  'schema',
  wrong,
  'SCHEMA_VALIDATION_FAILURE',
  use((db, { insert }) => insert(db, { name: 7 })),
);
lib.add(
  'bad-id',
  wrong,
  'DOCUMENT_ID_MUST_BE_STRING',
  use((db, { insert }) => insert(db, { id: 7, name: 'x' })),
);
lib.add(
  'vector',
  wrong,
  'INVALID_INPUT_VECTOR: another size',
  use((db, { insert }) => insert(db, { name: 'x', picture: [1, 2] })),
);
lib.add(
  'no-filter',
  wrong,
  'UNKNOWN_FILTER_PROPERTY',
  use((db, { search }) => search(db, { term: 'x', where: { colour: 'red' } })),
);
lib.add(
  'two-filters',
  wrong,
  'INVALID_FILTER_OPERATION',
  use((db, { search }) => search(db, { term: 'x', where: { price: { gt: 1, lt: 3 } } })),
);
lib.add(
  'no-index',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  'UNKNOWN_INDEX',
  use((db, { search }) => search(db, { term: 'x', properties: ['colour'] })),
);
lib.add(
  'no-sort',
  wrong,
  'UNABLE_TO_SORT_ON_UNKNOWN_FIELD',
  use((db, { search }) => search(db, { term: 'x', sortBy: { property: 'colour' } })),
);
lib.add(
  'boost',
  wrong,
  'INVALID_BOOST_VALUE',
  use(async (db, { search, insert }) => {
    await insert(db, { name: 'x' });
    return search(db, { term: 'x', boost: { name: -1 } });
  }),
);
lib.add(
  'no-group',
  wrong,
  'UNKNOWN_GROUP_BY_PROPERTY',
  use(async (db, { search, insert }) => {
    await insert(db, { name: 'x' });
    return search(db, { term: 'x', groupBy: { properties: ['colour'] } });
  }),
);
lib.add(
  'mode',
  wrong,
  'INVALID_SEARCH_MODE',
  use((db, { search }) => search(db, { term: 'x', mode: 'guess' })),
);
lib.add(
  'no-vector',
  final('UNKNOWN', 'VALIDATION_ERROR'),
  'the engine says it: a TypeError of the library itself',
  use((db, { search }) => search(db, { mode: 'vector' })),
);
lib.add(
  'schema-type',
  config,
  'INVALID_SCHEMA_TYPE',
  use(() => 0, { schema: { name: 'text' } }),
);
lib.add(
  'vector-size',
  config,
  'INVALID_VECTOR_SIZE',
  use(() => 0, { schema: { name: 'vector[0]' } }),
);
lib.add(
  'language',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'LANGUAGE_NOT_SUPPORTED',
  use(() => 0, { language: 'klingon' }),
);
lib.add(
  'stemmer',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR', 'NOT_FOUND'),
  'MISSING_STEMMER: a package is missing',
  use(() => 0, { components: { tokenizer: { language: 'german', stemming: true } } }),
);
export default lib;
