//! A store's merges, natively. `tests/agreement/fleet.test.ts` gives it the histories that a real Redis has seen, and
//! each state must be the same, byte by byte.
//!
//! A line of standard input is the history's name, the store's time and a delta in hexadecimal digits; a line of standard output
//! is the state after it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halfopen_fleet::merge;
use std::collections::HashMap;
use std::io::{BufRead, Write, stdin, stdout};

fn bytes_of(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).expect("two digits"))
        .collect()
}

fn main() {
    let mut states: HashMap<String, Vec<u8>> = HashMap::new();
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let line = line.expect("a line");
        let mut words = line.split(' ');
        let (Some(history), Some(now), Some(delta)) = (words.next(), words.next(), words.next()) else {
            panic!("not a history, a time and a delta: {line}")
        };
        let before = states.get(history).map(Vec::as_slice);
        let state = merge(before, &bytes_of(delta), now.parse().expect("a time")).expect("a delta");
        let hex: String = state.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(out, "{hex}").expect("a reader");
        states.insert(history.to_owned(), state);
    }
}
