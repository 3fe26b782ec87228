#!/usr/bin/env bash
# Gets what the build needs and this machine lacks: a std for wasm32, wasm-bindgen, the npm packages, a browser.
# Says what it does and how long it may take. Where everything is there it takes a second.
#   scripts/setup.sh            all that building, tests and demo need
#   scripts/setup.sh wasm npm   only these parts (wasm bindgen npm browser wasm_pack trunk fuzz counts hosts fleet rehearsal platforms site house machete deny mutants stryker semver public_api llvm_cov fake_time)
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }

# Debian packages, with the lists fetched first where they are missing or stale.
debian() {
  command -v apt-get >/dev/null || fail "this machine has no apt-get; please install: $*"
  local sudo=
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "Debian packages are missing and this is not root. Please run once:" "  sudo apt-get update && sudo apt-get install --no-install-recommends $*"
    sudo='sudo -n'
  fi
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
  say "fetching Debian's package lists"
  $sudo apt-get update -qq || say "apt-get update failed; trying on"
  $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null || fail "apt-get install $* failed"
}

needs() {
  command -v cargo >/dev/null || fail "Rust is missing. Install it from https://rustup.rs (1.95 or later)."
  command -v cc >/dev/null || { say "installing a C linker"; debian gcc libc6-dev; }
  command -v node >/dev/null || fail "Node is missing. Install Node 20 or later from https://nodejs.org."
  node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || fail "Node 20 or later is needed, found $(node --version)."
}

# A std for wasm32: rustup's where it can be had, else Debian's sources, built once.
wasm() {
  (use_wasm_rust) 2>/dev/null && return
  if command -v rustup >/dev/null; then
    say "fetching Rust's wasm32 target (a minute at most)"
    timeout 120 rustup target add wasm32-unknown-unknown >/dev/null 2>&1 && has_wasm_std rustc && return
    say "rustup cannot fetch it here"
  fi
  say "taking Debian's Rust for wasm32 instead and building its std (about two minutes)"
  debian rustc-web cargo-web rust-web-src lld
  build_wasm_std
  (use_wasm_rust) || fail "the std for wasm32 was built but rustc does not see it"
}

# Debian's source package has no built std for this target. `embed-bitcode` is for LTO ("Can't find section .llvmbc"
# without it); the `test` crate is for the test runner (E0463 without it).
build_wasm_std() {
  local work lib
  work=$(mktemp -d)
  mkdir "$work/src"
  printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >"$work/Cargo.toml"
  printf '#![no_std]\n' >"$work/src/lib.rs"
  (
    cd "$work"
    export PATH="/usr/bin:$PATH" RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes
    unset CARGO_TARGET_DIR RUSTC CARGO_BUILD_TARGET
    /usr/bin/cargo build --quiet --release --target wasm32-unknown-unknown --target-dir target -Z build-std=std,panic_abort,test
  ) || fail "building std for wasm32 failed"
  rm -f "$work"/target/wasm32-unknown-unknown/release/deps/libempty-*
  lib=/usr/lib/rustlib/wasm32-unknown-unknown/lib
  local sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo -n'
  $sudo mkdir -p "$lib"
  $sudo cp "$work"/target/wasm32-unknown-unknown/release/deps/*.rlib "$lib/"
  rm -rf "$work"
}

# A crate's command at one version, only where that version is not there: tool <command, with subcommand> <crate> <version> <time> [options]
tool() {
  local command=$1 crate=$2 version=$3 time=$4
  shift 4
  case " $($command --version 2>/dev/null || true)" in *" $version"*) return ;; esac
  say "installing $crate $version ($time)"
  # Tools run for seconds here: building them fast beats building them well. wasm-bindgen without optimisation takes 80 s
  # of processor time less to compile, and 2 s more for the dashboard.
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=${LEVEL:-1} CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install --quiet --force "$crate" --version "$version" "$@" || fail "cargo install $crate failed"
}

bindgen() {
  # Its TLS is for WebDriver over the network, which nothing here uses.
  LEVEL=0 tool wasm-bindgen wasm-bindgen-cli "$WASM_BINDGEN_VERSION" "a minute and a half on two cores" --no-default-features
}
# For the tests of the wasm modules.
wasm_pack() {
  LEVEL=0 tool wasm-pack wasm-pack "$WASM_PACK_VERSION" "a minute and a half on two cores" --locked
}
# For `trunk serve`, while one works on the dashboard. It runs offline, so it needs no TLS.
trunk() {
  tool "command trunk" trunk "$TRUNK_VERSION" "about four minutes on two cores" --locked --no-default-features
}

# npm's packages, only when the lock file is not the one that node_modules was made from.
npm_packages() {
  local key
  key=$(cat package-lock.json package.json */package.json | sha256sum)
  [ -f node_modules/.halfopen-lock ] && [ "$(cat node_modules/.halfopen-lock)" = "$key" ] && return
  say "npm ci (half a minute)"
  npm ci --no-audit --no-fund --loglevel=error >/dev/null || fail "npm ci failed"
  printf '%s\n' "$key" >node_modules/.halfopen-lock
}

# Chromium for the tests in a browser, with the driver that wasm-pack wants, and fonts for the languages of the messages.
browser() {
  if [ -z "$HALFOPEN_CHROMIUM" ] || [ -z "$HALFOPEN_CHROMEDRIVER" ]; then
    say "installing Chromium and its driver from Debian (a minute)"
    debian chromium chromium-driver
    find_browser
    [ -n "$HALFOPEN_CHROMIUM" ] && [ -n "$HALFOPEN_CHROMEDRIVER" ] || fail "no chromium and chromedriver after installing them"
  fi
  # Some tests look whether the dashboard holds in Firefox too; they are skipped where there is none.
  if [ -z "$(first_command "${FIREFOX:-firefox-esr}" firefox-esr firefox)" ]; then
    say "installing Firefox from Debian (a minute)"
    (debian firefox-esr) || say "going on without it: what is tested in Firefox will be skipped"
  fi
  if command -v dpkg-query >/dev/null && ! { dpkg-query -s fonts-noto-cjk && dpkg-query -s fonts-noto-color-emoji; } >/dev/null 2>&1; then
    say "installing fonts for Chinese, Japanese and emoji (a minute)"
    (debian fonts-noto-cjk fonts-noto-color-emoji) || say "going on without them: screenshots may show boxes"
  fi
}

# For scripts/fuzz.sh, which calls this itself: nobody else needs it. libFuzzer is C++.
fuzz() {
  command -v c++ >/dev/null || { say "installing a C++ compiler (half a minute)"; debian g++; }
  tool cargo-fuzz cargo-fuzz "$CARGO_FUZZ_VERSION" "about a minute on two cores" --locked
}

# For scripts/counts.mjs, whose step calls this.
counts() {
  command -v valgrind >/dev/null || { say "installing Valgrind from Debian (half a minute)"; debian valgrind; }
}

# The packages of a folder that has a lock file of its own, where they are not those: own_packages <folder> <time>
own_packages() {
  local at=$1 time=$2 key
  key=$(sha256sum <"$at/package-lock.json")
  [ -f "$at/node_modules/.halfopen-lock" ] && [ "$(cat "$at/node_modules/.halfopen-lock")" = "$key" ] && return
  say "npm ci in $at ($time)"
  npm ci --prefix "$at" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || fail "npm ci in $at failed"
  printf '%s\n' "$key" >"$at/node_modules/.halfopen-lock"
}

# What the integrations are tested with, a package of its own: their tests call this, nobody else needs it.
hosts() {
  own_packages tests/integrations "a minute"
  own_packages tests/integrations/workflow "half a minute, 170 MB"
  own_packages tests/integrations/ai-sdk-7 "half a minute, 220 MB"
  if [ -z "$(first_command redis-server)" ]; then
    say "installing Redis from Debian (half a minute)"
    (debian redis-server) || say "going on without it: what needs a Redis server will be skipped"
  fi
}

# The libraries of the agents that `make rehearse` compares, those for Python in an environment of their own.
rehearsal() {
  own_packages tests/rehearsal "a minute, 400 MB"
  if [ ! -x tests/rehearsal/venv/bin/python ]; then
    say "installing the Python agents' packages (a minute)"
    { python3 -m venv tests/rehearsal/venv && tests/rehearsal/venv/bin/pip install -q -r tests/rehearsal/requirements.txt; } ||
      { rm -rf tests/rehearsal/venv && say "going on without the agents in Python"; }
  fi
}

# The servers and peers of the tests of a fleet: their tests call this, nobody else needs it.
fleet() {
  if [ -z "$(first_command redis-server)" ]; then
    say "installing Redis from Debian (half a minute)"
    debian redis-server
  fi
  if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
    say "installing PostgreSQL from Debian (a minute)"
    debian postgresql
  fi
}

# The frameworks and engines that the packed package runs in: Next, rspack, Jest, Hermes. Their tests call this.
platforms() {
  own_packages pkg/packaging/platforms "a minute, 160 MB"
}

# The documentation site's: VitePress, typedoc, and the libraries that its migration pages compare with.
site() {
  own_packages site "half a minute"
}

# What looks at the code itself: unused exports, the public types, coverage. `scripts/house` has their lock file.
house() {
  own_packages scripts/house "a quarter of a minute, 90 MB"
}
machete() {
  tool cargo-machete cargo-machete "$CARGO_MACHETE_VERSION" "a minute on two cores" --locked
}
# For scripts/mutants.sh, scripts/semver.sh, scripts/rust-api.sh and scripts/coverage.sh, which call these themselves.
mutants() {
  tool "cargo mutants" cargo-mutants "$CARGO_MUTANTS_VERSION" "two minutes on two cores" --locked
}
stryker() {
  own_packages scripts/mutants "a quarter of a minute, 75 MB"
}
public_api() {
  tool "cargo public-api" cargo-public-api "$CARGO_PUBLIC_API_VERSION" "a minute on two cores" --locked
}
semver() {
  tool cargo-semver-checks cargo-semver-checks "$CARGO_SEMVER_CHECKS_VERSION" "five minutes on two cores" --locked
}
llvm_cov() {
  tool "cargo llvm-cov" cargo-llvm-cov "$CARGO_LLVM_COV_VERSION" "half a minute on two cores" --locked
  ls "$(rustc --print sysroot)"/lib/rustlib/*/bin/llvm-profdata >/dev/null 2>&1 && return
  say "fetching the LLVM tools of this Rust (half a minute)"
  rustup component add llvm-tools >/dev/null 2>&1 || fail "coverage needs rustup's component llvm-tools"
}
# For scripts/reproduce.sh, which calls this itself: nobody else needs it.
fake_time() {
  [ -n "$(first_command faketime)" ] || { say "installing faketime from Debian (half a minute)"; debian faketime; }
}
# For the step `deny` and scripts/advisories.sh, which call this themselves: nobody else needs it.
deny() {
  tool cargo-deny cargo-deny "$CARGO_DENY_VERSION" "three minutes on two cores" --locked
}

parts=${*:-wasm bindgen npm browser}
needs
for part in $parts; do
  case $part in
    wasm | bindgen | wasm_pack | trunk | browser | fuzz | counts | hosts | fleet | rehearsal | platforms | site | house | machete | deny | mutants | stryker | semver | public_api | llvm_cov | fake_time) $part ;;
    npm) npm_packages ;;
    *) fail "unknown part '$part': see the top of this file" ;;
  esac
done
