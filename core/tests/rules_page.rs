//! `docs/rules.md` is generated from the table of rules. This test fails when it is stale; `UPDATE_DOCS=1` rewrites it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use halfopen::classify::{rule_ids, rules_page};

#[test]
fn the_page_is_what_the_table_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    let page = rules_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).expect("docs/rules.md can be written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page,
        "docs/rules.md is stale: UPDATE_DOCS=1 cargo test -p halfopen --test rules_page"
    );
    assert!(rule_ids().iter().all(|id| written.contains(&format!("`{id}`"))));
}
