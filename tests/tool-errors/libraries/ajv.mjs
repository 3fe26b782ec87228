// ajv: ValidationError with `errors` of compileAsync and of asynchronous schemas; MissingRefError; errors of strict mode.
import { again, final, library } from '../expect.mjs';

const lib = library({ packages: ['ajv'] });
const ajv = async (options) => new (await import('ajv')).default(options);
const user = {
  type: 'object',
  properties: { age: { type: 'integer' } },
  required: ['age'],
  additionalProperties: false,
};
lib.add('async-invalid', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'Ajv.ValidationError', async () =>
  (await ajv()).compile({ ...user, $async: true })({ age: 'old' }),
);
lib.add(
  'thrown-errors',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'programs throw the list of errors in an Error',
  async () => {
    const one = await ajv();
    const validate = one.compile(user);
    if (!validate({}))
      throw Object.assign(new Error(one.errorsText(validate.errors)), { errors: validate.errors });
  },
);
lib.add(
  'bare-errors',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'programs throw the list itself',
  async () => {
    const validate = (await ajv({ allErrors: true })).compile(user);
    if (!validate({ x: 1 })) throw validate.errors;
  },
);
lib.add(
  'missing-ref',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'MissingRefError: a schema that is not there',
  async () => (await ajv()).compile({ $ref: 'https://example.com/user.json' }),
);
lib.add('strict', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'strict mode: unknown keyword', async () =>
  (await ajv()).compile({ frob: 1 }),
);
lib.add('schema-invalid', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'schema is invalid', async () =>
  (await ajv()).compile({ type: 'strin' }),
);
lib.add('load-failed', again('NETWORK_ERROR'), 'the loader of a schema failed', async () =>
  (
    await ajv({
      loadSchema: async () => {
        throw Object.assign(new TypeError('fetch failed'), {
          cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
        });
      },
    })
  ).compileAsync({ $ref: 'https://example.com/user.json' }),
);
export default lib;
