#!/usr/bin/env bash
# Soaks the package for SOAK_SECONDS (60) in SOAK_PROCESSES (1) at a time, each with a seed of its own: SOAK_SEED (by the clock),
# the next, and so on. One process takes one processor.
set -u
cd "$(dirname "$0")/.."
seed=${SOAK_SEED:-$(($(date +%s) % 100000))} running=() failed=0
for ((process = 0; process < ${SOAK_PROCESSES:-1}; process++)); do
  SOAK_SEED=$((seed + process)) node --import tsx --test tests/soak/soak.test.ts &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process" || failed=1; done
exit $failed
