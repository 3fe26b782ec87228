#!/usr/bin/env bash
# Fails for code that nothing uses: files, exports and npm dependencies (knip). The step `deny` looks at the Rust crates.
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
scripts/setup.sh house

# Binaries of the machine, files that the build makes, and packages that a workspace above has are not knip's to know.
knip() { scripts/house/node_modules/.bin/knip --config scripts/house/knip.config.js --no-progress --no-config-hints --no-tag-hints "$@"; }
knip --include files,dependencies,exports,types,duplicates
# What only tests use is unused.
knip --production --workspace pkg --include files,exports,types
echo "unused: no file, export or dependency"
