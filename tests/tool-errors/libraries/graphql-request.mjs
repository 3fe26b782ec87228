// graphql-request: ClientError with `response.status`, `response.errors`, `request`.
import { library } from '../expect.mjs';
import { addGraphqlFaults } from '../graphql-faults.mjs';

const lib = library({ packages: ['graphql-request', 'graphql'] });
addGraphqlFaults(lib, async ({ url, timeout, signal }) => {
  const { GraphQLClient } = await import('graphql-request');
  return new GraphQLClient(`${url}/graphql`, {
    signal: signal ?? (timeout && AbortSignal.timeout(timeout)),
  }).request('{ user { name } }');
});
export default lib;
