//! Any JSON as a response, whole and as the chunks of a stream, in each format and in the one that is recognised.
#![no_main]

use halfopen::response::{Format, Reader};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let values: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let formats = Format::ALL.iter().copied().map(Some).chain([None]);
    for format in formats {
        let mut streamed = Reader::new(format);
        for value in &values {
            let before = streamed.text().len();
            let chunk = streamed.chunk(value);
            // A chunk that says nothing adds nothing.
            assert!(chunk.is_some() || streamed.text().len() == before);
            let mut whole = Reader::new(format);
            if whole.whole(value).is_ok() {
                assert!(
                    whole.final_response().is_err() || !whole.final_response().unwrap_or_default().is_empty()
                );
            }
        }
        assert!(
            streamed.final_response().is_err() || !streamed.final_response().unwrap_or_default().is_empty()
        );
    }
});
