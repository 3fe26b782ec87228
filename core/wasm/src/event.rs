//! Records for JavaScript: rows of numbers in the module's memory, which become text only where somebody reads them.

use super::numbers::millis;
use super::world::world;
use halfopen::policy::Reason;
use halfopen::time::Millis;
use wasm_bindgen::prelude::*;

/// Returns the address of the rows in the module's memory, in bytes. Read it once: the address does not move, but the
/// buffer may.
#[wasm_bindgen(js_name = rowsPointer)]
pub fn rows_pointer() -> u32 {
    world(|world| world.rows.numbers.as_ptr() as usize as u32)
}

/// Writes the records since the last drain as rows, oldest first, and returns how many numbers these are: read them
/// before the next input, and ask again while there are more (`hasEvents`).
///
/// A row is its kind, how many numbers follow, and these: `wire::record` has the kinds and their numbers.
#[wasm_bindgen(js_name = drainEvents)]
pub fn drain_events() -> u32 {
    world(|world| world.rows.fill(&mut world.events) as u32)
}

/// Returns `true` if there are records to drain.
#[wasm_bindgen(js_name = hasEvents)]
pub fn has_events() -> bool {
    world(|world| !world.events.is_empty())
}

/// The sentence for a reason's numbers in a `breaker.changed` record; `hint_ms` is NaN for none.
#[wasm_bindgen(js_name = reasonText)]
pub fn reason_text(reason: u8, a: f64, b: f64, hint_ms: f64) -> String {
    Reason::describe(reason, Millis::from_f64(a).0, Millis::from_f64(b).0, millis(hint_ms))
}
