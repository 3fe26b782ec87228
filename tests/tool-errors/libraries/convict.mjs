// convict: plain errors of the schema and of the configuration; validate() joins the mistakes of several in one message.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['convict'] });
const SCHEMA = {
  port: { doc: 'the port', format: 'port', default: 80 },
  env: { doc: 'where', format: ['production', 'test'], default: 'test' },
  key: { doc: 'the key', format: String, default: null, nullable: false },
  shop: { name: { doc: 'its name', format: String, default: 'june' } },
};
const use =
  (work, schema = SCHEMA) =>
  async () => {
    const { default: convict } = await import('convict');
    return work(convict(schema), convict);
  };
const config = final('CONFIG_ERROR', 'VALIDATION_ERROR');
// A value that breaks the schema is named as any validator names it: that it is of a configuration, nothing says.
const value = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add(
  'bad-port',
  value,
  'ports must be within range',
  use((made) => made.load({ port: 99999 }).validate()),
);
lib.add(
  'not-one-of',
  value,
  'must be one of the possible values',
  use((made) => made.load({ env: 'staging' }).validate()),
);
lib.add(
  'wrong-type',
  value,
  'must be of type String',
  use((made) => made.load({ shop: { name: 7 } }).validate()),
);
lib.add(
  'undeclared',
  config,
  'not declared in the schema',
  use((made) => made.load({ colour: 'red' }).validate({ allowed: 'strict' })),
);
lib.add(
  'several',
  value,
  'more than one mistake',
  use((made) => made.load({ port: 'x', env: 'y' }).validate()),
);
lib.add(
  'no-param',
  final('NOT_FOUND', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'cannot find configuration param',
  use((made) => made.get('colour')),
);
lib.add(
  'no-format',
  config,
  'uses an unknown format type',
  use(() => 0, { port: { format: 'frob', default: 1 } }),
);
lib.add(
  'format-number',
  config,
  'format must be a function or a known format type',
  use(() => 0, { port: { format: 7, default: 1 } }),
);
lib.add(
  'argument',
  config,
  'reuses a command-line argument',
  use(() => 0, {
    a: { format: String, default: 'x', arg: 'a' },
    b: { format: String, default: 'x', arg: 'a' },
  }),
);
lib.add(
  'own-format-validated',
  value,
  'the same, when it is validated',
  use((made) => made.validate(), {
    start: {
      format: (value) => {
        if (value !== 'now') throw new Error('must be now');
      },
      default: 'later',
    },
  }),
);
lib.add(
  'parser',
  config,
  'Missing parser.parse function',
  use((_, convict) => convict.addParser({ extension: 'yaml' })),
);
lib.add(
  'missing-file',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT of a file',
  use((made) => made.loadFile('/nowhere/config.json')),
);
lib.add(
  'not-json',
  unclear('CONFIG_ERROR', 'INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'a file that is no JSON: a bare SyntaxError, which does not show whether to try again',
  use((made) => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'convict-')), 'config.json');
    writeFileSync(file, '{"port": tru}');
    return made.loadFile(file);
  }),
);
lib.add(
  'folder',
  final('IO_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a folder instead of a file',
  use((made) => made.loadFile(tmpdir())),
);
export default lib;
