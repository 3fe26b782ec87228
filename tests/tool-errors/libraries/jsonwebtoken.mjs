// jsonwebtoken: JsonWebTokenError, TokenExpiredError, NotBeforeError; no codes.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['jsonwebtoken'] });
const jwt = async () => (await import('jsonwebtoken')).default;
const key = 'CANARYsecret7890';
lib.add('expired', final('AUTHENTICATION_ERROR'), 'TokenExpiredError: a new token is needed', async () =>
  (await jwt()).verify((await jwt()).sign({ sub: 'jane', exp: 1000 }, key), key),
);
lib.add('not-yet', unclear('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'), 'NotBeforeError', async () =>
  (await jwt()).verify((await jwt()).sign({ sub: 'jane' }, key, { notBefore: 3600 }), key),
);
lib.add('bad-signature', final('AUTHENTICATION_ERROR'), 'invalid signature', async () =>
  (await jwt()).verify((await jwt()).sign({ sub: 'jane' }, key), 'other'),
);
lib.add('malformed', final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'), 'jwt malformed', async () =>
  (await jwt()).verify('nonsense', key),
);
lib.add('missing', final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'), 'jwt must be provided', async () =>
  (await jwt()).verify('', key),
);
lib.add(
  'audience',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'jwt audience invalid',
  async () => (await jwt()).verify((await jwt()).sign({ aud: 'a' }, key), key, { audience: 'b' }),
);
lib.add(
  'algorithm',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'invalid algorithm',
  async () => (await jwt()).verify((await jwt()).sign({}, key), key, { algorithms: ['RS256'] }),
);
lib.add(
  'no-secret',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_CONFIGURED', 'AUTHENTICATION_ERROR'),
  'secretOrPrivateKey must have a value',
  async () => (await jwt()).sign({}, undefined),
);
export default lib;
