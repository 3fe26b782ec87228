#!/usr/bin/env bash
# Measures: what a guarded call adds to a bare await in Node (pkg/bench), and the engine natively (criterion).
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
printf '━━ what is measured\n'
node pkg/bench/peers.mjs
for file in pkg/bench/*.bench.ts; do
  [ -e "$file" ] || continue
  printf '\n━━ %s\n' "$file"
  node --expose-gc --import tsx "$file"
done
printf '\n━━ core/benches\n'
# A package of its own, so that what the peers pull in stays out of the core's tree.
cargo bench --manifest-path core/benches/Cargo.toml
