// ky: HTTPError with a fetch Response, TimeoutError, the errors of fetch.
import { library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';

const lib = library({ packages: ['ky'] });
addHttpFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { default: ky } = await import('ky');
    return ky(`${url}/v1/items`, { timeout: timeout ?? 5000, signal, retry: 0 }).json();
  },
  { body: false },
);
export default lib;
