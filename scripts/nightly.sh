#!/usr/bin/env bash
# What proves more the longer it runs, at the length of a night (about two hours on two processors): ten minutes of soak, five of
# each fuzzed target, 100,000 inputs and 1,000 histories of a fleet compared, ten seeds of the fleet's faults, a thousand kills, and all planted bugs.
# Each length may be set by its variable, as in `SOAK_SECONDS=3600 scripts/nightly.sh`.
set -eu
cd "$(dirname "$0")/.."
export SOAK_SECONDS=${SOAK_SECONDS:-600}
export FUZZ_SECONDS=${FUZZ_SECONDS:-300}
export AGREEMENT=${AGREEMENT:-100000}
export FLEET_SEEDS=${FLEET_SEEDS:-10}
export FLEET_HISTORIES=${FLEET_HISTORIES:-1000}
export INTERLEAVINGS=${INTERLEAVINGS:-1}
export ANYTHING_RUNS=${ANYTHING_RUNS:-2000}
export HALFOPEN_TEST_KILLS=${HALFOPEN_TEST_KILLS:-1000}
failed=()
scripts/test.sh clippy build dashboard rust node agreement fleet fuzz soak counts || failed+=(tests)
scripts/setup.sh fuzz
bash -c '. scripts/env.sh && exec node scripts/planted.mjs' || failed+=("planted bugs")
[ ${#failed[@]} = 0 ] || { printf 'nightly: failed: %s\n' "${failed[*]}"; exit 1; }
