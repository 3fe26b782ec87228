#!/usr/bin/env bash
# How much of the core and of the package their tests run, by line; fails below 95 %.
#   scripts/coverage.sh        both
#   scripts/coverage.sh core   the crates of the core and the event log, natively: all but the surface for JavaScript, which is compiled for wasm alone
#   scripts/coverage.sh pkg    pkg/src, by the tests in Node, most of which are on the built package, and by pages in Chromium
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

core() {
  scripts/setup.sh llvm_cov
  # Otherwise the report includes what tests of earlier runs have reached.
  cargo llvm-cov clean --workspace
  # The vectors are tests of the core in a package of their own.
  cargo llvm-cov --quiet --locked -p halfopen -p halfopen-fleet -p halfopen-lab -p halfopen-log -p halfopen-vectors --lib --tests --no-report
  cargo llvm-cov report --summary-only --ignore-filename-regex '/core/vectors/|/(core|fleet|lab)/tests/|/tests\.rs$' --fail-under-lines 95
}
pkg() {
  scripts/setup.sh house hosts fleet
  node scripts/coverage-pkg.mjs
}

for part in ${*:-core pkg}; do
  case $part in
    core | pkg) $part ;;
    *) echo "unknown part '$part': core or pkg" >&2; exit 2 ;;
  esac
done
