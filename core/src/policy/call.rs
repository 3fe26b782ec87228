//! The engine's state of one call.

use super::breaker::{Outcome, Permit};
use super::limit::Place;
use super::quota::Spent;
use super::step::{BreakerScope, Shared};
use crate::code::Code;
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Waiting,
    /// Its attempt has failed, and the driver changes the request: see [`Repair::Pending`](super::Repair::Pending).
    Repairing,
    AwaitingPlace,
    /// For a slot of the adaptive limit.
    AwaitingLimit,
    /// It was given a slot; the driver has not dequeued it yet.
    HasPlace,
    AwaitingTurn,
}

/// A call that has not ended. It is small, because a call that succeeds at once uses nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) number: u64,
    pub(crate) started: Option<Timestamp>,
    /// [`NEVER`](crate::time::NEVER) for a call without one.
    pub(crate) deadline: Timestamp,
    pub(crate) permit: Option<Permit>,
    pub(crate) shared: Shared,
    pub(crate) config: u32,
    /// How many attempts have begun.
    pub(crate) attempt: u32,
    /// How many of them were hedges: those are no retries.
    pub(crate) hedges: u32,
    /// How many attempts run beside another.
    pub(crate) beside: u32,
    /// The number of the running attempt. For several, the exclusive or of their numbers: the last one remains when
    /// the others end.
    pub(crate) running: u32,
    /// Its position in the queue in which it waits.
    pub(crate) place: Place,
    pub(crate) state: State,
    pub(crate) scope: BreakerScope,
    /// See [`CallConfig::within`](super::CallConfig::within).
    pub(crate) within: bool,
    /// Slots of the bulkhead.
    pub(crate) slots: u32,
    /// Slots of the adaptive limit …
    pub(crate) adaptive_slots: u32,
    /// … and the generation of the oldest of them.
    pub(crate) generation: u32,
    pub(crate) failed: Option<Box<FailedCall>>,
}

/// The part of a call's state that exists only after a failed attempt or in a queue.
#[derive(Clone, Debug)]
pub(crate) struct FailedCall {
    pub(crate) last: Option<LastFailure>,
    /// The delay that backoff drew last.
    pub(crate) previous: Option<Millis>,
    pub(crate) rng: SplitMix64,
    /// The cost to the budget of its retries but the last …
    pub(crate) spent: Spent,
    /// … and of the last one, which is refunded if that retry is never made.
    pub(crate) granted: Spent,
    /// The number of its attempts that sent a repaired request: those are no retries.
    pub(crate) repairs: u32,
    /// While it waits to retry: when the wait is over.
    pub(crate) due: Timestamp,
    /// While it waits for its turn: since when.
    pub(crate) since: Timestamp,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LastFailure {
    pub(crate) code: Code,
    pub(crate) counts: bool,
    pub(crate) hint: Option<Millis>,
}

impl Call {
    /// Returns the cost of its retries to the budget; zero without retries.
    pub(crate) fn spent(&self) -> Spent {
        self.failed.as_ref().map_or_else(Spent::default, |failed| failed.spent.and(failed.granted))
    }

    /// Returns the state after a failure, made on first use. Each call has its own random numbers, so that its jitter
    /// does not depend on the order of other calls.
    pub(crate) fn failed_mut(&mut self, seed: u64) -> &mut FailedCall {
        let number = self.number;
        self.failed.get_or_insert_with(|| {
            let rng = SplitMix64::for_call(seed, number);
            Box::new(FailedCall {
                last: None,
                previous: None,
                rng,
                spent: Spent::default(),
                granted: Spent::default(),
                repairs: 0,
                due: Timestamp(0),
                since: Timestamp(0),
            })
        })
    }

    /// Returns how many retries a next attempt would make, unless it sends another request.
    pub(crate) fn next_retry(&self) -> u32 {
        self.attempt - self.hedges - self.failed.as_ref().map_or(0, |failed| failed.repairs)
    }

    pub(crate) fn last(&self) -> Option<LastFailure> {
        self.failed.as_ref().and_then(|failed| failed.last)
    }

    /// How a breaker counts a call that ends without success.
    pub(crate) fn outcome(&self) -> Outcome {
        self.last().map_or(Outcome::Neutral, |last| outcome_of(last.counts, last.hint))
    }
}

pub(crate) const fn outcome_of(counts: bool, hint: Option<Millis>) -> Outcome {
    if counts { Outcome::failure(hint) } else { Outcome::Neutral }
}
