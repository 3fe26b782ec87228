// Errors of AWS services as their stub servers send them.
import { SECRET } from './expect.mjs';
import { serve } from './servers/net.mjs';

export const REQUEST_ID = 'TX4CANARY0000001';

/** Options of a client that talks to `url`. */
export async function options({ url, timeout }) {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  return {
    endpoint: url,
    region: 'eu-west-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'CANARYAKID', secretAccessKey: SECRET },
    requestHandler: new NodeHttpHandler({ requestTimeout: timeout, throwOnRequestTimeout: true }),
  };
}
const ids = { 'x-amzn-requestid': REQUEST_ID };
/** JSON 1.0 of DynamoDB and SQS. */
export const json = async (status, type, message, more = {}, headers = {}) =>
  (
    await serve({
      status,
      headers: { ...ids, 'content-type': 'application/x-amz-json-1.0', ...headers },
      body: JSON.stringify({ __type: type, message, ...more }),
    })
  ).url;
/** XML of S3. */
export const xml = async (status, code, message, more = '') =>
  (
    await serve({
      status,
      headers: { 'x-amz-request-id': REQUEST_ID, 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${more}<RequestId>${REQUEST_ID}</RequestId><HostId>abc</HostId></Error>`,
    })
  ).url;
