// shelljs with `config.fatal`: plain errors whose text is what the commands of a shell print.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library } from '../expect.mjs';

let place;
const lib = library({
  packages: ['shelljs'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'shell-'));
    writeFileSync(path.join(place, 'file'), 'a');
    mkdirSync(path.join(place, 'folder'));
    writeFileSync(path.join(place, 'folder', 'inside'), 'a');
    symlinkSync('none', path.join(place, 'dangling'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const shell = async () => {
  const { default: made } = await import('shelljs');
  made.config.fatal = true;
  made.config.silent = true;
  made.config.execPath = process.execPath;
  return made;
};
const at = (...names) => path.join(place, ...names);
const missing = final('NOT_FOUND', 'IO_ERROR');
const wrong = final('VALIDATION_ERROR', 'IO_ERROR', 'CONFIG_ERROR');
const folder = final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR');
for (const [name, expect, why, work] of [
  ['cat-missing', missing, 'no such file or directory', (sh) => sh.cat(at('none'))],
  ['cat-folder', folder, 'Is a directory', (sh) => sh.cat(at('folder'))],
  ['ls-missing', missing, 'no such file or directory', (sh) => sh.ls(at('none'))],
  ['cd-missing', missing, 'no such file or directory', (sh) => sh.cd(at('none'))],
  ['cd-file', folder, 'not a directory', (sh) => sh.cd(at('file'))],
  ['rm-missing', missing, 'no such file or directory', (sh) => sh.rm(at('none'))],
  ['rm-folder', folder, 'path is a directory', (sh) => sh.rm(at('folder'))],
  ['mkdir-taken', final('ALREADY_EXISTS', 'IO_ERROR'), 'path already exists', (sh) => sh.mkdir(at('folder'))],
  ['mkdir-deep', missing, 'no such file or directory', (sh) => sh.mkdir(at('none', 'deeper'))],
  ['mv-missing', missing, 'no such file or directory', (sh) => sh.mv(at('none'), at('other'))],
  ['cp-folder', wrong, '-R not specified', (sh) => sh.cp(at('folder'), at('copy'))],
  ['cp-missing', missing, 'no such file or directory', (sh) => sh.cp(at('none'), at('copy'))],
  [
    'cp-no-clobber',
    final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    'a target that is no folder',
    (sh) => sh.cp(at('file'), at('folder', 'inside'), at('dangling')),
  ],
  [
    'bad-option',
    final('VALIDATION_ERROR', 'CONFIG_ERROR'),
    'option not recognized',
    (sh) => sh.ls('-Z', place),
  ],
  ['no-arguments', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'missing arguments', (sh) => sh.cp()],
  ['sed-missing', missing, 'no such file or directory', (sh) => sh.sed('a', 'b', at('none'))],
  ['grep-missing', missing, 'no such file or directory', (sh) => sh.grep('zzz', at('none'))],
  [
    'ln-taken',
    final('ALREADY_EXISTS', 'IO_ERROR'),
    'Destination file exists',
    (sh) => sh.ln('-s', at('file'), at('folder', 'inside')),
  ],
  ['chmod-bad', final('VALIDATION_ERROR'), 'invalid mode', (sh) => sh.chmod('frob', at('file'))],
  [
    'exec-failed',
    final('TOOL_EXECUTION_ERROR', 'UNKNOWN'),
    'a command that ends with 3',
    (sh) => sh.exec('exit 3'),
  ],
  [
    'exec-not-found',
    final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
    '127: no such program',
    (sh) => sh.exec('no-such-program'),
  ],
  ['exec-nothing', final('VALIDATION_ERROR'), 'must specify command', (sh) => sh.exec('')],
])
  lib.add(name, expect, why, async () => work(await shell()));
export default lib;
