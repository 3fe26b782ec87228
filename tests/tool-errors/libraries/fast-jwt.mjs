// fast-jwt: TokenError with a `code` of its own, and what its signers and verifiers say of their options.
import { generateKeyPairSync } from 'node:crypto';
import { final, library, SECRET, unclear } from '../expect.mjs';

const lib = library({ packages: ['fast-jwt'] });
const jwt = async () => (await import('fast-jwt')).default ?? (await import('fast-jwt'));
const key = `${SECRET}${'x'.repeat(40)}`;
const token = async (claims = {}, options = {}) => (await jwt()).createSigner({ key, ...options })(claims);
const verify = async (made, options = {}) => (await jwt()).createVerifier({ key, ...options })(made);
const refused = final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR');
const misused = final('CONFIG_ERROR', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR');

lib.add('expired', final('AUTHENTICATION_ERROR'), 'the token has expired', async () =>
  verify(await token({ exp: 1_000_000 })),
);
lib.add('not-yet', refused, 'the token is not valid yet', async () =>
  verify(await token({ nbf: 4_000_000_000 })),
);
lib.add('too-old', refused, 'older than maxAge', async () =>
  verify(await token({ iat: 1_000_000 }), { maxAge: 1000 }),
);
lib.add('other-key', final('AUTHENTICATION_ERROR'), 'the signature is another', async () =>
  verify(await token(), { key: `${key}y` }),
);
lib.add('changed', refused, 'somebody changed the payload', async () => {
  const [head, , signature] = (await token({ role: 'guest' })).split('.');
  return verify(`${head}.${Buffer.from('{"role":"admin"}').toString('base64url')}.${signature}`);
});
lib.add('no-token', refused, 'two parts only', () => verify('abc.def'));
lib.add('bad-parts', refused, 'three parts that are no JSON', () => verify('abc.def.ghi'));
lib.add('empty-token', refused, 'an empty text', () => verify(''));
lib.add('no-text', final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR'), 'a number', () => verify(42));
for (const [name, claims, options] of [
  ['issuer', { iss: 'shop' }, { allowedIss: 'bank' }],
  ['audience', { aud: 'shop' }, { allowedAud: 'bank' }],
  ['subject', { sub: 'guest' }, { allowedSub: 'agent' }],
  ['nonce', { nonce: 'a' }, { allowedNonce: 'b' }],
])
  lib.add(name, refused, `the ${name} is not among those allowed`, async () =>
    verify(await token(claims), options),
  );
lib.add('missing-claim', refused, 'a claim that is required', async () =>
  verify(await token({ iss: 'shop' }), { requiredClaims: ['aud'] }),
);
lib.add('other-algorithm', refused, 'an algorithm that is not allowed', async () =>
  verify(await token(), { algorithms: ['HS512'] }),
);
lib.add('unsigned', refused, 'alg none', () =>
  verify(
    `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`,
  ),
);
lib.add('critical', refused, 'a critical header that it does not know', async () =>
  verify(await token({}, { header: { crit: ['frob'], frob: 1 } }), { checkTyp: 'at+jwt' }),
);
lib.add('no-key', misused, 'a signer without a key', async () => (await jwt()).createSigner({})({}));
lib.add('key-of-other-kind', misused, 'RS256 with a secret', async () =>
  (await jwt()).createSigner({ key, algorithm: 'RS256' })({}),
);
lib.add('no-algorithm', misused, 'an algorithm that nobody has', async () =>
  (await jwt()).createSigner({ key, algorithm: 'HS1' })({}),
);
lib.add('bad-lifetime', misused, 'expiresIn that is no time', async () =>
  (await jwt()).createSigner({ key, expiresIn: 'soon' })({}),
);
lib.add('no-object', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a payload that is a number', async () =>
  (await jwt()).createSigner({ key })(42),
);
lib.add(
  'key-not-had',
  unclear('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'NETWORK_ERROR', 'UNKNOWN', 'SERVER_ERROR'),
  'the function that fetches the key fails',
  async () =>
    (await jwt()).createVerifier({
      key: async () => {
        throw new Error('no key today');
      },
    })(await token()),
);
lib.add(
  'public-key-of-other',
  final('AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
  'another pair of keys',
  async () => {
    const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = (one, type) => one.export({ format: 'pem', type });
    const made = (await jwt()).createSigner({ key: pem(pair().privateKey, 'pkcs8') })({});
    return (await jwt()).createVerifier({ key: pem(pair().publicKey, 'spki') })(made);
  },
);
export default lib;
