#!/usr/bin/env bash
# The core stands on few crates, and no async runtime, clock or network is among them: in none of its crates.
# Licences and sources are cargo-deny's to check (the step `deny`, deny.toml).
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

forbidden='tokio|async-std|smol|mio|futures-executor|hyper|reqwest|chrono|time|socket2|getrandom|rand'
for crate in halfopen halfopen-lab halfopen-wasm; do
  for target in x86_64-unknown-linux-gnu wasm32-unknown-unknown; do
    tree=$(cargo tree --locked -p "$crate" --edges normal --all-features --target "$target" --prefix none --format '{p}' | awk '{print $1}' | sort -u)
    if found=$(grep -Ex "$forbidden" <<<"$tree"); then
      echo "the tree of $crate ($target) has: $(tr '\n' ' ' <<<"$found")" >&2
      exit 1
    fi
    echo "$crate ($target): $(wc -l <<<"$tree") crates, none of them a runtime, a clock or a network"
  done
done
