// needle: errors of Node as they are; the program throws on a status.
import { again, library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';

const lib = library({ packages: ['needle'] });
addHttpFaults(
  lib,
  async ({ url, timeout, signal }) => {
    const { default: needle } = await import('needle');
    const response = await needle('get', `${url}/v1/items`, null, {
      response_timeout: timeout,
      signal,
      parse_response: true,
    });
    if (response.statusCode >= 400) {
      throw Object.assign(new Error(response.statusMessage), {
        statusCode: response.statusCode,
        headers: response.headers,
        body: response.body,
      });
    }
    return typeof response.body === 'string' || Buffer.isBuffer(response.body)
      ? JSON.parse(String(response.body))
      : response.body;
  },
  {
    cut: false, // needle waits for ever
    instead: { timeout: again('NETWORK_ERROR', 'TIMEOUT') }, // It says only that the connection broke.
  },
);
export default lib;
