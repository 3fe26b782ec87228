// @apollo/client: CombinedGraphQLErrors, ServerError, ServerParseError.
import { library } from '../expect.mjs';
import { addGraphqlFaults } from '../graphql-faults.mjs';

const lib = library({ packages: ['@apollo/client', 'graphql', 'rxjs'] });
addGraphqlFaults(lib, async ({ url, timeout, signal }) => {
  const { ApolloClient, gql, HttpLink, InMemoryCache } = await import('@apollo/client');
  const own = signal ?? (timeout && AbortSignal.timeout(timeout));
  const client = new ApolloClient({
    link: new HttpLink({
      uri: `${url}/graphql`,
      fetch: (to, options) => fetch(to, { ...options, signal: own ?? options.signal }),
    }),
    cache: new InMemoryCache(),
  });
  return client.query({ query: gql`{ user { name } }`, fetchPolicy: 'no-cache' });
});
export default lib;
