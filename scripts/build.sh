#!/usr/bin/env bash
# Builds the npm package and the dashboard into pkg/dist, side by side: each leaves one of two cores idle for long.
set -eu
cd "$(dirname "$0")/.."
node scripts/build-dashboard.mjs &
page=$!
npm run --silent build || { kill $page 2>/dev/null; exit 1; }
wait $page
