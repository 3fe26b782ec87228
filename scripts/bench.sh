#!/usr/bin/env bash
# Measures: what a guarded call adds to a bare await in Node (pkg/bench), the engine natively (criterion), and the policy lab.
#   scripts/bench.sh             all of it in about a quarter of an hour, docs/benchmarks.md, a list of what missed its bounds; exit code 0 only if nothing did
#   scripts/bench.sh policy core only pkg/bench/policy.bench.ts and core/benches
#   BENCH_ROUNDS=1               each case once: shows that all of it runs, and measures little
set -u
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
wanted=("$@") failed=()
logs=target/bench/logs
# Frames are counted for so many seconds in each round of a view.
export BENCH_SCROLL_SECONDS=${BENCH_SCROLL_SECONDS:-10}

measure() {
  local name=$1 began=$SECONDS
  shift
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  printf '\n━━ %s\n' "$name"
  # The page shows what was printed.
  "$@" 2>&1 | tee "$logs/$name.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || failed+=("$name")
  printf '(%d s)\n' $((SECONDS - began))
}

mkdir -p "$logs"
# What an earlier run has left would pass for measured in this one.
[ ${#wanted[@]} -gt 0 ] || rm -f target/bench/*.json "$logs"/*.txt
measure peers node pkg/bench/peers.mjs
for file in pkg/bench/*.bench.ts; do
  measure "$(basename "$file" .bench.ts)" node --expose-gc --import tsx "$file"
done
# A package of its own, so that what the peers pull in stays out of the core's tree.
measure core node scripts/bench-core.mjs
measure lab node scripts/bench-lab.mjs
measure counts node scripts/counts.mjs
# Of all that was measured, in one run; where only some was, the page stays as it is.
[ ${#wanted[@]} -gt 0 ] || measure page node scripts/bench-page.mjs "${failed[@]}"

[ ${#failed[@]} = 0 ] && exit
printf '\nfailed, or missed a bound:\n'
for name in "${failed[@]}"; do
  printf '%s\n' "$name"
  grep -E 'MISSED|MORE$' "$logs/$name.txt" | sed 's/^/  /'
done
exit 1
