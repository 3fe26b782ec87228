//! A call on its way, as the engine keeps it.

use super::breaker::{Outcome, Permit};
use super::step::{BreakerScope, Shared};
use crate::code::Code;
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Waiting,
    AwaitingPlace,
    /// A place was handed to it; the driver has not come for it yet.
    HasPlace,
    AwaitingTurn,
}

/// A call on its way. Small, for a call that succeeds at once touches nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) number: u64,
    pub(crate) started: Option<Timestamp>,
    /// The end of time for a call without one.
    pub(crate) deadline: Timestamp,
    pub(crate) permit: Option<Permit>,
    pub(crate) shared: Shared,
    pub(crate) config: u32,
    pub(crate) attempt: u32,
    pub(crate) state: State,
    pub(crate) scope: BreakerScope,
    pub(crate) holds_place: bool,
    pub(crate) story: Option<Box<Story>>,
}

/// What only a call has that failed or had to queue.
#[derive(Clone, Debug)]
pub(crate) struct Story {
    pub(crate) last: Option<Last>,
    /// The delay that backoff drew last.
    pub(crate) previous: Millis,
    pub(crate) rng: SplitMix64,
    /// When the wait is over, or when it began to wait for its turn.
    pub(crate) mark: Timestamp,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    pub(crate) code: Code,
    pub(crate) counts: bool,
    pub(crate) hint: Option<Millis>,
}

pub(crate) const NEVER: Timestamp = Timestamp(u64::MAX);

impl Call {
    /// Jitter is drawn for each call by itself, so that it does not depend on the order of others.
    pub(crate) fn story(&mut self, seed: u64) -> &mut Story {
        let number = self.number;
        self.story.get_or_insert_with(|| {
            let rng = SplitMix64::for_call(seed, number);
            Box::new(Story { last: None, previous: Millis::ZERO, rng, mark: Timestamp(0) })
        })
    }

    pub(crate) fn last(&self) -> Option<Last> {
        self.story.as_ref().and_then(|story| story.last)
    }

    /// What the breaker is told of a call that ends without success.
    pub(crate) fn outcome(&self) -> Outcome {
        self.last().map_or(Outcome::Neutral, |last| outcome_of(last.counts, last.hint))
    }
}

pub(crate) const fn outcome_of(counts: bool, hint: Option<Millis>) -> Outcome {
    if counts { Outcome::failure(hint) } else { Outcome::Neutral }
}
