// lunr: QueryParseError for a query that a user or a model wrote; texts that are thrown bare.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['lunr'] });
const index = async () => {
  const { default: lunr } = await import('lunr');
  return lunr(function build() {
    this.ref('id');
    this.field('title');
    this.field('body');
    this.add({ id: 1, title: 'Quarterly report', body: 'Revenue grew' });
  });
};
for (const [name, query, why] of [
  ['unknown-field', 'author:jane', 'unrecognised field'],
  ['no-term', 'title:', 'expecting term, found nothing'],
  ['edit-distance', 'report~many', 'edit distance must be numeric'],
  ['boost', 'report^much', 'boost must be numeric'],
  ['nothing-after-presence', '+', 'expecting term or field, found nothing'],
  ['field-after-field', 'title:body:x', 'expecting term, found field'],
]) {
  lib.add(name, final('VALIDATION_ERROR'), `QueryParseError: ${why}`, async () =>
    (await index()).search(query),
  );
}
lib.add('bad-reference', final('VALIDATION_ERROR', 'UNKNOWN'), 'a text is thrown', async () => {
  const { default: lunr } = await import('lunr');
  return lunr.FieldRef.fromString('title');
});
lib.add('illegal-field', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'RangeError about a field', async () => {
  const { default: lunr } = await import('lunr');
  return lunr(function build() {
    this.field('title/short');
  });
});
lib.add(
  'unregistered',
  final('CONFIG_ERROR', 'NOT_FOUND', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR'),
  'Cannot load unregistered function',
  async () => {
    const { default: lunr } = await import('lunr');
    return lunr.Pipeline.load(['stemmer-fr']);
  },
);
lib.add(
  'broken-index',
  unclear('UNKNOWN', 'VALIDATION_ERROR', 'INVALID_RESPONSE', 'TOOL_EXECUTION_ERROR', 'CONFIG_ERROR'),
  'a TypeError of the engine about an index without parts',
  async () => {
    const { default: lunr } = await import('lunr');
    return lunr.Index.load({ version: lunr.version });
  },
);
export default lib;
