//! Any text as a message, under a status that makes the wording count.
#![no_main]

use halfopen::classify::{Context, Thrown, classify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Rust's own escapes are not JSON's: a text with an apostrophe would end there.
    let quoted = serde_json::Value::from(text);
    for status in [0, 200, 400, 404, 429, 503] {
        let json = format!(r#"{{"status":{status},"message":{quoted}}}"#);
        let found = classify(&Thrown::from_json(&json), &Context::default());
        assert!(found.hint.is_none_or(|hint| hint.0 <= 366 * 86_400_000));
    }
    let _ = classify(&Thrown::from_json(text), &Context::default());
});
