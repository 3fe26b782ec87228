#!/usr/bin/env bash
# Makes the pictures of README and docs anew: the end-to-end tests take them on every run, this runs these tests and keeps
# what they took in docs/images. Needs what `make build` makes.
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"

taken=$(mktemp -d)
trap 'rm -rf "$taken"' EXIT
HALFOPEN_PICTURES=$taken node --import tsx --test tests/e2e/{dashboard,why,embed,walkthrough,lab}.test.ts

while read -r name from; do
  cp "$taken/$from.png" "docs/images/$name.png"
done <<'PICTURES'
dashboard dashboard
details live-details
errors why-errors-1400-light
breakers why-breakers-1400-light
findings why-findings-1400-light
classify why-classify-1400-light
embedded embed-bottom-1200-light
lab lab-1400-light
PICTURES
cp "$taken"/walkthrough-*.png docs/images/
echo "pictures: in docs/images; look at them before they are committed"
