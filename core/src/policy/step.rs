//! The input and output of the engine: settings, the state lent to it, and its steps.

use super::breaker::Breaker;
use super::budget::Budget;
use super::layer::Layer;
use super::limit::{AdaptiveConfig, BulkheadConfig, RateLimitConfig};
use super::record::Ring;
use super::retry::{Plan, RetryConfig, Why};
use crate::time::{Millis, Timestamp};

/// The unit that the breaker counts as one result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BreakerScope {
    /// A whole call: an exhausted sequence of retries is one failure.
    #[default]
    Call,
    /// Each attempt.
    Attempt,
}

impl BreakerScope {
    /// Every scope, by its number.
    pub const ALL: [Self; 2] = [Self::Call, Self::Attempt];

    /// The name in options.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Attempt => "attempt",
        }
    }
}

/// The settings of one call from its beginning to its end, even if the policy changes meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallConfig {
    /// Its retries.
    pub retry: RetryConfig,
    /// How long it may take in all.
    pub total: Option<Millis>,
    /// The unit that the breaker counts.
    pub scope: BreakerScope,
    /// The driver's numbers for what it shares with others.
    pub shared: Shared,
    /// The estimated tokens of each attempt, for a limit on tokens, until
    /// [`Engine::observe_usage`](super::Engine::observe_usage) reports the real number. Counts as at least 1.
    pub tokens: u32,
    /// An attempt of another call of the policy makes it, and holds the slots and the turn for both. With slots of its own
    /// it would wait for its own caller.
    pub within: bool,
}

/// A driver's numbers for a breaker and a budget; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// The breaker that guards the call.
    pub breaker: u32,
    /// The budget that its retries are taken from.
    pub budget: u32,
}

/// A policy's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyConfig {
    /// The settings with which each call begins.
    pub call: CallConfig,
    /// How many attempts run at once.
    pub bulkhead: Option<BulkheadConfig>,
    /// The number of concurrent attempts, as far as the provider can handle them. Holds beside `bulkhead`.
    pub adaptive: Option<AdaptiveConfig>,
    /// The number of attempts that begin in a span of time, or of their tokens: none, or all of these limits at once.
    pub rate_limits: Vec<RateLimitConfig>,
}

/// The state that a policy shares with others, lent to the engine for one input.
#[derive(Debug)]
pub struct Context<'a> {
    /// The breaker of the call at hand ([`Engine::shared_by`](super::Engine::shared_by)).
    pub breaker: Option<&'a mut Breaker>,
    /// The budget of the call at hand.
    pub budget: Option<&'a mut Budget>,
    /// Where records go.
    pub events: &'a mut Ring,
    /// The driver's number for the policy, for records.
    pub policy_id: u32,
    /// The driver's number for the breaker, for records.
    pub breaker_id: u32,
}

/// The driver's next action. `call` is the number for the next input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a step is to be taken"]
pub enum Step {
    /// Call the operation, then [`Engine::succeed`](super::Engine::succeed) or [`Engine::fail`](super::Engine::fail).
    Attempt {
        /// The call.
        call: u32,
        /// 1, 2, …
        attempt: u32,
        /// `true` for the breaker's probe.
        probe: bool,
        /// The breaker's generation; 0 without a breaker.
        generation: u64,
    },
    /// Wait, then [`Engine::resume`](super::Engine::resume).
    Wait {
        /// The call.
        call: u32,
        /// The attempt that the wait leads to.
        attempt: u32,
        /// How long, and why so long.
        plan: Plan,
        /// Retries that the budget has left.
        budget_left: Option<u64>,
    },
    /// Wait until [`Engine::next_ready`](super::Engine::next_ready) names the call, then [`Engine::dequeue`](super::Engine::dequeue).
    Queued {
        /// The call.
        call: u32,
        /// For what it waits.
        by: Layer,
        /// 1 is next.
        position: u32,
        /// When its turn will come, if known.
        due: Option<Timestamp>,
    },
    /// The call was refused and is over.
    Rejected {
        /// By which layer.
        by: Layer,
        /// How long until it may be admitted, if that is known.
        retry_after: Option<Millis>,
        /// How often the operation had been called.
        attempts: u32,
    },
    /// The call failed for good and is over.
    GiveUp {
        /// Why it is not tried again.
        why: Why,
        /// How often the operation was called.
        attempts: u32,
        /// How long the provider asked to wait, if it did.
        hint: Option<Millis>,
    },
    /// There is nothing to do: the call has succeeded, had ended before, or goes on by itself.
    Done {
        /// How often the operation was called; 0 for a call that had ended before.
        attempts: u32,
    },
    /// Nothing has happened: read the clock and give the same input again.
    NeedTime,
    /// Nothing has changed: the application decides the wait before the retry. Give the same input again, with
    /// [`OwnDelay::Given`](super::OwnDelay::Given).
    NeedDelay {
        /// The number of the retry: 1, 2, …
        retry: u32,
        /// The delay of the backoff before this one, if there was one.
        previous: Option<Millis>,
    },
}
