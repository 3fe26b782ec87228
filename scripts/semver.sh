#!/usr/bin/env bash
# Whether the crate's public Rust API breaks what its last release promised, by its version: cargo-semver-checks against the last
# tag v*. Before the first release nothing is promised. It needs the tags of the repository and no network beside that for the crates.
#   BASELINE=<commit> scripts/semver.sh   against another commit: what was public there must be public still
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
baseline=${BASELINE:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
if [ -z "$baseline" ]; then
  echo "semver: no release is tagged, so nothing is promised yet; BASELINE=<commit> compares with a commit"
  exit
fi
scripts/setup.sh semver
# Between two commits the version is the same as a rule: additions are allowed, and nothing may go.
type=()
[ -z "${BASELINE:-}" ] || type=(--release-type minor)
cargo semver-checks --package halfopen --baseline-rev "$baseline" "${type[@]}"
