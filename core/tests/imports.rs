//! The imports of the core's crates: no circles between the files of one, and no folder imports one above it. Cargo
//! checks the dependencies between crates.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod imports_of;

const CORE: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    layers: &[
        &["invariant"],
        &["calendar", "number", "numbered", "rng", "slab", "text", "time", "unescape"],
        &["code", "limit"],
        &["message"],
        &["classify", "policy"],
        &["once", "response", "recovery", "run"],
    ],
    to_go: &[],
};

const FLEET: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/fleet/src"),
    layers: &[&["bytes"], &["breaker", "limit"], &["delta", "living"], &["state"], &["view"]],
    to_go: &[],
};

const LAB: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/lab/src"),
    layers: &[
        &["histogram", "misfit", "news", "pool", "random"],
        &["draw", "scenario"],
        &["estimate", "result", "timeline"],
        &["event", "fleet", "measure", "provider", "read", "replay", "written"],
        &["run"],
    ],
    to_go: &[],
};

const WASM: imports_of::Rules = imports_of::Rules {
    src: concat!(env!("CARGO_MANIFEST_DIR"), "/wasm/src"),
    layers: &[
        &["numbers", "object", "value", "wire"],
        &["options", "rows", "run_numbers"],
        &["world"],
        &[
            "breaker", "budget", "classify", "event", "fleet", "lab", "message", "policy", "recovery",
            "replay", "response", "run", "shared",
        ],
    ],
    to_go: &[],
};

const ALL: [imports_of::Rules; 4] = [CORE, FLEET, LAB, WASM];

#[test]
fn no_file_imports_upward() {
    assert_eq!(ALL.map(|rules| rules.upward()), [[""; 0]; 4], "imports that lead upward or sideways");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(ALL.map(|rules| rules.circles()), [[""; 0]; 4], "imports that lie on a circle");
}

#[test]
fn every_exception_is_still_needed() {
    assert_eq!(ALL.each_ref().map(imports_of::Rules::unneeded), [[]; 4], "these are no imports any more");
}

#[test]
fn every_file_belongs_to_a_layer() {
    assert_eq!(ALL.map(|rules| rules.unknown()), [[""; 0]; 4], "files of no layer");
}
