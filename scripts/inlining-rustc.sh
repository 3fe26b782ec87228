#!/usr/bin/env bash
# The compiler of our own crates for the package's modules (RUSTC_WORKSPACE_WRAPPER): each function may be compiled where it is
# called, in another crate too. Otherwise a module takes up to 7 % more than the same sources do as one crate. The switch is not
# stable yet, and changes nothing but that.
RUSTC_BOOTSTRAP=1 exec "$@" -Zcross-crate-inline-threshold=always
