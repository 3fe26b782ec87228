# Sourced by every script: where the tools are, which Rust builds for wasm32, which browser runs the tests.
#
# `cargo` is the one found first in PATH and builds for this machine. For wasm32 the same one is taken when rustup has
# that target; else Debian's in /usr/bin with a std that scripts/setup.sh has built, linked by lld (see docs/contributing/build.md).
HALFOPEN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$HALFOPEN_ROOT/scripts/versions.sh"
export HALFOPEN_ROOT
export PATH="$HALFOPEN_ROOT/node_modules/.bin:${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

# Whether this rustc can build for wasm32-unknown-unknown.
has_wasm_std() {
  local lib
  lib=$("$1" --print target-libdir --target wasm32-unknown-unknown 2>/dev/null) && ls "$lib"/libcore-*.rlib >/dev/null 2>&1
}

# Puts the Rust that builds for wasm32 first. Call it in a subshell: native builds keep the first `cargo`.
use_wasm_rust() {
  if has_wasm_std rustc; then return 0; fi
  if [ -x /usr/bin/rustc ] && has_wasm_std /usr/bin/rustc; then
    export PATH="/usr/bin:$PATH"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    return 0
  fi
  echo "no Rust here can build for wasm32-unknown-unknown: run 'make setup'" >&2
  return 1
}

# The first of these commands that is there; nothing when none is.
first_command() {
  local name
  for name in "$@"; do command -v "$name" && return 0; done
  return 0
}

find_browser() {
  HALFOPEN_CHROMIUM=${CHROMIUM:-$(first_command chromium chromium-browser google-chrome google-chrome-stable)}
  HALFOPEN_CHROMEDRIVER=${CHROMEDRIVER:-$(first_command chromedriver)}
  export HALFOPEN_CHROMIUM HALFOPEN_CHROMEDRIVER
}
find_browser
