// @elastic/elasticsearch: ResponseError with `meta.statusCode`, `meta.body.error.type`; connection and timeout classes.

import { library } from '../expect.mjs';
import { addSearchFaults } from '../search-faults.mjs';

const lib = library({ packages: ['@elastic/elasticsearch'] });
addSearchFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { Client } = await import('@elastic/elasticsearch');
    const client = new Client({ node: url, maxRetries: 0, requestTimeout: timeout ?? 5000, tls: {} });
    return client.search({ index: 'products', query: { match_all: {} } }, { signal });
  },
  { 'x-elastic-product': 'Elasticsearch' },
);
export default lib;
