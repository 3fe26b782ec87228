#!/usr/bin/env bash
# Mutation testing of what decides: cargo-mutants changes the core one place at a time, and the tests have to see it. Prints the
# mutants that no test saw; each is killed by a test, or argued in docs/mutants.md.
#   scripts/mutants.sh                          all of them: hours
#   FILES='core/src/policy/budget.rs' scripts/mutants.sh --shard 0/4   some files, a part of their mutants
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
FILES=${FILES:-core/src/policy/budget.rs core/src/policy/retry.rs core/src/policy/breaker/** core/src/policy/engine/** core/src/classify/**}
scripts/setup.sh mutants

chosen=()
set -f # the patterns are for cargo-mutants
for file in $FILES; do chosen+=(--file "$file"); done
set +f
mkdir -p target/mutants/tmp
# A copy of the tree in target; the dependencies are compiled once, for all runs.
export TMPDIR="$HALFOPEN_ROOT/target/mutants/tmp" CARGO_TARGET_DIR="$HALFOPEN_ROOT/target/mutants/target" CARGO_INCREMENTAL=1
nice -n 19 cargo mutants --package halfopen --jobs 1 --output target/mutants "${chosen[@]}" "$@"
