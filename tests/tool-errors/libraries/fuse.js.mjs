// fuse.js: plain errors for what it cannot be made with, and for queries that it cannot read.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['fuse.js'] });
const DOCS = [{ name: 'June' }, { name: 'July' }];
const use =
  (work, options = { keys: ['name'] }, docs = DOCS) =>
  async () => {
    const { default: Fuse } = await import('fuse.js');
    return work(new Fuse(docs, options), Fuse);
  };
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add(
  'no-name',
  wrong,
  'Missing name property in key',
  use(() => 0, { keys: [{ weight: 1 }] }),
);
lib.add(
  'weight',
  wrong,
  'the weight of a key must be positive',
  use(() => 0, { keys: [{ name: 'name', weight: -1 }] }),
);
lib.add(
  'index',
  wrong,
  'Incorrect index type',
  use((fuse) => fuse.setCollection(DOCS, { no: 'index' })),
);
lib.add(
  'query',
  final('VALIDATION_ERROR'),
  'Invalid value for key',
  use((fuse) => fuse.search({ $and: [{ name: 7 }] }), { keys: ['name'], useExtendedSearch: true }),
);
lib.add(
  'remove',
  wrong,
  'Invalid doc index',
  use((fuse) => fuse.removeAt(99)),
);
lib.add(
  'token-search',
  final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED', 'CONFIG_ERROR'),
  'match() does not support token search',
  async () => {
    const { default: Fuse } = await import('fuse.js');
    return Fuse.match?.('x'.repeat(2000), 'x', { useTokenSearch: true });
  },
);
export default lib;
