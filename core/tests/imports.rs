//! The imports of `core/src`: no circles between its files, and no folder imports one above it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod imports_of;

const RULES: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    layers: &[
        &["invariant"],
        &["calendar", "number", "rng", "slab", "text", "time", "unescape"],
        &["code"],
        &["message"],
        &["classify"],
        &["policy", "response", "recovery", "run"],
        &["fleet"],
        &["log", "wire"],
        &["lab"],
        &["js"],
    ],
    to_go: &[
        ("classify::details", "classify"),
        ("classify::explain", "classify"),
        ("classify::limits", "classify::hint"),
    ],
};

#[test]
fn no_file_imports_upward() {
    assert_eq!(RULES.upward(), [""; 0], "imports that lead upward or sideways");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(RULES.circles(), [""; 0], "imports that lie on a circle");
}

#[test]
fn every_exception_is_still_needed() {
    assert_eq!(RULES.unneeded(), [], "these are no imports any more");
}

#[test]
fn every_file_belongs_to_a_layer() {
    assert_eq!(RULES.unknown(), [""; 0], "files of no layer");
}
