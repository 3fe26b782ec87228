//! Records as rows of numbers in the module's memory: what JavaScript reads of them.

use super::numbers::{number, span};
use crate::wire::{RecordKind, record};
use halfopen::policy::{Fact, LimitChange, Record, Ring};
use halfopen::time::Timestamp;

/// How many numbers a drain can write.
const ROOM: usize = 256;
/// The longest row: kind and count, then what a change of a breaker has.
const LONGEST: usize = 2 + record::BREAKER_CHANGED.fields.len();

/// Where records are written for JavaScript to read.
pub(super) struct Rows {
    pub(super) numbers: [f64; ROOM],
    end: usize,
}

impl Rows {
    pub(super) const fn new() -> Self {
        Self { numbers: [0.0; ROOM], end: 0 }
    }

    /// Writes the records of the ring into the rows again, oldest first, as far as there is room. Returns how many
    /// numbers that took.
    pub(super) fn fill(&mut self, events: &mut Ring) -> usize {
        self.end = 0;
        let dropped = events.take_dropped();
        if dropped > 0 {
            self.row(&record::EVENTS_DROPPED, [number(dropped)]);
        }
        while self.end + LONGEST <= ROOM
            && let Some(record) = events.pop()
        {
            self.write(record);
        }
        self.end
    }

    #[inline]
    fn row<const FIELDS: usize>(&mut self, kind: &RecordKind<FIELDS>, numbers: [f64; FIELDS]) {
        self.write_row(kind.kind, &numbers);
    }

    fn write_row(&mut self, kind: u8, numbers: &[f64]) {
        if let Some([first, second, rest @ ..]) = self.numbers.get_mut(self.end..self.end + 2 + numbers.len())
        {
            *first = f64::from(kind);
            *second = numbers.len() as f64;
            rest.copy_from_slice(numbers);
            self.end += 2 + numbers.len();
        }
    }

    fn write(&mut self, record: Record) {
        match record.fact {
            Fact::CallStarted => self.row(&record::CALL_STARTED, []),
            Fact::CallQueued { by, position, due } => {
                let due = due.map_or(f64::NAN, Timestamp::as_f64);
                self.row(&record::CALL_QUEUED, [f64::from(by as u8), f64::from(position), due])
            }
            Fact::CallDequeued => self.row(&record::CALL_DEQUEUED, []),
            Fact::AttemptStarted { attempt, probe, generation } => self.row(
                &record::ATTEMPT_STARTED,
                [f64::from(attempt), f64::from(u8::from(probe)), number(generation)],
            ),
            Fact::AttemptSucceeded { attempt, duration } => {
                self.row(&record::ATTEMPT_SUCCEEDED, [f64::from(attempt), span(duration)])
            }
            Fact::AttemptFailed { attempt, duration, code, counted, hint } => {
                let (code, counted) = (f64::from(code.index()), f64::from(u8::from(counted)));
                self.row(
                    &record::ATTEMPT_FAILED,
                    [f64::from(attempt), span(duration), code, counted, span(hint)],
                )
            }
            Fact::RetryScheduled { attempt, delay, due, min, max, source, budget_left } => self.row(
                &record::RETRY_SCHEDULED,
                [
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
                self.row(&record::CALL_SUCCEEDED, [f64::from(attempts), span(duration), 0.0])
            }
            Fact::CallClosed { attempts, duration } => {
                self.row(&record::CALL_SUCCEEDED, [f64::from(attempts), span(duration), 1.0])
            }
            Fact::CallFailed { attempts, duration, code, why } => self.row(
                &record::CALL_FAILED,
                [f64::from(attempts), span(duration), f64::from(code.index()), f64::from(why as u8)],
            ),
            Fact::CallRejected { by, retry_after, attempts } => self
                .row(&record::CALL_REJECTED, [f64::from(by as u8), span(retry_after), f64::from(attempts)]),
            Fact::LimitChanged(LimitChange { limit, because, code }) => self.row(
                &record::LIMIT_CHANGED,
                [
                    f64::from(limit),
                    f64::from(because as u8),
                    code.map_or(f64::NAN, |code| f64::from(code.index())),
                ],
            ),
            Fact::BreakerThrottled { breaker, rate } => {
                self.row(&record::BREAKER_THROTTLED, [f64::from(breaker), rate.as_f64()])
            }
            Fact::BreakerChanged { breaker, change } => {
                let (reason, a, b) = change.reason.numbers();
                let (bits, len) = change.recent.packed();
                self.row(
                    &record::BREAKER_CHANGED,
                    [
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
                        span(change.hint),
                    ],
                )
            }
        }
    }
}
