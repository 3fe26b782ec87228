#!/usr/bin/env bash
# trunk's hook: builds the dashboard's demonstration, a wasm module of its own that is fetched when somebody asks for it.
set -eu
cd "$(dirname "$0")/.."
scripts/wasm.sh cargo build --quiet --locked --offline -p halfopen-demo --target wasm32-unknown-unknown --profile web
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/web/halfopen_demo.wasm" "$TRUNK_STAGING_DIR/demo.wasm"
