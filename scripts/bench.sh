#!/usr/bin/env bash
# Measures: what a guarded call adds to a bare await in Node (pkg/bench), the engine natively (criterion), and the policy lab.
#   scripts/bench.sh             all of it, docs/benchmarks.md, a list of what missed its bounds; exit code 0 only if nothing did
#   scripts/bench.sh policy core only pkg/bench/policy.bench.ts and core/benches
set -u
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
wanted=("$@") failed=()

measure() {
  local name=$1
  shift
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  printf '\n━━ %s\n' "$name"
  "$@" || failed+=("$name")
}

measure peers node pkg/bench/peers.mjs
for file in pkg/bench/*.bench.ts; do
  measure "$(basename "$file" .bench.ts)" node --expose-gc --import tsx "$file"
done
# A package of its own, so that what the peers pull in stays out of the core's tree.
measure core node scripts/bench-core.mjs
measure lab node scripts/bench-lab.mjs
measure counts node scripts/counts.mjs
# Of all that was measured, in one run; where only some was, the page stays as it is.
[ ${#wanted[@]} -gt 0 ] || measure page node scripts/bench-page.mjs

[ ${#failed[@]} = 0 ] || { printf '\nfailed, or missed a bound: %s\n' "${failed[*]}"; exit 1; }
