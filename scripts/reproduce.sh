#!/usr/bin/env bash
# Builds the package from two clones, one after the other, and compares the two tarballs byte by byte. The folders have names of
# different lengths. The second build sees a date 400 days later, and another time zone. If files differ, it lists them and fails.
#   scripts/reproduce.sh           the whole package (twenty minutes on two processors)
#   scripts/reproduce.sh package   only what build-package.mjs makes, with the WebAssembly and the dashboard of this folder (two minutes)
# It builds the last commit, together with what has changed since in files that Git tracks.
set -euo pipefail
. "$(dirname "$0")/env.sh"
root=$HALFOPEN_ROOT
what=${1:-all}
case $what in
  all | package) ;;
  *) echo "reproduce: unknown part '$what': package, or nothing for all" >&2; exit 2 ;;
esac
git -C "$root" update-index -q --refresh || true # `stash create` fails if a file was touched and not changed
commit=$(git -C "$root" stash create) # both clones have this one, even if files change meanwhile
commit=${commit:-$(git -C "$root" rev-parse HEAD)}
"$root/scripts/setup.sh" fake_time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rustc hangs under libfaketime (its allocator is jemalloc), so cargo and wasm.sh get a rustc that runs without it.
printf '#!/bin/sh\nexec env -u LD_PRELOAD "$@"\n' >"$work/today"
printf '#!/bin/sh\nexec env -u LD_PRELOAD %s "$@"\n' "$(command -v rustc)" >"$work/rustc"
chmod +x "$work/today" "$work/rustc"

# Each runs a command, on today's date or later. What runs later must download nothing: certificates have expired by then.
today() { "$@"; }
later() { RUSTC_WRAPPER=$work/today TZ=XXX-14 faketime -f +400d "$@"; }

build() {
  local folder=$1 day=$2
  echo "reproduce: building in $folder, dated $($day date '+%-d %B %Y')"
  # `--shared`, because no branch has a commit of `stash create`.
  git clone --quiet --no-checkout --shared "$root" "$folder"
  git -C "$folder" checkout --quiet --detach "$commit"
  (
    cd "$folder"
    scripts/setup.sh
    . scripts/env.sh
    [ "$day" = today ] || ln -s "$work/rustc" node_modules/.bin/rustc # the first folder of PATH
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
