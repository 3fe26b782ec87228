//! Any text as a filter of the dashboard, as its address brings one: it is read, or the reason why not names a term.
#![no_main]

use halfopen_store::query::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let read = Query::parse(text);
    if let Err(misread) = &read {
        assert!(!misread.0.is_empty());
    }
    // Space between terms says nothing. Longer texts are cut.
    if text.len() < 1000 {
        assert_eq!(Query::parse(&format!(" \t{text}")), read);
    }
});
