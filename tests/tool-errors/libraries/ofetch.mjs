// ofetch: FetchError with getters for status and data.
import { library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';

const lib = library({ packages: ['ofetch'] });
addHttpFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { ofetch } = await import('ofetch');
    return ofetch(`${url}/v1/items`, { timeout, signal, retry: 0 });
  },
  { skip: ['cut-json'] },
); // It returns what there is as text.
export default lib;
