// jose: `code` ERR_JWT_*, ERR_JWS_*, ERR_JWKS_*.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['jose'] });
const key = new TextEncoder().encode('CANARYsecret7890CANARYsecret7890');
const token = async (claims = {}, change = (jwt) => jwt) => {
  const { SignJWT } = await import('jose');
  return change(new SignJWT({ sub: 'jane', ...claims }).setProtectedHeader({ alg: 'HS256' })).sign(key);
};
const verify = async (jwt, options, by = key) => (await import('jose')).jwtVerify(jwt, by, options);
lib.add('expired', final('AUTHENTICATION_ERROR'), 'ERR_JWT_EXPIRED: a new token is needed', async () =>
  verify(await token({}, (jwt) => jwt.setExpirationTime(1000))),
);
lib.add(
  'not-yet',
  unclear('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'ERR_JWT_CLAIM_VALIDATION_FAILED of nbf',
  async () => verify(await token({}, (jwt) => jwt.setNotBefore('1h'))),
);
lib.add('bad-signature', final('AUTHENTICATION_ERROR'), 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED', async () =>
  verify(await token(), {}, new TextEncoder().encode('another secret, as long as it has to be')),
);
lib.add(
  'bad-issuer',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'unexpected "iss" claim value',
  async () => verify(await token(), { issuer: 'https://login.example.com' }),
);
lib.add(
  'malformed',
  final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'ERR_JWS_INVALID: Invalid Compact JWS',
  async () => verify('not.a.token.at.all'),
);
lib.add(
  'algorithm',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'ERR_JOSE_ALG_NOT_ALLOWED',
  async () => verify(await token(), { algorithms: ['RS256'] }),
);
const jwks = async (url, options = {}) => {
  const { createRemoteJWKSet, generateKeyPair, jwtVerify, SignJWT } = await import('jose');
  const { privateKey } = await generateKeyPair('RS256');
  const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
  return jwtVerify(jwt, createRemoteJWKSet(new URL(url), options));
};
lib.add(
  'no-matching-key',
  unclear('AUTHENTICATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  'ERR_JWKS_NO_MATCHING_KEY: keys are turned over',
  async () => jwks((await serve({ body: { keys: [] } })).url),
);
lib.add('jwks-timeout', again('TIMEOUT'), 'ERR_JWKS_TIMEOUT', async () =>
  jwks((await serve({ silent: true })).url, { timeoutDuration: 120 }),
);
lib.add(
  'jwks-500',
  unclear('SERVER_ERROR', 'INVALID_RESPONSE', 'AUTHENTICATION_ERROR', 'NETWORK_ERROR'),
  'Expected 200 OK from the JSON Web Key Set HTTP response',
  async () => jwks((await serve({ status: 500 })).url),
);
lib.add('jwks-refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  jwks(`http://127.0.0.1:${await closedPort()}`),
);
lib.add(
  'jwks-invalid',
  final('INVALID_RESPONSE', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'ERR_JWKS_INVALID',
  async () => jwks((await serve({ body: { hello: 1 } })).url),
);
lib.add(
  'bad-key',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'the key of the program is none',
  async () => (await import('jose')).importPKCS8('nonsense', 'RS256'),
);
export default lib;
