#!/usr/bin/env bash
# Whether the crate's public Rust API breaks what its last release promised, by its version: cargo-semver-checks against the last
# tag v*. It needs the tags of the repository and no network beside that for the crates.
#   BASELINE=<commit> scripts/semver.sh   against another commit
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
baseline=${BASELINE:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
if [ -z "$baseline" ]; then
  echo "semver: no release is tagged, so nothing is promised yet"
  exit
fi
scripts/setup.sh semver
# The surface for JavaScript is the npm package's own.
cargo semver-checks --package halfopen --baseline-rev "$baseline" --only-explicit-features --features lab
