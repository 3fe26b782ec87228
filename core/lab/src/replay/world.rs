//! The surroundings of a replay: the log, the model of the provider, and the policies.

use super::model::Model;
use super::order::order;
use super::recorded::{Call, Control, Failed, History, How, Moment, Outcome};
use crate::scenario::LabPolicy;
use halfopen::code::Code;
use halfopen::policy::{Layer, Why};

/// A timer of Node or a browser is late by less than this, in microseconds.
pub(super) const LATE: u64 = 1_000_000;

/// A change of a policy from outside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outside {
    Settings(u32),
    Control(Control),
}

/// The common data of all replays of a log.
#[derive(Debug)]
pub(super) struct World {
    pub(super) history: History,
    pub(super) model: Model,
    /// The calls in the order in which they began.
    pub(super) arrivals: Vec<u32>,
    /// The changes to the policies, by time, with their hosts.
    pub(super) outside: Vec<(Moment, u32, Outside)>,
    /// The policies as they were, by the number of settings.
    pub(super) recorded: Vec<LabPolicy>,
    /// Those that are replayed, by the same numbers.
    pub(super) other: Vec<LabPolicy>,
}

impl World {
    pub(super) fn new(mut history: History, recorded: Vec<LabPolicy>, other: Vec<LabPolicy>) -> Self {
        find_cuts(&mut history, &recorded);
        let begun = |call: &Call| call.begun.map_or((u64::MAX, 0), |begun| (begun.at, begun.seq));
        let mut arrivals = order(history.calls.iter().map(begun));
        arrivals.retain(|&call| history.calls.get(call as usize).is_some_and(|call| call.begun.is_some()));
        let mut all: Vec<(Moment, u32, Outside)> = Vec::new();
        for &(host, moment, control) in &history.controls {
            all.push((moment, host, Outside::Control(control)));
        }
        for (number, host) in (0..).zip(&history.hosts) {
            for &(moment, settings) in host.settings.iter().skip(1) {
                all.push((moment, number, Outside::Settings(settings)));
            }
        }
        let sorted = order(all.iter().map(|(moment, ..)| (moment.at, moment.seq)));
        let outside = sorted.iter().filter_map(|&index| all.get(index as usize).copied()).collect();
        let model = Model::of(&history, &recorded);
        Self { history, model, arrivals, outside, recorded, other }
    }

    /// The policy that a call had.
    pub(super) fn recorded_of(&self, call: &Call) -> Option<&LabPolicy> {
        self.recorded.get(call.settings as usize)
    }

    /// Returns `true` if the call never reached the engine: its signal had been aborted, or a cap of the application
    /// refused it.
    pub(super) fn is_imposed(&self, call: &Call) -> bool {
        let (Some(begun), Some(end)) = (call.begun, call.end) else { return false };
        if end.moment.at != begun.at || self.history.attempts_of(call).next().is_some() {
            return false;
        }
        match end.how {
            How::Failed { why: Why::Cancelled, .. } => true,
            How::Rejected { by: Layer::RateLimit } => {
                self.recorded_of(call).is_some_and(|policy| policy.config.rate_limits.is_empty())
            }
            _ => false,
        }
    }
}

/// A timeout of the policy's own is a cut only where its timer was that long: the rest are stalls of streams.
fn find_cuts(history: &mut History, recorded: &[LabPolicy]) {
    for call in &history.calls {
        let Some(policy) = recorded.get(call.settings as usize) else { continue };
        let mut next = call.last;
        while let Some(attempt) = history.attempts.get_mut(next as usize) {
            next = attempt.before;
            let Outcome::Failed(Failed { is_cut, code, .. }) = &mut attempt.result else { continue };
            if !*is_cut || *code == Code::Cancelled {
                continue;
            }
            let took_ms = f64::from(u32::try_from(attempt.took).unwrap_or(u32::MAX));
            let by_attempt = policy.attempt_ms.is_some_and(|limit| took_ms + 1.0 >= limit);
            let by_call = match (policy.config.call.total, call.begun, attempt.ended) {
                (Some(total), Some(begun), Some(ended)) => {
                    ended.at + 2000 >= begun.at.saturating_add(total.0.saturating_mul(1000))
                }
                _ => false,
            };
            *is_cut = by_attempt || by_call;
        }
    }
}
