// ldapts on a stub: a class for each result code of RFC 4511, with the number as `code`; plain errors of connections and filters.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['ldapts'] });
const length = (bytes) =>
  bytes.length < 128
    ? Buffer.from([bytes.length])
    : Buffer.from([0x82, bytes.length >> 8, bytes.length & 255]);
const tlv = (tag, ...parts) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([tag]), length(bytes), bytes]);
};
const OPERATIONS = {
  bind: 0x60,
  search: 0x63,
  modify: 0x66,
  add: 0x68,
  delete: 0x4a,
  rename: 0x6c,
  compare: 0x6e,
};
const RESPONSES = { 96: 0x61, 99: 0x65, 102: 0x67, 104: 0x69, 74: 0x6b, 108: 0x6d, 110: 0x6f };
/** A directory that refuses one operation and grants the others. `refuse` is a result code with its text, or a verb. */
const directory = (operation, code, text = '') =>
  tcp((socket) => {
    socket.on('data', (bytes) => {
      const start = bytes[1] < 128 ? 2 : 2 + (bytes[1] & 127);
      const id = bytes.subarray(start, start + 2 + bytes[start + 1]);
      const tag = bytes[start + id.length];
      if (tag === 0x42) return;
      const here = OPERATIONS[operation] === tag;
      if (here && code === 'silent') return;
      if (here && code === 'close') return void socket.end();
      if (here && code === 'reset') return void socket.resetAndDestroy();
      const [result, why] = here ? [code, text] : [0, ''];
      socket.write(tlv(0x30, id, tlv(RESPONSES[tag], [0x0a, 1, result], tlv(4, ''), tlv(4, why))));
    });
  });
const BASE = 'dc=shop,dc=example';
const JANE = `uid=jane,ou=people,${BASE}`;
const using = async (url, work, options) => {
  const { Client } = await import('ldapts');
  const client = new Client({ url, timeout: 1500, connectTimeout: 1500, ...options });
  try {
    await client.bind(`cn=agent,${BASE}`, SECRET);
    return await work(client);
  } finally {
    await client.unbind().catch(() => {});
  }
};
const WORK = {
  bind: () => {},
  search: (client) => client.search(BASE, { scope: 'sub', filter: '(uid=jane)' }),
  add: (client) => client.add(JANE, { objectClass: ['person'], cn: 'Jane', sn: 'Doe' }),
  delete: (client) => client.del(JANE),
  rename: (client) => client.modifyDN(JANE, `uid=jane2,ou=people,${BASE}`),
  compare: (client) => client.compare(JANE, 'mail', 'jane.doe@example.com'),
  modify: async (client) => {
    const { Attribute, Change } = await import('ldapts');
    const modification = new Attribute({ type: 'mail', values: ['jane.doe@example.com'] });
    return client.modify(JANE, new Change({ operation: 'add', modification }));
  },
};
const refused =
  (operation, code, text, options, work = WORK[operation]) =>
  async () =>
    using(`ldap://127.0.0.1:${(await directory(operation, code, text)).port}`, work, options);

// RFC 4511, appendix A; the texts are those of OpenLDAP and of Active Directory
for (const [name, operation, code, text, expect, why] of [
  ['bad-login', 'bind', 49, '', final('AUTHENTICATION_ERROR'), 'invalidCredentials'],
  [
    'bad-login-ad',
    'bind',
    49,
    '80090308: LdapErr: DSID-0C090446, comment: AcceptSecurityContext error, data 52e, v2580',
    final('AUTHENTICATION_ERROR'),
    'invalidCredentials of Active Directory',
  ],
  [
    'no-password',
    'bind',
    53,
    'unauthenticated bind (DN with no password) disallowed',
    final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
    'unwillingToPerform a login',
  ],
  [
    'mechanism',
    'bind',
    7,
    "SASL(-4): no mechanism available: Couldn't find mech PLAIN",
    final('PROVIDER_NOT_SUPPORTED', 'AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
    'authMethodNotSupported',
  ],
  [
    'strong-auth',
    'bind',
    8,
    'BindSimple: Transport encryption required.',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
    'strongerAuthRequired: TLS is due',
  ],
  [
    'confidentiality',
    'bind',
    13,
    'TLS confidentiality required',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
    'confidentialityRequired',
  ],
  ['denied', 'modify', 50, '', final('PERMISSION_DENIED'), 'insufficientAccessRights'],
  [
    'read-only',
    'add',
    53,
    'operation restricted',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'unwillingToPerform a write',
  ],
  ['missing', 'search', 32, '', final('NOT_FOUND'), 'noSuchObject'],
  [
    'no-attribute',
    'modify',
    16,
    'modify/delete: mail: no such attribute',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'noSuchAttribute',
  ],
  [
    'undefined-type',
    'add',
    17,
    'nickname: attribute type undefined',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'undefinedAttributeType',
  ],
  ['taken', 'add', 68, '', final('ALREADY_EXISTS'), 'entryAlreadyExists'],
  [
    'value-there',
    'modify',
    20,
    'modify/add: mail: value #0 already exists',
    final('ALREADY_EXISTS', 'VALIDATION_ERROR', 'CONFLICT'),
    'attributeOrValueExists',
  ],
  [
    'constraint',
    'modify',
    19,
    'Password is in history of old passwords',
    final('VALIDATION_ERROR'),
    'constraintViolation',
  ],
  [
    'syntax',
    'modify',
    21,
    'mail: value #0 invalid per syntax',
    final('VALIDATION_ERROR'),
    'invalidAttributeSyntax',
  ],
  [
    'object-class',
    'add',
    65,
    "object class 'person' requires attribute 'sn'",
    final('VALIDATION_ERROR'),
    'objectClassViolation',
  ],
  [
    'naming',
    'rename',
    64,
    "value of naming attribute 'uid' is not present in entry",
    final('VALIDATION_ERROR'),
    'namingViolation',
  ],
  ['dn-syntax', 'delete', 34, 'invalid DN', final('VALIDATION_ERROR'), 'invalidDNSyntax'],
  [
    'not-a-leaf',
    'delete',
    66,
    'subordinate objects must be deleted first',
    final('CONFLICT', 'VALIDATION_ERROR'),
    'notAllowedOnNonLeaf: it stays until somebody empties it',
  ],
  ['time-limit', 'search', 3, '', again('TIMEOUT'), 'timeLimitExceeded'],
  [
    'size-limit',
    'search',
    4,
    '',
    final('VALIDATION_ERROR', 'QUOTA_EXCEEDED', 'CAPACITY_EXCEEDED', 'INVALID_RESPONSE'),
    'sizeLimitExceeded: the same search finds as many again',
  ],
  [
    'admin-limit',
    'search',
    11,
    '',
    unclear(
      'VALIDATION_ERROR',
      'QUOTA_EXCEEDED',
      'CAPACITY_EXCEEDED',
      'PERMISSION_DENIED',
      'RATE_LIMITED',
      'PROVIDER_OVERLOADED',
    ),
    'adminLimitExceeded',
  ],
  ['busy', 'search', 51, '', again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED'), 'busy'],
  [
    'unavailable',
    'bind',
    52,
    'Server is shutting down',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'unavailable',
  ],
  [
    'operations-error',
    'search',
    1,
    '',
    unclear('SERVER_ERROR', 'VALIDATION_ERROR', 'UNKNOWN'),
    'operationsError',
  ],
  [
    'no-bind-ad',
    'search',
    1,
    '000004DC: LdapErr: DSID-0C090A5C, comment: In order to perform this operation a successful bind must be completed on the connection., data 0, v4563',
    final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
    'operationsError of Active Directory, for want of a login',
  ],
  ['other', 'modify', 80, 'internal error', again('SERVER_ERROR', 'UNKNOWN'), 'other'],
  [
    'loop',
    'search',
    54,
    '',
    final('SERVER_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE', 'VALIDATION_ERROR'),
    'loopDetect',
  ],
])
  lib.add(name, expect, why, refused(operation, code, text));
lib.add(
  'timeout',
  again('TIMEOUT'),
  'Operation timed out',
  refused('search', 'silent', '', { timeout: 150 }),
);
lib.add(
  'closed',
  again('NETWORK_ERROR'),
  'Connection closed before message response was received',
  refused('search', 'close'),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', refused('search', 'reset'));
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  using(`ldap://127.0.0.1:${await closedPort()}`, () => {}),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using('ldap://directory.invalid', () => {}),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that nobody trusts',
  async () => using(`ldaps://127.0.0.1:${(await serve({ body: {} }, { tls: true })).port}`, () => {}),
);
const wrong = final('VALIDATION_ERROR');
for (const [name, why, filter] of [
  ['open-filter', 'Unbalanced parens in filter string', '(uid=jane))'],
  ['no-operator', 'Invalid expression', '(uid)'],
  ['bad-escape', 'Invalid escaped hex character', '(uid=ja\\zzne)'],
])
  lib.add(
    name,
    wrong,
    why,
    refused('search', 0, '', {}, (client) => client.search(BASE, { filter })),
  );
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'an invalid LDAP URL (protocol)', () =>
  using('https://directory.example.com', () => {}),
);
export default lib;
