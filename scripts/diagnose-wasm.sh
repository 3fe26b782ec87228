#!/usr/bin/env bash
# Called by scripts/build-dashboard.mjs: builds the module of `npx halfopen diagnose` and `npx halfopen mcp` (web/diagnose), into the file that is named.
# The core of it redacts texts alone: small before fast. The log and its reader are as quick as the page's.
set -eu
cd "$(dirname "$0")/.."
scripts/wasm.sh cargo rustc --quiet --locked -p halfopen-diagnose --features module --lib --crate-type cdylib \
  --target wasm32-unknown-unknown --profile web --config 'profile.web.package.halfopen.opt-level="z"'
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/web/halfopen_diagnose.wasm" "$1"
