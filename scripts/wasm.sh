#!/usr/bin/env bash
# Runs a command with the Rust that can build for wasm32: scripts/wasm.sh cargo clippy --target wasm32-unknown-unknown
set -eu
. "$(dirname "$0")/env.sh"
use_wasm_rust
exec "$@"
