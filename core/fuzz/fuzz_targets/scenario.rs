//! Any text as a scenario of the lab: it is one, or the reason why not names a place in it.
#![no_main]

use halfopen_lab::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(misfit) = Scenario::from_json(text) {
        assert!(!misfit.to_string().is_empty() && misfit.to_string().len() <= 1000);
    }
});
