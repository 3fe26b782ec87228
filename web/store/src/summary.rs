//! Each policy of the log: the ends of its calls, their durations and waits, and their tokens.
//!
//! Calls are counted when they end, so that the sums hold for the whole log, evicted calls too.

use crate::call::{Attempt, Call, Outcome, Status, Wait};
use crate::durations::Durations;
use crate::hash::Seeded;
use crate::names::Name;
use crate::policy::PolicyId;
use std::collections::HashMap;

/// Most policies that have a summary.
const MOST: usize = 500;
/// Most providers and models whose tokens are counted separately for one policy.
const MOST_MODELS: usize = 50;

/// The tokens that a policy's attempts used of one provider and model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub provider: Name,
    pub model: Name,
    pub input: u64,
    pub output: u64,
    /// The part of these that failed attempts took.
    pub failed_input: u64,
    pub failed_output: u64,
}

/// One policy: its calls that have ended.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub id: PolicyId,
    pub calls: u64,
    pub succeeded: u64,
    pub degraded: u64,
    pub failed: u64,
    pub rejected: u64,
    pub cancelled: u64,
    pub retries: u64,
    /// Milliseconds that calls spent in waits before retries and in queues.
    pub waited_ms: f64,
    /// From a call's beginning to its end.
    pub durations: Durations,
    pub tokens: Vec<Tokens>,
}

impl Summary {
    fn count(&mut self, status: Status) -> Option<&mut u64> {
        match status {
            Status::Succeeded => Some(&mut self.succeeded),
            Status::Degraded => Some(&mut self.degraded),
            Status::Failed => Some(&mut self.failed),
            Status::Rejected => Some(&mut self.rejected),
            Status::Cancelled => Some(&mut self.cancelled),
            Status::Running | Status::Waiting | Status::Queued | Status::Silent => None,
        }
    }

    fn took(&mut self, attempt: &Attempt, (input, output): (u64, u64)) {
        let Some(tokens) = self.tokens_of(attempt.provider, attempt.model) else { return };
        tokens.input += input;
        tokens.output += output;
        if attempt.outcome == Outcome::Failed {
            tokens.failed_input += input;
            tokens.failed_output += output;
        }
    }

    fn tokens_of(&mut self, provider: Name, model: Name) -> Option<&mut Tokens> {
        let known = self.tokens.iter().position(|one| one.provider == provider && one.model == model);
        let place = known.unwrap_or(self.tokens.len());
        if place == self.tokens.len() && place < MOST_MODELS {
            self.tokens.push(Tokens { provider, model, ..Tokens::default() });
        }
        self.tokens.get_mut(place)
    }
}

/// The summaries of all policies.
#[derive(Debug, Default)]
pub struct Summaries {
    rows: Vec<Summary>,
    places: HashMap<PolicyId, usize, Seeded>,
    /// Calls of policies that have no summary, because there are too many policies.
    pub beyond: u64,
}

impl Summaries {
    /// The summaries, in the order in which the first call of each ended.
    pub fn iter(&self) -> impl Iterator<Item = &Summary> {
        self.rows.iter()
    }

    fn row(&mut self, id: PolicyId) -> Option<&mut Summary> {
        let next = self.rows.len();
        let place = *self.places.entry(id).or_insert(next);
        if place == next && next < MOST {
            self.rows.push(Summary { id, ..Summary::default() });
        }
        if place >= MOST {
            self.places.remove(&id);
        }
        self.rows.get_mut(place)
    }

    /// Counts a call that has ended.
    pub(crate) fn add(&mut self, call: &Call) {
        let Some(row) = self.row(call.policy_id()) else {
            self.beyond += 1;
            return;
        };
        row.calls += 1;
        row.retries += call.retries() as u64;
        if let Some(ended) = call.ended {
            row.durations.add(ended - call.started);
        }
        if let Some(count) = row.count(call.status) {
            *count += 1;
        }
        row.waited_ms += call.waits.iter().filter_map(Wait::lasted_ms).sum::<f64>();
        for attempt in &call.attempts {
            if let Some((input, output)) = attempt.tokens {
                row.took(attempt, (u64::from(input), u64::from(output)));
            }
        }
    }

    /// Counts tokens of a call that has been counted.
    pub(crate) fn took(&mut self, id: PolicyId, attempt: &Attempt, taken: (u64, u64)) {
        if let Some(row) = self.row(id).filter(|_| taken != (0, 0)) {
            row.took(attempt, taken);
        }
    }

    /// Moves a call to another status: a fallback answered after it had been counted.
    pub(crate) fn changed(&mut self, id: PolicyId, from: Status, to: Status) {
        let Some(row) = self.row(id) else { return };
        if let Some(count) = row.count(from) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = row.count(to) {
            *count += 1;
        }
    }

    /// Shows every name that it has.
    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for row in &self.rows {
            [row.id.source, row.id.name].into_iter().for_each(&mut *show);
            for tokens in &row.tokens {
                [tokens.provider, tokens.model].into_iter().for_each(&mut *show);
            }
        }
    }
}
