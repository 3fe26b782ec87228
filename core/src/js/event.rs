//! Records for JavaScript: drained as numbers, told as text only where somebody reads it.

use super::policy::{number, span, world};
use crate::event::Fact;
use crate::policy::Reason;
use crate::time::{Millis, Timestamp};
use wasm_bindgen::prelude::*;

/// How many numbers stand for one record.
const STRIDE: usize = 20;

/// All records since the last drain, 20 numbers each, oldest first; NaN stands for none.
///
/// 0 kind · 1 policy · 2 call · 3 at · then, by kind:
/// 0 call.started
/// 1 call.queued: by, position, dueAt
/// 2 call.dequeued
/// 3 attempt.started: attempt, probe, generation
/// 4 attempt.succeeded: attempt, durationMs
/// 5 attempt.failed: attempt, durationMs, code, counted, retryAfterMs
/// 6 retry.scheduled: attempt, delayMs, dueAt, minMs, maxMs, source, budgetLeft
/// 7 call.succeeded: attempts, durationMs
/// 8 call.failed: attempts, durationMs, code, why
/// 9 call.rejected: by, retryAfterMs, attempts
/// 10 breaker.changed: breaker, from, to, reason, a, b, generation, retryAt, total, failures, slow, then the number of
///    the last results and twice sixteen of them, two bits each, the newest lowest, the newer half first
///    (0 ok, 1 failed, 2 slow, 3 both)
/// 11 events.dropped: count
#[wasm_bindgen(js_name = drainEvents)]
pub fn drain_events() -> Vec<f64> {
    world(|world| {
        let dropped = world.events.take_dropped();
        let mut numbers = Vec::with_capacity((world.events.len() + usize::from(dropped > 0)) * STRIDE);
        let mut row = |head: [f64; 4], rest: &[f64]| {
            numbers.extend(head);
            numbers.extend(rest);
            numbers.resize(numbers.len().next_multiple_of(STRIDE), f64::NAN);
        };
        if dropped > 0 {
            row([11.0, 0.0, 0.0, f64::NAN], &[number(dropped)]);
        }
        while let Some(record) = world.events.pop() {
            let at = record.at.map_or(f64::NAN, Timestamp::as_f64);
            let head = |kind: u8| [f64::from(kind), f64::from(record.policy), number(record.call), at];
            match record.fact {
                Fact::CallStarted => row(head(0), &[]),
                Fact::CallQueued { by, position, due } => {
                    let due = due.map_or(f64::NAN, Timestamp::as_f64);
                    row(head(1), &[f64::from(by as u8), f64::from(position), due]);
                }
                Fact::CallDequeued => row(head(2), &[]),
                Fact::AttemptStarted { attempt, probe, generation } => {
                    row(head(3), &[f64::from(attempt), f64::from(u8::from(probe)), number(generation)]);
                }
                Fact::AttemptSucceeded { attempt, duration } => {
                    row(head(4), &[f64::from(attempt), span(duration)])
                }
                Fact::AttemptFailed { attempt, duration, code, counted, hint } => {
                    let (code, counted) = (f64::from(code.index()), f64::from(u8::from(counted)));
                    row(head(5), &[f64::from(attempt), span(duration), code, counted, span(hint)]);
                }
                Fact::RetryScheduled { attempt, delay, due, min, max, source, budget_left } => row(
                    head(6),
                    &[
                        f64::from(attempt),
                        delay.as_f64(),
                        due.as_f64(),
                        min.as_f64(),
                        max.as_f64(),
                        f64::from(source as u8),
                        budget_left.map_or(f64::NAN, number),
                    ],
                ),
                Fact::CallSucceeded { attempts, duration } => {
                    row(head(7), &[f64::from(attempts), span(duration)])
                }
                Fact::CallFailed { attempts, duration, code, why } => row(
                    head(8),
                    &[f64::from(attempts), span(duration), f64::from(code.index()), f64::from(why as u8)],
                ),
                Fact::CallRejected { by, retry_after, attempts } => {
                    row(head(9), &[f64::from(by as u8), span(retry_after), f64::from(attempts)]);
                }
                Fact::BreakerChanged { breaker, change } => {
                    let (reason, a, b) = change.reason.numbers();
                    let (bits, len) = change.recent.packed();
                    row(
                        head(10),
                        &[
                            f64::from(breaker),
                            f64::from(change.from as u8),
                            f64::from(change.to as u8),
                            f64::from(reason),
                            number(a),
                            number(b),
                            number(change.generation),
                            change.retry_at.map_or(f64::NAN, Timestamp::as_f64),
                            f64::from(change.window.total),
                            f64::from(change.window.failures),
                            f64::from(change.window.slow),
                            f64::from(len),
                            number(bits & 0xFFFF_FFFF),
                            number(bits >> 32),
                        ],
                    );
                }
            }
        }
        numbers
    })
}

/// Whether there are records to drain.
#[wasm_bindgen(js_name = hasEvents)]
pub fn has_events() -> bool {
    world(|world| !world.events.is_empty())
}

/// The sentence for a reason's numbers in a `breaker.changed` record.
#[wasm_bindgen(js_name = reasonText)]
pub fn reason_text(reason: u8, a: f64, b: f64) -> String {
    Reason::describe(reason, Millis::from_f64(a).0, Millis::from_f64(b).0)
}
