# The versions of the tools that are not in Cargo.lock or package-lock.json. Sourced by the other scripts.
WASM_BINDGEN_VERSION=0.2.130   # must equal the `wasm-bindgen` of Cargo.toml
WASM_PACK_VERSION=0.15.1
TRUNK_VERSION=0.21.14          # 0.22 wants rustc 1.96.1
CARGO_FUZZ_VERSION=0.13.1
CARGO_MACHETE_VERSION=0.9.2
CARGO_DENY_VERSION=0.20.2
CARGO_MUTANTS_VERSION=27.1.0
CARGO_SEMVER_CHECKS_VERSION=0.51.0
CARGO_PUBLIC_API_VERSION=0.52.0
CARGO_LLVM_COV_VERSION=0.9.1
