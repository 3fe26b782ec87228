// The content of the crate that `cargo publish` would send: it packs without a warning, and has the parts that
// crates.io and docs.rs show.
import { execFileSync, spawnSync } from 'node:child_process';
import { root } from './building.mjs';

/** Files that the crate has to have. */
const EXPECTED = ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'examples/blocking.rs', 'src/lib.rs'];
/** Files that read what is outside of the crate's folder, or belong to the repository alone. */
const FOREIGN = /^(?:tests|proptest-regressions|fuzz|benches|vectors|target)\/|webdriver\.json$/;

// Compiling it is what the other steps do.
const packing = ['package', '--package', 'halfopen', '--allow-dirty', '--no-verify'];
const { status, stderr } = spawnSync('cargo', packing, { cwd: root, encoding: 'utf8' });
// The tests stay behind on purpose: core/Cargo.toml says why.
const complaints = stderr.split('\n').filter((line) => /^(?:warning: (?!ignoring test )|error)/.test(line));
if (status !== 0 || complaints.length > 0) {
  console.error(stderr);
  process.exit(1);
}
const files = execFileSync('cargo', [...packing, '--list'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const missing = EXPECTED.filter((name) => !files.includes(name));
const foreign = files.filter((name) => FOREIGN.test(name));
if (missing.length + foreign.length > 0) {
  console.error(
    `the crate lacks ${missing.join(', ') || 'nothing'}; it has ${foreign.join(', ') || 'nothing'} too much`,
  );
  process.exit(1);
}
console.log(`cargo package: ${files.length} files, no warnings`);
