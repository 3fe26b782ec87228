//! Any text as a line of the event log: what is read of it is written as a line that reads the same.
#![no_main]

use halfopen_log::Event;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    match Event::parse(line) {
        Ok(event) => {
            let written = event.to_line();
            assert_eq!(Event::parse(&written).map(|again| again.to_line()), Ok(written.clone()));
        }
        Err(rejected) => assert!(rejected.to_string().len() <= 400),
    }
});
