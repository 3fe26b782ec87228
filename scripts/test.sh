#!/usr/bin/env bash
# Everything that must hold, fast things first; what the runners print is shown as it is.
#   scripts/test.sh              all steps, a summary at the end; exit code 0 only if every step passed
#   scripts/test.sh rust node    only these steps
#   scripts/test.sh --list       their names
set -u
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
export CHROMIUM="$HALFOPEN_CHROMIUM" # for tests that start a browser
wasm=scripts/wasm.sh

# Steps: name, what it is. Each is the function step_<name>.
STEPS='format     rustfmt and biome
clippy     clippy over the workspace, with and without the JavaScript surface, and over the benches
deps       no async runtime in the core, licences and sources of what it stands on
rust       unit, property and vector tests of the Rust crates
build      the npm package: WebAssembly, bundles, types
types      tsc over sources and tests; the contract, also with TypeScript 5.4
node       the built package in Node, and under the fake timers of Vitest
wasm_node  the vectors and the JavaScript surface as wasm, in Node
wasm_web   the same in Chromium
docs       rustdoc without warnings
dashboard  the dashboard, built by trunk
examples   the examples
demo       the demo, its log and its dashboard checked
packaging  the packed package in real runtimes and bundlers
e2e        the whole in Chromium
fuzz       the core on what nobody thought of: four targets, FUZZ_SECONDS (60) each'

step_format() { cargo fmt --all --check && npx biome check .; }
step_clippy() {
  cargo clippy --quiet --workspace --all-targets -- -D warnings &&
    cargo clippy --quiet -p halfopen --features js --all-targets -- -D warnings &&
    cargo clippy --quiet --manifest-path core/benches/Cargo.toml --target-dir target --all-targets -- -D warnings
}
step_deps() { scripts/check-deps.sh; }
step_rust() { cargo test --workspace; }
step_build() { npm run --silent build; }
step_types() { npx tsc -p tsconfig.json && node pkg/test/contract/check.mjs; }
step_node() {
  node scripts/node-test.mjs pkg/test && node_tests_of tests --except tests/e2e &&
    npx vitest run --config tests/vitest/vitest.config.ts
}
step_wasm_node() { wasm_tests --node; }
step_wasm_web() {
  # wasm-bindgen's runner reads webdriver.json beside the crate's manifest.
  node scripts/webdriver.mjs "$HALFOPEN_CHROMIUM" >core/webdriver.json
  WASM_BINDGEN_USE_BROWSER=1 wasm_tests --headless --chrome --chromedriver "$HALFOPEN_CHROMEDRIVER"
}
step_docs() { RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps -p halfopen --features js; }
step_dashboard() { node scripts/build-dashboard.mjs; }
step_examples() { node_tests_of examples; }
step_demo() { scripts/demo.sh --check; }
step_packaging() { node pkg/packaging/run.mjs; }
step_e2e() { node_tests_of tests/e2e; }
step_fuzz() { scripts/fuzz.sh; }

wasm_tests() {
  local targets=(--test vectors)
  compgen -G 'core/tests/wasm_*' >/dev/null && targets+=(--test 'wasm_*')
  $wasm wasm-pack test "$@" --mode no-install core --features js "${targets[@]}"
}

# The *.test.ts files below a folder, if there are any.
node_tests_of() {
  local folder=$1 except=${3:-none}
  local files
  mapfile -t files < <(find "$folder" -name '*.test.ts' -not -path '*/node_modules/*' -not -path "$except/*" | sort)
  if [ ${#files[@]} = 0 ]; then echo "no tests below $folder"; return 0; fi
  node scripts/node-test.mjs "${files[@]}"
}

names=$(awk '{print $1}' <<<"$STEPS")
[ "${1:-}" = --list ] && { echo "$STEPS"; exit 0; }
failed=() summary=()
for name in ${*:-$names}; do
  grep -qx "$name" <<<"$names" || { echo "unknown step '$name'; there are: $(tr '\n' ' ' <<<"$names")" >&2; exit 2; }
  printf '\n━━ %s\n' "$(grep "^$name " <<<"$STEPS")"
  began=$SECONDS
  if "step_$name"; then result=ok; else result=FAILED; failed+=("$name"); fi
  summary+=("$(printf '%-10s %-7s %4d s' "$name" "$result" $((SECONDS - began)))")
  if [ "$name" = build ] && [ "$result" = FAILED ]; then echo "nothing below can run without the build"; break; fi
done
printf '\n━━ summary\n'
printf '%s\n' "${summary[@]}" "$(printf 'total %19d s' "$SECONDS")"
[ ${#failed[@]} = 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
