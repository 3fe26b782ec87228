#!/usr/bin/env bash
# Builds the npm package and the dashboard into pkg/dist, side by side: each leaves one of two cores idle for long.
#   scripts/build.sh                 the release
#   scripts/build.sh --dev [part…]   what `make demo` runs, quick to build; sets up what it needs, and these parts of setup.sh
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = --dev ]; then
  shift
  scripts/setup.sh wasm
  # Cargo does not need the other tools: it compiles while they come.
  node scripts/compile-dashboard.mjs --dev &
  compiling=$!
  scripts/setup.sh bindgen npm "$@" || { kill $compiling 2>/dev/null; exit 1; }
  wait $compiling
  set -- --dev
fi
node scripts/build-dashboard.mjs "$@" &
page=$!
{ node scripts/build-wasm.mjs "$@" && node scripts/build-package.mjs "$@"; } || { kill $page 2>/dev/null; exit 1; }
wait $page
