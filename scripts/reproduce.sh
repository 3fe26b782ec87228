#!/usr/bin/env bash
# Builds the package from two clones, one after the other, and compares the two tarballs byte by byte. Their folders have names of
# other lengths, and to the second build it is 400 days later, in another time zone. Says which files differ, and fails, if any does.
#   scripts/reproduce.sh           all of it (half an hour on two processors)
#   scripts/reproduce.sh package   only the JavaScript, the types and the lists, with the WebAssembly that is built here (two minutes)
# It builds what is committed, with the changes in files that Git knows.
set -euo pipefail
. "$(dirname "$0")/env.sh"
root=$HALFOPEN_ROOT
what=${1:-all}
case $what in
  all | package) ;;
  *) echo "reproduce: unknown part '$what': package, or nothing for all" >&2; exit 2 ;;
esac
git -C "$root" update-index -q --refresh || true # without it `stash create` fails over a file whose time alone is another
commit=$(git -C "$root" stash create) # of both, whatever is changed meanwhile
commit=${commit:-$(git -C "$root" rev-parse HEAD)}
"$root/scripts/setup.sh" fake_time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rustc waits for ever under libfaketime (its allocator is jemalloc), and needs no date: cargo and wasm.sh get one without it.
printf '#!/bin/sh\nexec env -u LD_PRELOAD "$@"\n' >"$work/today"
printf '#!/bin/sh\nexec env -u LD_PRELOAD %s "$@"\n' "$(command -v rustc)" >"$work/rustc"
chmod +x "$work/today" "$work/rustc"

# The day of a command: `today`, or `later`. Certificates have expired by then, so what `later` runs may fetch nothing.
today() { "$@"; }
later() {
  ln -sf "$work/rustc" node_modules/.bin/rustc # first in the PATH of scripts/env.sh
  RUSTC_WRAPPER=$work/today TZ=XXX-14 faketime -f +400d "$@"
}

build() {
  local folder=$1 day=$2
  echo "reproduce: building in $folder, as if $day"
  git clone --quiet --no-checkout --shared "$root" "$folder"
  git -C "$folder" checkout --quiet --detach "$commit"
  (
    cd "$folder"
    scripts/setup.sh
    . scripts/env.sh
    if [ "$what" = package ]; then
      mkdir pkg/dist
      cp -a "$root/pkg/wasm" pkg/wasm
      cp -a "$root/pkg/dist/dashboard" "$root/pkg/dist/embedded" pkg/dist
      $day node scripts/build-package.mjs
    else
      scripts/wasm.sh cargo fetch --quiet --locked
      $day npm run --silent build
      $day node scripts/build-dashboard.mjs
    fi
    $day npm pack --silent --pack-destination "$folder" ./pkg
  ) >"$folder.log" 2>&1 || { tail -40 "$folder.log" >&2; exit 1; }
  mv "$folder"/halfopen-*.tgz "$folder.tgz"
  mkdir "$folder.files" && tar -xzf "$folder.tgz" -C "$folder.files"
  rm -rf "$folder"
}

build "$work/a" today
build "$work/another-folder-with-a-longer-name" later
sha256sum "$work"/*.tgz | sed "s|$work/||"
if ! cmp --silent "$work"/*.tgz; then
  diff -rq "$work/a.files" "$work/another-folder-with-a-longer-name.files" | sed "s|$work/||g" >&2 || true
  echo 'reproduce: the two tarballs differ' >&2
  exit 1
fi
echo 'reproduce: the two tarballs are the same, byte by byte'
