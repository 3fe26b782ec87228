// Reads `cargo metadata` and holds every crate to licences that MIT OR Apache-2.0 can stand on, and to crates.io.
import { readFileSync } from 'node:fs';

const ALLOWED = new Set([
  'MIT',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'BSD-1-Clause',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'Zlib',
  'Unicode-3.0',
  'Unlicense',
  'CC0-1.0',
  '0BSD',
  'BSL-1.0',
  'MIT-0',
  'NCSA',
]);

/** Whether some choice within an SPDX expression (OR, AND, parentheses; the old "/" for OR) is allowed. */
function allowed(expression) {
  const tokens = expression.replaceAll('/', ' OR ').match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const either = () => {
    let value = both();
    while (tokens[at] === 'OR') {
      at++;
      value = both() || value;
    }
    return value;
  };
  const both = () => {
    let value = one();
    while (tokens[at] === 'AND') {
      at++;
      value = one() && value;
    }
    return value;
  };
  const one = () => {
    if (tokens[at] === '(') {
      at++;
      const value = either();
      at++;
      return value;
    }
    let name = tokens[at++];
    if (tokens[at] === 'WITH') {
      name += ` WITH ${tokens[at + 1]}`;
      at += 2;
    }
    return ALLOWED.has(name);
  };
  return either();
}

const { packages } = JSON.parse(readFileSync(0, 'utf8'));
const bad = packages.flatMap(({ name, version, license, source }) => {
  const found = [];
  if (!license || !allowed(license)) found.push(`${name} ${version}: licence ${license ?? 'unknown'}`);
  if (source && !source.startsWith('registry+https://github.com/rust-lang/crates.io-index'))
    found.push(`${name} ${version}: from ${source}`);
  return found;
});
for (const line of bad) console.error(line);
console.log(`${packages.length} crates, ${bad.length} with a licence or a source that is not allowed`);
process.exit(bad.length ? 1 : 0);
