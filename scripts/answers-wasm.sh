#!/usr/bin/env bash
# Called by scripts/build-dashboard.mjs, and by trunk as a hook: builds the dashboard's second wasm module (web/answers), which the page fetches when it has been drawn.
# It reads no million events: small before fast, the reader of lines too.
set -eu
cd "$(dirname "$0")/.."
scripts/wasm.sh cargo rustc --quiet --locked -p halfopen-answers --features module --lib --crate-type cdylib \
  --target wasm32-unknown-unknown --profile web --config 'profile.web.package.halfopen.opt-level="z"' --config 'profile.web.package.halfopen-log.opt-level="z"'
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/web/halfopen_answers.wasm" "$TRUNK_STAGING_DIR/answers.wasm"
