//! Records for JavaScript: rows of numbers in the module's memory, told as text only where somebody reads it.

use super::numbers::millis;
use super::world::world;
use crate::policy::Reason;
use crate::time::Millis;
use wasm_bindgen::prelude::*;

/// Where the rows stand in the module's memory, in bytes. Ask once; the address does not move, the buffer may.
#[wasm_bindgen(js_name = rowsPointer)]
pub fn rows_pointer() -> u32 {
    world(|world| world.rows.numbers.as_ptr() as usize as u32)
}

/// Writes the records since the last drain as rows, oldest first, and returns how many numbers these are: read them
/// before the next input, and ask again while there are more (`hasEvents`).
///
/// A row is its kind, how many numbers follow, and these; NaN stands for none. By kind:
/// 0 call.started
/// 1 call.queued: by, position, dueAt
/// 2 call.dequeued
/// 3 attempt.started: attempt, probe, generation
/// 4 attempt.succeeded: attempt, durationMs
/// 5 attempt.failed: attempt, durationMs, code, counted, retryAfterMs
/// 6 retry.scheduled: attempt, delayMs, dueAt, minMs, maxMs, source, budgetLeft
/// 7 call.succeeded: attempts, durationMs, closedEarly
/// 8 call.failed: attempts, durationMs, code, why
/// 9 call.rejected: by, retryAfterMs, attempts
/// 10 breaker.changed: breaker, from, to, reason, a, b, generation, retryAt, total, failures, slow, then the number of
///    the last results and twice sixteen of them, two bits each, the newest lowest, the newer half first
///    (0 ok, 1 failed, 2 slow, 3 both), then the hint that it opened with
/// 11 events.dropped: count
#[wasm_bindgen(js_name = drainEvents)]
pub fn drain_events() -> u32 {
    world(|world| world.rows.fill(&mut world.events) as u32)
}

/// Whether there are records to drain.
#[wasm_bindgen(js_name = hasEvents)]
pub fn has_events() -> bool {
    world(|world| !world.events.is_empty())
}

/// The sentence for a reason's numbers in a `breaker.changed` record; `hint_ms` is NaN for none.
#[wasm_bindgen(js_name = reasonText)]
pub fn reason_text(reason: u8, a: f64, b: f64, hint_ms: f64) -> String {
    Reason::describe(reason, Millis::from_f64(a).0, Millis::from_f64(b).0, millis(hint_ms))
}
