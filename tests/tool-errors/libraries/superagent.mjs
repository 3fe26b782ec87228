// superagent: `status` and `response` on a plain Error.
import { library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';

const lib = library({ packages: ['superagent'] });
addHttpFaults(
  lib,
  async ({ url, timeout }) => {
    const { default: superagent } = await import('superagent');
    const request = superagent.get(`${url}/v1/items`);
    if (timeout) request.timeout(timeout);
    return request;
  },
  { abort: false },
);
export default lib;
