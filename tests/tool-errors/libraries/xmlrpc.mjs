// xmlrpc: faults with `faultCode` and `faultString`, errors of sax, and Node's; `req`, `res` and `body` beside them.
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addConnectionFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['xmlrpc'] });
const call = async ({ url }) => {
  const { default: xmlrpc } = await import('xmlrpc');
  const client = xmlrpc.createClient({ url: `${url}/RPC2` });
  return new Promise((resolve, reject) =>
    client.methodCall('report', ['june'], (error, value) => (error ? reject(error) : resolve(value))),
  );
};
const xml = (body, status = 200) => ({ status, headers: { 'content-type': 'text/xml' }, body });
const fault = (code, string) =>
  xml(
    `<?xml version="1.0"?><methodResponse><fault><value><struct><member><name>faultCode</name><value><int>${code}</int></value></member><member><name>faultString</name><value><string>${string}</string></value></member></struct></value></fault></methodResponse>`,
  );
// xmlrpc-epi.sourceforge.net/specs/rfc.fault_codes.php
for (const [name, code, string, expect, why] of [
  [
    'no-method',
    -32601,
    'server error. requested method not found',
    final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR'),
    '-32601',
  ],
  ['bad-params', -32602, 'server error. invalid method parameters', final('VALIDATION_ERROR'), '-32602'],
  [
    'not-well-formed',
    -32700,
    'parse error. not well formed',
    final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
    '-32700: the server could not read us',
  ],
  ['internal', -32603, 'server error. internal xml-rpc error', again('SERVER_ERROR'), '-32603'],
  [
    'application',
    -32500,
    'application error',
    unclear('TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'UNKNOWN'),
    '-32500',
  ],
  ['transport', -32300, 'transport error', again('NETWORK_ERROR', 'SERVER_ERROR'), '-32300'],
  [
    'login',
    403,
    'Incorrect username or password.',
    final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
    'a WordPress fault about the login',
  ],
  ['missing', 404, 'Invalid post ID.', final('NOT_FOUND', 'VALIDATION_ERROR'), 'a WordPress fault'],
  [
    'rights',
    401,
    'Sorry, you are not allowed to edit this post.',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'a WordPress fault about rights',
  ],
  ['locked', 1, 'Record is locked by another user', again('CONFLICT'), 'a fault about a lock'],
  ['exists', 2, 'A bug with this alias already exists', final('ALREADY_EXISTS'), 'a fault about a name'],
])
  lib.add(name, expect, why, async () => call({ url: (await serve(fault(code, string))).url }));
lib.add('missing-page', final('NOT_FOUND', 'CONFIG_ERROR'), 'Not Found, of a 404', async () =>
  call({ url: (await serve({ status: 404, body: 'x' })).url }),
);
lib.add(
  'html',
  unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'VALIDATION_ERROR'),
  'a page instead of a response: Unknown XML-RPC tag',
  async () =>
    call({
      url: (
        await serve({ headers: { 'content-type': 'text/html' }, body: '<html><body>Hello</body></html>' })
      ).url,
    }),
);
lib.add(
  'text',
  unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'VALIDATION_ERROR'),
  'a 500 that is no XML: Non-whitespace before first tag',
  async () => call({ url: (await serve({ status: 500, body: 'Internal Server Error' })).url }),
);
lib.add(
  'empty',
  unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'VALIDATION_ERROR'),
  'an answer without content',
  async () => call({ url: (await serve(xml(''))).url }),
);
lib.add(
  'cut-xml',
  unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'VALIDATION_ERROR'),
  'the body broke off, of which nothing is said',
  async () =>
    call({
      url: (await serve(xml('<?xml version="1.0"?><methodResponse><params><param><value><string>ju'))).url,
    }),
);
lib.add(
  'bad-integer',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Expected an integer but got',
  async () =>
    call({
      url: (
        await serve(
          xml(
            '<?xml version="1.0"?><methodResponse><params><param><value><int>seven</int></value></param></params></methodResponse>',
          ),
        )
      ).url,
    }),
);
addConnectionFaults((...one) => lib.add(...one), call);
export default lib;
