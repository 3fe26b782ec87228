//! The imports of `web/src` and of the `src` of `web/model`, `web/store`, `web/log`, `web/answers` and `web/diagnose`: no circles between their files, and
//! no folder imports one above it. That nothing of `web/model` imports the page is for Cargo to see: they are two crates.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../../core/tests/imports_of/mod.rs"]
mod imports_of;

const MODEL: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    layers: &[
        &["format"],
        &["breaker_window", "check", "layout"],
        &["export", "session", "view"],
        &["address", "keys"],
    ],
    to_go: &[],
};

const PAGE: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/../src"),
    layers: &[&["answers"], &["ui"], &["source"], &["session"], &["address", "view"], &["keys"], &["app"]],
    to_go: &[],
};

const LOG: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/../log/src"),
    layers: &[
        &["key", "lines", "number", "rejected", "scan", "text", "values"],
        &["fields", "line", "shallow"],
        &["kind"],
        &["event"],
        &["read"],
    ],
    to_go: &[],
};

const STORE: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/../store/src"),
    layers: &[
        &["hash", "numbers", "order", "seen", "time"],
        &["effects", "fold", "ids", "lines", "names", "restart", "spans", "strip"],
        &["actions", "adaptive", "breaker", "run"],
        &["breakers", "policy"],
        &["group"],
        &["call", "durations", "fleet", "process", "provider"],
        &["calls", "summary"],
        &["store"],
        &["apply", "query", "silence", "stage"],
        &["rows", "scope", "tests"],
    ],
    to_go: &[],
};

const ANSWERS: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/../answers/src"),
    layers: &[
        &["plain", "wire"],
        &["demo", "export", "messages", "pasted", "recovery", "rule", "suggested"],
        &["explained", "signals"],
        &["module"],
    ],
    to_go: &[],
};

const DIAGNOSE: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/../diagnose/src"),
    layers: &[&["instant", "shown"], &["calls", "findings", "runs"], &["policies"], &["module"]],
    to_go: &[],
};

const ALL: [imports_of::Rules; 6] = [LOG, STORE, ANSWERS, MODEL, PAGE, DIAGNOSE];

#[test]
fn no_file_imports_upward() {
    assert_eq!(ALL.map(|rules| rules.upward()), [[""; 0]; 6], "imports that lead upward or sideways");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(ALL.map(|rules| rules.circles()), [[""; 0]; 6], "imports that lie on a circle");
}

#[test]
fn every_exception_is_still_needed() {
    assert_eq!(ALL.each_ref().map(imports_of::Rules::unneeded), [[]; 6], "these are no imports any more");
}

#[test]
fn every_file_belongs_to_a_layer() {
    assert_eq!(ALL.map(|rules| rules.unknown()), [[""; 0]; 6], "files of no layer");
}
