// The import hooks of scripts/compiled.mjs: `./given.js` is `given.ts` if only that exists, and the source of a
// TypeScript file is its compiled form.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = process.env.HALFOPEN_COMPILED ?? '';

export function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

/** Returns the compiled form of a file, and compiles it first if needed: a test may have written it. */
async function sourceOf(file) {
  const path = join(compiled, relative(root, file).replace(/\.ts$/, '.js'));
  if (existsSync(path)) return readFileSync(path);
  const { transform } = await import('esbuild');
  const { code } = await transform(readFileSync(file, 'utf8'), {
    loader: 'ts',
    sourcefile: file,
    sourcemap: 'inline',
  });
  return code;
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await sourceOf(fileURLToPath(url)), shortCircuit: true };
}
