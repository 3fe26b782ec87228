//! Any bytes where JavaScript writes its copy of a thrown value.
#![no_main]

use halfopen::classify::{Context, Thrown, classify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let found =
        classify(&Thrown::from_bytes(bytes), &Context { now: Some(1_795_305_600_000), ..Context::default() });
    assert!(found.hint.is_none_or(|hint| hint.0 <= 366 * 86_400_000));
});
