//! The imports of `web/src`: no circles between its files, and no folder imports one above it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../core/tests/imports_of/mod.rs"]
mod imports_of;

const RULES: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    layers: &[
        &["answers"],
        &["ui"],
        &["layout", "lint", "source"],
        &["export", "session"],
        &["address", "view"],
        &["app"],
    ],
    to_go: &[
        ("app", "ui::keys"),
        ("export::report::calls", "export::report"),
        ("export::report::story", "export::report"),
        ("ui::canvas", "layout::axis"),
        ("ui::canvas", "layout::timeline"),
        ("ui::keys", "app"),
        ("ui::keys", "layout"),
        ("ui::keys", "session"),
        ("ui::keys", "session::view"),
        ("ui::keys", "source::embedded"),
        ("ui::keys", "view::export"),
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
