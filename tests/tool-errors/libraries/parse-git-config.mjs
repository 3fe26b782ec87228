// parse-git-config: errno of files.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library } from '../expect.mjs';

let place;
const lib = library({
  packages: ['parse-git-config'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'repo-'));
    mkdirSync(path.join(place, 'folder'));
    writeFileSync(path.join(place, 'file'), '');
    symlinkSync('round', path.join(place, 'round'));
    chmodSync(place, 0o755);
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const parse = async (...names) =>
  (await import('parse-git-config')).default({ path: path.join(place, ...names) });
lib.add('missing', final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'), 'ENOENT: no repository', () =>
  parse('none', '.git', 'config'),
);
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'EISDIR', () => parse('folder'));
lib.add('through-file', final('IO_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'), 'ENOTDIR', () =>
  parse('file', 'config'),
);
lib.add('circle', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'ELOOP', () => parse('round'));
lib.add(
  'bad-path',
  final('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a path that is a number: str.replace is not a function',
  async () => (await import('parse-git-config')).default({ path: 42 }),
);
lib.add('null-byte', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a path with a null byte', () =>
  parse('a\u0000b'),
);
export default lib;
