#!/usr/bin/env bash
# Mutation testing of what decides: changes the core (cargo-mutants) and the package's calls and policies (Stryker) one place at a
# time, and the tests have to see it. Prints the mutants that no test saw; each is killed by a test, or argued in docs/contributing/mutants.md.
#   scripts/mutants.sh               all of them: docs/contributing/mutants.md has how long each takes
#   scripts/mutants.sh core --every 30 --from 4                        a part of the core's; FILES='core/src/policy/budget.rs' some files
#   scripts/mutants.sh pkg --mutate pkg/src/call/queue.ts              some files of the package; QUICK=1 without the slow tests
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

core() {
  local files=${FILES:-core/src/policy/budget.rs core/src/policy/retry.rs core/src/policy/engine/** core/src/policy/breaker/** core/src/classify/**}
  scripts/setup.sh mutants
  set -f # the patterns are for cargo-mutants
  nice -n 19 node scripts/mutants/core.mjs $files "$@"
}

# In a copy in target, on the package that is built there: pkg/dist must be there.
pkg() {
  scripts/setup.sh stryker
  CASES=100 nice -n 19 node scripts/mutants/node_modules/@stryker-mutator/core/bin/stryker.js run scripts/mutants/stryker.config.json "$@"
}

case ${1:-} in
  core | pkg) "$@" ;;
  '') core; pkg ;;
  *) echo "unknown part '$1': core or pkg" >&2; exit 2 ;;
esac
