#!/usr/bin/env bash
# Builds the package from two clones of what is committed, in folders of other names and lengths, one after the other, and
# compares the two tarballs byte by byte. Says which files differ, and fails, when they do.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$root" rev-parse HEAD) # of both, whatever is committed meanwhile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
  local folder=$1
  echo "reproduce: building in $folder (some minutes)"
  git clone --quiet --no-checkout "$root" "$folder"
  git -C "$folder" checkout --quiet --detach "$commit"
  (
    cd "$folder"
    scripts/setup.sh
    . scripts/env.sh
    npm run --silent build
    node scripts/build-dashboard.mjs
    npm pack --silent --pack-destination "$folder" ./pkg
  ) >"$folder.log" 2>&1 || { tail -40 "$folder.log" >&2; exit 1; }
  mv "$folder"/halfopen-*.tgz "$folder.tgz"
  mkdir "$folder.files" && tar -xzf "$folder.tgz" -C "$folder.files"
  rm -rf "$folder"
}

build "$work/a"
build "$work/another-folder-with-a-longer-name"
sha256sum "$work"/*.tgz | sed "s|$work/||"
if ! cmp --silent "$work"/*.tgz; then
  diff -rq "$work/a.files" "$work/another-folder-with-a-longer-name.files" | sed "s|$work/||g" >&2 || true
  echo 'reproduce: the two tarballs differ' >&2
  exit 1
fi
echo 'reproduce: the two tarballs are the same, byte by byte'
