#!/usr/bin/env bash
# Measures: what a guarded call adds to a bare await in Node (pkg/bench), and the engine natively (criterion).
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
ran=
for file in pkg/bench/*.bench.ts; do
  [ -e "$file" ] || continue
  printf '\n━━ %s\n' "$file"
  node --expose-gc --import tsx "$file"
  ran=1
done
for file in core/benches/*.rs; do
  [ -e "$file" ] || continue
  printf '\n━━ %s\n' "$file"
  cargo bench -p halfopen --bench "$(basename "$file" .rs)"
  ran=1
done
[ -n "$ran" ] || { echo "there is no benchmark yet" >&2; exit 1; }
