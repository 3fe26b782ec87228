# Halfopen. Every target sets up what it needs by itself; run `make` to see them.

.DEFAULT_GOAL := help
.PHONY: help setup build demo docs test test-quick test-tools lint format bench counts fuzz soak planted rehearse nightly coverage mutants semver reproduce release-check

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Get the tools, packages and browser that this machine lacks (called by the others)
	@scripts/setup.sh

demo: ## Run an agent against a provider that misbehaves, and watch it; CHECK=1 verifies and exits
	@scripts/build.sh --dev $(if $(CHECK),browser)
	@scripts/demo.sh $(if $(CHECK),--check)

docs: setup build ## Build the documentation site into site/dist, with the reference of the package and the crate
	@scripts/setup.sh site
	@echo "docs: the crate's own documentation"
	@cargo doc --quiet --no-deps -p halfopen -p halfopen-fleet -p halfopen-lab -p halfopen-log -p halfopen-wasm --features halfopen-wasm/all
	@echo "docs: the site (a minute)"
	@node site/build.mjs

test: setup ## Run the tests: Rust, WebAssembly, Node, browsers, runtimes; STEPS="rust node" for some
	@scripts/test.sh $(STEPS)

test-quick: setup ## Run the steps for between two edits whose inputs have changed: no SDKs, runtimes, Firefox, little of Chromium
	@scripts/test.sh --quick

test-tools: setup build ## Run the errors of tools against the real clients and servers; LIBRARIES="pg redis" for some
	@npm ci --prefix tests/tool-errors --ignore-scripts && npm rebuild --prefix tests/tool-errors better-sqlite3 --ignore-scripts=false
	@node tests/tool-errors/live.mjs $(LIBRARIES)

lint: setup ## Check formatting, lints and types
	@scripts/test.sh format imports clippy clippy_wasm deps build types docs

format: setup ## Format everything
	@cargo fmt --all && npx biome check --write .

bench: setup build ## Measure what a guarded call costs, beside other libraries, and write docs/benchmarks.md
	@scripts/setup.sh counts fleet && scripts/bench.sh

counts: setup ## Count instructions and allocations of the engine; UPDATE=1 stores them
	@scripts/test.sh counts

fuzz: ## Fuzz what the core reads, FUZZ_SECONDS=60 for each target
	@scripts/fuzz.sh

soak: setup build ## Ten minutes of calls made by chance under faults; SOAK_SECONDS=60 for less, SOAK_SEED=7 for the same again
	@SOAK_SECONDS=$${SOAK_SECONDS:-600} SOAK_PROCESSES=$${SOAK_PROCESSES:-$$(nproc)} scripts/test.sh soak

planted: setup build ## Plant bugs in a copy of the project: each must make its test fail; PLANTED="a-bug another" for some
	@scripts/setup.sh fuzz counts house machete deny mutants fleet && bash -c '. scripts/env.sh && exec node scripts/planted.mjs $(PLANTED)'

rehearse: setup build ## Rehearse agents of many libraries, with and without Halfopen, and write docs/rehearsal.md; AGENTS="openai ai-6" for some
	@scripts/setup.sh rehearsal && node tests/rehearsal/run.mjs $(AGENTS)

nightly: setup build ## What takes hours: long tests at their full length, planted bugs, coverage, mutants; PARTS="planted" for some
	@scripts/nightly.sh $(PARTS)

coverage: setup build ## Print what share of the lines of the core and the package their tests run; fail below 95 %
	@scripts/coverage.sh

mutants: setup build ## Change the core and the package one place at a time, and see whether the tests notice (many hours)
	@scripts/mutants.sh

semver: ## Compare the crate's public API with that of the last tagged release; BASELINE=<commit> for another one
	@scripts/semver.sh

reproduce: ## Build the package twice, in other folders and 400 days apart, and compare the tarballs byte by byte
	@scripts/reproduce.sh

release-check: setup build ## Make the tarballs, try them beside hosts old and new, and list what a release still lacks; publishes nothing
	@bash -c '. scripts/env.sh && exec node scripts/release.mjs --check'

build: setup ## Build the npm package and the dashboard into pkg/dist
	@scripts/build.sh
