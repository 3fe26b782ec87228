//! Any text as pasted JSON: a thrown value, whole or cut.
#![no_main]

use halfopen::classify::{Context, Thrown, classify_with_signals};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (found, signals) = classify_with_signals(&Thrown::from_json(text), &Context::default());
    assert_eq!(found.retryable, found.severity == halfopen::Severity::Retriable);
    assert!(found.hint.is_none_or(|hint| hint.0 <= 366 * 86_400_000));
    assert!(found.technical_details.len() <= 1200 && signals.to_string().len() <= 600);
});
