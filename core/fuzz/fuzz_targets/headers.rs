//! Any lines `name: value` as headers.
#![no_main]

use halfopen::classify::parse_retry_after;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let pairs: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| format!("{name:?}:{value:?}"))
        .collect();
    for now in [None, Some(0), Some(1_795_305_600_000), Some(u64::MAX)] {
        let hint = parse_retry_after(&format!("{{{}}}", pairs.join(",")), now);
        assert!(hint.is_none_or(|hint| hint.0 <= 366 * 86_400_000), "{hint:?}");
    }
});
