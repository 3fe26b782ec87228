#!/usr/bin/env bash
# Runs an agent against providers that misbehave, and shows it in the dashboard. Called by `make demo` after the build.
#   scripts/demo.sh                              runs it, prints the dashboard's URL, stays until Ctrl-C
#   scripts/demo.sh --check [--screenshot PATH]  runs it, verifies log and dashboard, saves a picture, exits 0 or 1
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
exec node --import tsx scripts/demo.mjs "$@"
