#!/usr/bin/env bash
# The crate's public API as a list, core/api.txt, so that a change of it is seen in review; fails where the list is another.
#   scripts/rust-api.sh            compares, and shows what has changed
#   UPDATE=1 scripts/rust-api.sh   writes the list
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
scripts/setup.sh public_api
# In a folder of its own, because `cargo rustdoc` removes the pages that `cargo doc` has written of the crate. The site copies those.
folder=${CARGO_TARGET_DIR:-target}/api
# rustdoc's JSON is not stable yet; the list of cargo-public-api fits the format of this compiler.
RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --locked -p halfopen --lib --target-dir "$folder" -- -Z unstable-options --output-format json
list() { cargo public-api --rustdoc-json "$folder/doc/halfopen.json" -sss --color never; }
if [ -n "${UPDATE:-}" ]; then
  list >core/api.txt
elif ! list | diff -U 0 core/api.txt - ; then
  echo 'rust-api: the public API is not that of core/api.txt: see above. If it is meant, UPDATE=1 scripts/rust-api.sh' >&2
  exit 1
fi
echo "rust-api: $(wc -l <core/api.txt) public items"
