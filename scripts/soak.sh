#!/usr/bin/env bash
# Soaks the package for SOAK_SECONDS (60) in SOAK_PROCESSES (1) at a time, each with a seed of its own: SOAK_SEED (by the clock),
# the next, and so on. One process takes one processor: about a thousand calls a second, a million in ten minutes of two.
set -u
cd "$(dirname "$0")/.."
seed=${SOAK_SEED:-$(($(date +%s) % 100000))} running=() failed=0
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
for ((process = 0; process < ${SOAK_PROCESSES:-1}; process++)); do
  (
    set -o pipefail
    SOAK_SEED=$((seed + process)) node --import tsx --test tests/soak/soak.test.ts | tee "$said/$process"
  ) &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process" || failed=1; done
printf 'soak: %d calls\n' "$(grep -ohE '[0-9]+ calls in' "$said"/* | awk '{ sum += $1 } END { print sum + 0 }')"
exit $failed
