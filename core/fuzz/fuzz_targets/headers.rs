//! Any lines `name: value` as headers.
#![no_main]

use halfopen::classify::parse_retry_after;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let json =
        serde_json::Value::Object(pairs.map(|(name, value)| (name.to_owned(), value.into())).collect())
            .to_string();
    for now in [None, Some(0), Some(1_795_305_600_000), Some(u64::MAX)] {
        let hint = parse_retry_after(&json, now);
        assert!(hint.is_none_or(|hint| hint.0 <= 366 * 86_400_000), "{hint:?}");
    }
});
