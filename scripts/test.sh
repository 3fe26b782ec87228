#!/usr/bin/env bash
# Everything that must hold: scripts/test.mjs, with the tools of env.sh.
#   scripts/test.sh              all steps, a summary at the end; exit code 0 only if every step passed
#   scripts/test.sh --quick      the steps for between two edits
#   scripts/test.sh rust node    only these steps
#   scripts/test.sh --list       their names; those of --quick are marked
set -eu
. "$(dirname "$0")/env.sh"
export CHROMIUM="$HALFOPEN_CHROMIUM" # for tests that start a browser
cd "$HALFOPEN_ROOT"
exec node scripts/test.mjs "$@"
