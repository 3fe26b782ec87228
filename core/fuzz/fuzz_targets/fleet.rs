//! Any bytes as a delta, and as the state, of what processes share: they are refused, or read as they are written.
#![no_main]

use halfopen_fleet::{Delta, State, merge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (now, rest) = bytes
        .split_first_chunk::<4>()
        .map_or((0, bytes), |(now, rest)| (u64::from(u32::from_le_bytes(*now)), rest));
    if let Ok(delta) = Delta::from_bytes(rest) {
        assert_eq!(Delta::from_bytes(&delta.to_bytes()).as_ref(), Ok(&delta));
        let once = merge(None, rest, now).expect("a delta that reads is merged");
        // The same delta again, and an empty one, change nothing that was reported.
        let twice = merge(Some(&once), rest, now).expect("a state that was written is read");
        assert_eq!(once, twice);
    }
    if let Ok(state) = State::from_bytes(rest) {
        let written = state.to_bytes();
        assert_eq!(State::from_bytes(&written).map(|again| again.to_bytes()), Ok(written));
        let _ = merge(Some(rest), &[], now);
    }
});
