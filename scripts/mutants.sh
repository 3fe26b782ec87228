#!/usr/bin/env bash
# Mutation testing of what decides: changes the core (cargo-mutants) and the package's calls and policies (Stryker) one place at a
# time, and the tests have to see it. Prints the mutants that no test saw; each is killed by a test, or argued in docs/mutants.md.
#   scripts/mutants.sh               all of them: many hours
#   scripts/mutants.sh core --shard 0/60                               a part of the core's; FILES='core/src/policy/budget.rs' some files
#   scripts/mutants.sh pkg --mutate pkg/src/call/queue.ts              some files of the package
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

core() {
  local files=${FILES:-core/src/policy/budget.rs core/src/policy/retry.rs core/src/policy/breaker/** core/src/policy/engine/** core/src/classify/**}
  local chosen=()
  scripts/setup.sh mutants
  set -f # the patterns are for cargo-mutants
  for file in $files; do chosen+=(--file "$file"); done
  set +f
  mkdir -p target/mutants/tmp
  # A copy of the tree in target; the dependencies are compiled once, for all runs.
  TMPDIR="$HALFOPEN_ROOT/target/mutants/tmp" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HALFOPEN_ROOT/target/mutants/target}" CARGO_INCREMENTAL=1 \
    nice -n 19 cargo mutants --package halfopen --jobs 1 --output target/mutants "${chosen[@]}" "$@"
}

# In a copy in target, on the package that is built there: pkg/dist must be there.
pkg() {
  scripts/setup.sh stryker
  nice -n 19 node scripts/mutants/node_modules/@stryker-mutator/core/bin/stryker.js run scripts/mutants/stryker.config.json "$@"
}

case ${1:-} in
  core | pkg) "$@" ;;
  '') core; pkg ;;
  *) echo "unknown part '$1': core or pkg" >&2; exit 2 ;;
esac
