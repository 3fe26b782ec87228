// @urql/core: CombinedError with `networkError`, `graphQLErrors`, `response`, as `toPromise()` hands it over.
import { library } from '../expect.mjs';
import { addGraphqlFaults } from '../graphql-faults.mjs';

const lib = library({ packages: ['@urql/core', 'graphql'] });
addGraphqlFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { Client, fetchExchange } = await import('@urql/core');
    const own = signal ?? (timeout && AbortSignal.timeout(timeout));
    const client = new Client({
      url: `${url}/graphql`,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetch: (to, options) => fetch(to, { ...options, signal: own ?? options.signal }),
    });
    const { error, data } = await client.query('{ user { name } }', {}).toPromise();
    if (error) throw error;
    return data;
  },
  { transport: { abort: true } },
);
export default lib;
