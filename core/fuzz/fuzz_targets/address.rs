//! Any text as the query of the dashboard's address: its parsed state, written as an address, parses to the same state.
//! The same holds for a scenario of the Lab.
#![no_main]

use form_urlencoded::{Serializer, parse};
use halfopen_lab::Scenario;
use halfopen_model::address::Address;
use halfopen_model::view::lab::share;
use halfopen_store::query::Query;
use libfuzzer_sys::fuzz_target;

/// As `URLSearchParams` reads it.
fn read(search: &str) -> Address {
    Address::read(|wanted| {
        parse(search.as_bytes()).find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    })
}

fuzz_target!(|text: &str| {
    let (search, fragment) = text.split_at(text.find('#').unwrap_or(text.len()));
    let address = read(search.strip_prefix('?').unwrap_or(search));
    let mut written = Serializer::new(String::new());
    for (name, value) in address.clone().parameters() {
        written.extend_pairs(value.map(|value| (name, value)));
    }
    assert_eq!(read(&written.finish()), address);
    let _ = Query::parse(&address.query);
    if let Some(scenario) = share::scenario(fragment) {
        let _ = Scenario::from_json(&scenario.compact());
        if let Some(shared) = share::fragment(&scenario) {
            assert_eq!(share::scenario(&shared), Some(scenario));
        }
    }
});
