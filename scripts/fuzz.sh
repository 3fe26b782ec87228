#!/usr/bin/env bash
# Fuzzes what the core reads from outside, each target for some seconds from its seeds: scripts/fuzz.sh [seconds] [target…]
# Needs a nightly Rust and cargo-fuzz (cargo install cargo-fuzz --version 0.13.1).
set -eu
cd "$(dirname "$0")/../core"
seconds=${1:-60}
shift || true
rustup run nightly cargo fuzz --version >/dev/null 2>&1 || { echo "fuzz: a nightly Rust with cargo-fuzz is needed: rustup toolchain install nightly && cargo install cargo-fuzz --version 0.13.1" >&2; exit 2; }
# The seeds are the shared vectors, so that every new case is one.
node ../scripts/fuzz-seeds.mjs
for target in ${*:-json lane text headers}; do
  printf '\n━━ %s, %s s\n' "$target" "$seconds"
  cargo +nightly fuzz run "$target" "fuzz/corpus/$target" -- -max_total_time="$seconds" -timeout=5 -max_len=16384 -print_final_stats=0 -verbosity=0
done
