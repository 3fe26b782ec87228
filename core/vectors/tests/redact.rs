//! `redact.json`: what redaction takes out, and what it leaves.

use crate::cases;
use halfopen::message::redact;
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    name: String,
    text: Vec<String>,
    redacted: String,
}

#[test]
fn secrets_go_and_the_rest_stays() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/redact.json"));
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|Case { name, text, redacted }| {
            let once = redact(&text.concat());
            let right = once == *redacted && redact(&once) == once;
            (!right).then(|| format!("{name}:\n  expected {redacted}\n  got      {once}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
