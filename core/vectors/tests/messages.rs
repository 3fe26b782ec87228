//! `messages.json`: every message in every language. A change of wording is a change here, for all to read.

use crate::cases;
use halfopen::Code;
use halfopen::message::{About, Audience, Circumstance, user_message};
use halfopen::time::Millis;
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    locale: String,
    code: Code,
    provider: Option<String>,
    model: Option<String>,
    tool: Option<String>,
    retry_after_ms: Option<u64>,
    circumstance: Option<u8>,
    audience: Option<String>,
    message: String,
}

#[test]
fn every_message_reads_as_written() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/messages.json"));
    for case in cases {
        let about = About {
            provider: case.provider.as_deref(),
            model: case.model.as_deref(),
            tool: case.tool.as_deref(),
            retry_after: case.retry_after_ms.map(Millis),
            circumstance: case.circumstance.map_or(Circumstance::None, Circumstance::from_index),
            audience: match case.audience.as_deref() {
                Some("visitor") => Audience::Visitor,
                _ => Audience::Owner,
            },
        };
        assert_eq!(
            user_message(case.code, &about, &case.locale),
            case.message,
            "{} {:?}",
            case.locale,
            case.code
        );
    }
}
