#!/usr/bin/env bash
# What proves more the longer it runs, at the length of a night (an estimated four hours on two processors).
#   scripts/nightly.sh            all of it
#   scripts/nightly.sh planted    some of these parts:
#     tests      the steps that need a compilation or a tool of their own (`nightly` in scripts/test.sh --list); ten minutes of soak, five of each fuzzed target, 100,000 inputs and 1,000 histories of a fleet compared, ten seeds of the fleet's faults, a thousand kills
#     planted    all planted bugs
#     coverage   the lines that tests run
#     mutants    a thirtieth of the core's mutants and those of one file of the package, by the day: the survivors are printed
#     reproduce  the package, built twice, 400 days apart
#     semver     the crate's public API beside that of the last tagged release
#     bench      all benches, a quarter of an hour; a bound that is missed fails it
# Each length may be set by its variable, as in `SOAK_SECONDS=3600 scripts/nightly.sh tests`.
set -eu
cd "$(dirname "$0")/.."
export SOAK_SECONDS=${SOAK_SECONDS:-600} SOAK_PROCESSES=${SOAK_PROCESSES:-$(nproc)}
export FUZZ_SECONDS=${FUZZ_SECONDS:-300}
export AGREEMENT=${AGREEMENT:-100000}
export FLEET_SEEDS=${FLEET_SEEDS:-10}
export FLEET_HISTORIES=${FLEET_HISTORIES:-1000}
export INTERLEAVINGS=${INTERLEAVINGS:-1}
export ANYTHING_RUNS=${ANYTHING_RUNS:-2000}
export HALFOPEN_TEST_KILLS=${HALFOPEN_TEST_KILLS:-1000}
export KILLS=${KILLS:-200}

tests() { scripts/test.sh clippy build dashboard rust node agreement fleet fuzz soak counts benches crate deny; }
planted() {
  scripts/setup.sh fuzz counts house machete deny mutants fleet &&
    bash -c '. scripts/env.sh && exec node scripts/planted.mjs'
}
coverage() { scripts/coverage.sh; }
mutants() {
  local day=$((10#$(date +%j))) files=(pkg/src/call/*.ts pkg/src/policy/*.ts) status=0
  scripts/mutants.sh core --every 30 --from "$day" || status=$?
  # 2: mutants survived. That is the result.
  [ "$status" = 0 ] || [ "$status" = 2 ] || return "$status"
  scripts/mutants.sh pkg --mutate "${files[day % ${#files[@]}]}"
}
reproduce() { scripts/reproduce.sh; }
semver() { scripts/semver.sh; }
bench() { scripts/setup.sh counts fleet && scripts/bench.sh; }

failed=()
for part in ${*:-tests planted coverage mutants reproduce semver bench}; do
  case $part in
    tests | planted | coverage | mutants | reproduce | semver | bench) (set -e; $part) || failed+=("$part") ;;
    *) echo "nightly: unknown part '$part': see the top of scripts/nightly.sh" >&2; exit 2 ;;
  esac
done
[ ${#failed[@]} = 0 ] || { printf 'nightly: failed: %s\n' "${failed[*]}"; exit 1; }
