#!/usr/bin/env bash
# What is known against the crates and npm packages of this repository: RustSec's database, and the advisories of npm's registry
# for each lock file. Both need the network, and change without a commit: .github/workflows/advisories.yml runs it every
# day, `make test` never.
set -eu
. "$(dirname "$0")/env.sh"
cd "$HALFOPEN_ROOT"
scripts/setup.sh deny

failed=0
for lock in $(git ls-files '*Cargo.lock'); do
  echo "advisories: $lock"
  cargo deny --manifest-path "$(dirname "$lock")/Cargo.toml" --config deny.toml check advisories || failed=1
done
for lock in $(git ls-files '*package-lock.json'); do
  echo "advisories: $lock"
  (cd "$(dirname "$lock")" && npm audit --package-lock-only --audit-level=high) || failed=1
done
exit "$failed"
