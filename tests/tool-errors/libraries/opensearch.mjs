// @opensearch-project/opensearch: ResponseError with `meta`, as elasticsearch had it before it was forked.
import { library } from '../expect.mjs';
import { addSearchFaults } from '../search-faults.mjs';

const lib = library({ packages: ['@opensearch-project/opensearch'] });
addSearchFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { Client } = await import('@opensearch-project/opensearch');
    const client = new Client({ node: url, maxRetries: 0, requestTimeout: timeout ?? 5000 });
    const going = client.search({ index: 'products', body: { query: { match_all: {} } } });
    signal?.addEventListener('abort', () => going.abort());
    return going;
  },
  {},
);
export default lib;
