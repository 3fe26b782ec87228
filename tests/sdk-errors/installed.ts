// The SDKs are a package of their own: they are installed when a test first needs them, or when their versions change.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
interface Lock {
  packages?: Record<string, { version?: string; optional?: boolean }>;
}
const read = (path: string): Lock => {
  try {
    return JSON.parse(readFileSync(new URL(path, here), 'utf8'));
  } catch {
    return {};
  }
};

/** Returns `true` if every package of the lock file is installed in its version. */
function complete(): boolean {
  const wanted = read('package-lock.json').packages ?? {};
  const there = read('node_modules/.package-lock.json').packages ?? {};
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || there[path]?.version === version,
  );
}

/** Installs the SDKs if they are missing. */
export function install(): void {
  if (complete()) return;
  console.log('installing the SDKs (half a minute)');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: here, stdio: 'inherit' });
}
