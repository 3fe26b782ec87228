// envalid: EnvError (a TypeError) and EnvMissingError (a ReferenceError) of one variable, and what its accessors throw.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['envalid'] });
/** Validates without a reporter: the first error is thrown as it is. */
const clean =
  (env, specs, use = (made) => made) =>
  async () => {
    const envalid = await import('envalid');
    return use(envalid.cleanEnv(env, specs(envalid), { reporter: null }), envalid);
  };
// The classes say that it is the environment.
const config = final('CONFIG_ERROR', 'VALIDATION_ERROR');
for (const [name, why, value, spec] of [
  ['bool', 'Invalid bool input', 'maybe', ({ bool }) => bool()],
  ['number', 'Invalid number input', 'ten', ({ num }) => num()],
  ['email', 'Invalid email address', 'jane', ({ email }) => email()],
  ['host', 'Invalid host (domain or ip)', 'https://x y', ({ host }) => host()],
  ['port', 'Invalid port input', '99999', ({ port }) => port()],
  ['url', 'Invalid url', 'nowhere', ({ url }) => url()],
  ['json', 'Invalid json', '{"a": tru}', ({ json }) => json()],
  ['choices', 'a value that is not in choices', 'staging', ({ str }) => str({ choices: ['live', 'test'] })],
])
  lib.add(
    name,
    config,
    why,
    clean({ SHOP: value }, (made) => ({ SHOP: spec(made) })),
  );
const missing = final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'NOT_FOUND', 'VALIDATION_ERROR');
lib.add(
  'missing',
  missing,
  'EnvMissingError with the description of the variable',
  clean({}, ({ str }) => ({
    SHOP_KEY: str({ desc: 'The key of the shop', example: 'sk-1', docs: 'https://shop.example.com/keys' }),
  })),
);
lib.add(
  'missing-bare',
  missing,
  'EnvMissingError without a description',
  clean({}, ({ str }) => ({ SHOP_KEY: str() })),
);
lib.add('required-when', missing, 'EnvMissingError of a variable that another one demands', async () => {
  const { bool, cleanEnv, str } = await import('envalid');
  return cleanEnv(
    { MAIL: 'true' },
    {
      MAIL: bool(),
      MAIL_HOST: str({ requiredWhen: (env) => env.MAIL, desc: 'Where mail goes', default: undefined }),
    },
    {
      reporter: ({ errors }) => {
        throw errors.MAIL_HOST;
      },
    },
  );
});
lib.add(
  'no-spec',
  config,
  'Invalid spec',
  clean({ SHOP: 'x' }, () => ({ SHOP: {} })),
);
lib.add(
  'choices-no-list',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  '"choices" must be an array',
  clean({ SHOP: 'x' }, ({ str }) => ({ SHOP: str({ choices: 'live' }) })),
);
lib.add(
  'own-validator',
  config,
  'an EnvError of a validator of the application',
  clean({ SHOP_KEY: 'CANARYsecret7890' }, ({ makeValidator, EnvError }) => ({
    SHOP_KEY: makeValidator((text) => {
      if (text.startsWith('sk-')) return text;
      throw new EnvError('must begin with sk-');
    })(),
  })),
);
lib.add(
  'undeclared',
  config,
  'accessed but not validated',
  clean(
    { SHOP: 'x', COLOUR: 'red' },
    ({ str }) => ({ SHOP: str() }),
    (env) => env.COLOUR,
  ),
);
lib.add(
  'unknown',
  final('CONFIG_ERROR', 'NOT_FOUND', 'VALIDATION_ERROR'),
  'Env var not found',
  clean(
    { SHOP: 'x' },
    ({ str }) => ({ SHOP: str() }),
    (env) => env.COLOUR,
  ),
);
lib.add(
  'written',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED', 'UNKNOWN'),
  'Attempt to mutate environment value',
  clean(
    { SHOP: 'x' },
    ({ str }) => ({ SHOP: str() }),
    (env) => {
      env.SHOP = 'y';
    },
  ),
);
lib.add('several', config, 'what its formatter says of two mistakes', async () => {
  const { cleanEnv, envalidErrorFormatter, port, str } = await import('envalid');
  return cleanEnv(
    { PORT: '99999' },
    { PORT: port(), SHOP_KEY: str() },
    {
      reporter: ({ errors }) =>
        envalidErrorFormatter(errors, (text) => {
          throw new Error(text);
        }),
    },
  );
});
export default lib;
