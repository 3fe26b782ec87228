#!/usr/bin/env bash
# Fuzzes what the core reads from outside, from core/fuzz/seeds, the shared vectors and what earlier runs have found:
# scripts/fuzz.sh [target…]
#   FUZZ_SECONDS=600 scripts/fuzz.sh json   longer than 60 seconds, only this target
#   KEEP=1 scripts/fuzz.sh                  then writes to core/fuzz/seeds the fewest inputs that reach as much
# Two targets run at a time. A panic, 5 seconds over one input or 512 MiB fail it, and it says how to see that again.
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT/core"
export FUZZ_SECONDS=${FUZZ_SECONDS:-60}
# The longest input, in bytes.
export FUZZ_LENGTH=${FUZZ_LENGTH:-16384}
# To libFuzzer 0 means for ever.
[[ $FUZZ_SECONDS =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: FUZZ_SECONDS is a whole number of seconds from 1, not '$FUZZ_SECONDS'" >&2; exit 2; }
known='json thrown text headers line response scenario fleet snapshot filter address'
for target in "$@"; do
  [[ " $known " == *" $target "* ]] || { echo "fuzz: unknown target '$target'; there are: $known" >&2; exit 2; }
done
../scripts/setup.sh fuzz

# Coverage guides libFuzzer under the stable compiler too; only sanitizers want a nightly one. Without them the build is
# quicker and so is every input, and they would look for what cannot be there: without the feature `js` the core forbids
# unsafe code. Panics (with overflow checks and debug assertions), hangs and memory are what is looked for.
export FUZZ_BUILD='--sanitizer none --codegen-units 16'

fuzz_target() {
  local target=$1 report count slowest memory
  # Inputs that failed once come first, until they are mended and after.
  mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target" "fuzz/artifacts/$target"
  # What is new is written to the first folder.
  local folders=("fuzz/corpus/$target" "fuzz/seeds/$target" "fuzz/artifacts/$target")
  if report=$(cargo fuzz run $FUZZ_BUILD "$target" "${folders[@]}" -- -max_total_time="$FUZZ_SECONDS" \
    -timeout=5 -rss_limit_mb=512 -max_len="$FUZZ_LENGTH" -print_final_stats=1 -verbosity=0 2>&1); then
    count=$(awk '/^stat::number_of_executed_units/ {print $2}' <<<"$report")
    slowest=$(awk '/^stat::slowest_unit_time_sec/ {print $2}' <<<"$report")
    memory=$(awk '/^stat::peak_rss_mb/ {print $2}' <<<"$report")
    # Guard against a run that did nothing and yet went well.
    [ "${count:-0}" -gt 0 ] || { printf '%s\nfuzz: %s ran no input\n' "$report" "$target"; return 1; }
    printf '%-8s %9d inputs in %d s, slowest below %d s, %d MiB at most\n' "$target" "$count" "$FUZZ_SECONDS" $((slowest + 1)) "$memory"
    [ -z "${KEEP:-}" ] || keep "$target"
  else
    printf '\n%s\n\nfuzz: %s FAILED. The commands above are run in %s.\n' "$report" "$target" "$PWD"
    return 1
  fi
}
# Replaces the seeds of a target by the fewest inputs that cover what all of them cover.
keep() {
  local target=$1 kept
  kept=$(mktemp -d)
  if ! cargo fuzz run $FUZZ_BUILD "$target" "$kept" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -set_cover_merge=1 -use_counters=0 -max_len="$FUZZ_LENGTH" >"$kept.log" 2>&1; then
    cat "$kept.log"
    return 1
  fi
  rm -rf "fuzz/seeds/$target" "$kept.log"
  mv "$kept" "fuzz/seeds/$target"
  chmod 755 "fuzz/seeds/$target"
  printf '%-8s %9d seeds kept\n' "$target" "$(ls "fuzz/seeds/$target" | wc -l)"
}
export -f fuzz_target keep

# The shared vectors are seeds too, so that every new case is one.
node ../scripts/fuzz-seeds.mjs
[ -d fuzz/target ] || echo "building the fuzz targets (one to two minutes)"
cargo fuzz build $FUZZ_BUILD 2> >(grep -Ev '^ +(Compiling|Finished|Downloaded|Downloading|Updating|Locking)' >&2)
printf '%s\n' ${*:-$known} | xargs -P 2 -I {} bash -c 'fuzz_target "$1"' fuzz {} || exit 1
