// flat-cache: what its file throws (errno, SyntaxError of the file), and an Error of its own for a file that is missing.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['flat-cache'] });
const folder = () => mkdtempSync(path.join(tmpdir(), 'flat-'));
const open = async (options) => {
  const { FlatCache } = await import('flat-cache');
  const cache = new FlatCache(options);
  return cache;
};
/** The cache reports errors as events: the first one is thrown. */
const failing = async (cache, work) => {
  let failed;
  cache.on('error', (error) => {
    failed ??= error;
  });
  const back = await work(cache);
  if (failed) throw failed;
  return back;
};
lib.add('stream-no-file', final('NOT_FOUND', 'IO_ERROR'), 'the same, as a stream', async () => {
  const cache = await open();
  return new Promise((resolve, reject) => {
    cache.on('error', () => {});
    cache.loadFileStream('/nowhere/cache.json', () => {}, resolve, reject);
  });
});
const wrong = unclear('INVALID_RESPONSE', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'IO_ERROR');
const text = (content) => async () => {
  const file = path.join(folder(), 'cache.json');
  writeFileSync(file, content);
  return failing(await open(), (cache) => cache.loadFile(file));
};
lib.add('not-json', wrong, 'the file is no JSON', text('{"a": tru}'));
lib.add('cut-json', wrong, 'the file ends in the middle: a process died', text('[{"1":"2"},"a'));
lib.add('html', wrong, 'the file is a page', text('<html></html>'));
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'the file is a folder', async () =>
  failing(await open(), (cache) => cache.loadFile(folder())),
);
lib.add(
  'save-below-a-file',
  final('IO_ERROR', 'ALREADY_EXISTS', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'the folder of the cache is a file',
  async () => {
    const file = path.join(folder(), 'file');
    writeFileSync(file, '');
    const cache = await open({ cacheDir: path.join(file, 'below'), cacheId: 'orders' });
    cache.set('a', 1);
    return failing(cache, () => cache.save(true));
  },
);
lib.add(
  'save-over-folder',
  final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'its file is a folder',
  async () => {
    const place = folder();
    mkdirSync(path.join(place, 'orders'));
    const cache = await open({ cacheDir: place, cacheId: 'orders' });
    cache.set('a', 1);
    return failing(cache, () => cache.save(true));
  },
);
lib.add(
  'bigint',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a value that has no JSON',
  async () => {
    const cache = await open({ cacheDir: folder(), cacheId: 'orders' });
    cache.set('a', 1n);
    return failing(cache, () => cache.save(true));
  },
);
lib.add('own-parser', wrong, 'what its own deserialiser says', async () => {
  const file = path.join(folder(), 'cache.json');
  writeFileSync(file, 'x');
  return failing(
    await open({
      deserialize: () => {
        throw new Error('unknown format version 7');
      },
    }),
    (cache) => cache.loadFile(file),
  );
});
lib.add(
  'name',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'IO_ERROR'),
  'a name that no file can have',
  async () => {
    const cache = await open({ cacheDir: folder(), cacheId: 'x'.repeat(300) });
    cache.set('a', 1);
    return failing(cache, () => cache.save(true));
  },
);
export default lib;
