//! An answer that has begun: a success, unless it breaks off.
//!
//! A response with headers shows that the dependency works. Its body may never be read to the end, and waiting for that
//! could keep a breaker half-open forever. So the response counts at once, and the count is reverted if the body breaks
//! off.

use super::{Breaker, Outcome, Permit, Phase};
use crate::time::{Millis, Timestamp};

/// The count of an answer, kept until its end is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    generation: u64,
    /// The breaker closed on it.
    closed: bool,
}

impl Answer {
    /// As one number, for callers across a boundary.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.generation << 1 | self.closed as u64
    }

    /// Back from [`Answer::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { generation: bits >> 1, closed: bits & 1 != 0 }
    }
}

impl Breaker {
    /// Records that an admitted call's answer has begun, like [`Breaker::settle`] with a success. Returns `None` for a
    /// permit that no longer counts, otherwise the argument of [`Breaker::completed`] or [`Breaker::broke_off`].
    ///
    /// ```
    /// use halfopen::policy::{Breaker, BreakerConfig, BreakerState, Trip};
    /// use halfopen::time::Timestamp;
    /// let mut breaker = Breaker::new(BreakerConfig { trip: Trip::Consecutive(2), ..BreakerConfig::default() });
    /// for _ in 0..2 {
    ///     let permit = breaker.admit(Timestamp(0)).unwrap();
    ///     let answer = breaker.answered(permit, None, Timestamp(0)).unwrap();
    ///     breaker.broke_off(answer, None, Timestamp(0));
    /// }
    /// assert_eq!(breaker.state(Timestamp(0)), BreakerState::Open);
    /// ```
    pub fn answered(&mut self, permit: Permit, duration: Option<Millis>, now: Timestamp) -> Option<Answer> {
        let (stale, generation) = (self.stale, self.generation);
        let before = match &self.phase {
            Phase::Closed(tracker) => tracker.consecutive.saturating_add(tracker.before_answers),
            _ => 0,
        };
        self.settle(permit, Outcome::Success, duration, now);
        if self.stale != stale {
            return None;
        }
        let same = self.generation == generation;
        let mut closed = false;
        if let Phase::Closed(tracker) = &mut self.phase {
            closed = !same;
            if same {
                tracker.before_answers = before;
            }
        }
        Some(Answer { generation: self.generation, closed })
    }

    /// Records that the answer is complete: failures before it are not in a row with later ones.
    pub fn completed(&mut self, answer: Answer) {
        if let Phase::Closed(tracker) = &mut self.phase
            && answer.generation == self.generation
        {
            tracker.before_answers = 0;
        }
    }

    /// Records that the answer broke off: its success becomes a failure, once. `age` is how long ago the answer began,
    /// for a time window.
    pub fn broke_off(&mut self, answer: Answer, age: Option<Millis>, now: Timestamp) {
        if answer.generation != self.generation {
            self.stale = self.stale.saturating_add(1);
            return;
        }
        match &mut self.phase {
            // The probe on which it closed has failed after all, and no other result supports the closing.
            Phase::Closed(tracker) if answer.closed && tracker.is_fresh() => {
                self.failed_probes = self.failed_before_closing;
                self.probe_broke_off(now);
            }
            Phase::Closed(tracker) => {
                self.counted.failed = self.counted.failed.wrapping_add(1);
                self.latest = self.latest.max(now);
                let now = self.latest;
                tracker.take_back(now, age.unwrap_or_default(), answer.closed);
                if let Some(reason) = tracker.verdict(now, &self.config.trip) {
                    self.open(reason, None, now);
                }
            }
            Phase::HalfOpen(_) => self.probe_broke_off(now),
            Phase::Open { .. } | Phase::Disabled => {}
        }
    }

    /// A probe that counted as a success has failed. Processes that share the breaker read the counts, so leaving the
    /// success in them would close it for all.
    fn probe_broke_off(&mut self, now: Timestamp) {
        self.counted.failed = self.counted.failed.wrapping_add(1);
        self.counted.probes_succeeded = self.counted.probes_succeeded.wrapping_sub(1);
        self.counted.probes_failed = self.counted.probes_failed.wrapping_add(1);
        self.probe_failed(None, now);
    }
}
