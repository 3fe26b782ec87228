//! Attempts that a timeout cut off, and that the other policy would have given more time. The log does not say when they would
//! have been answered, so their replayed result is a guess.

use super::recorded::{Attempt, Call, Failed, Outcome};
use super::world::World;
use crate::scenario::LabPolicy;
use halfopen::code::Code;
use std::collections::BTreeMap;

/// The timeout that cut an attempt off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutBy {
    /// That of the attempt.
    Attempt,
    /// The timeout of the whole call.
    Call,
}

/// Attempts that were cut off after the same time, and that would have had more under the other policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Censored {
    /// The kind of the timeout.
    pub by: CutBy,
    /// The timeout, in milliseconds.
    pub timeout_ms: f64,
    /// The number of attempts.
    pub attempts: u64,
}

/// The censored attempts of a log, in the order of their timeouts.
pub(super) fn censored(world: &World) -> Vec<Censored> {
    let mut counts = BTreeMap::new();
    for call in &world.history.calls {
        let policies = (world.recorded_of(call), world.other.get(call.settings as usize));
        let (Some(recorded), Some(other)) = policies else { continue };
        for attempt in world.history.attempts_of(call) {
            if let Some((by, timeout_ms)) = cut_by(attempt, call, recorded)
                && has_longer(by, timeout_ms, other)
            {
                // The bits of positive numbers have the order of the numbers.
                *counts.entry((by, timeout_ms.to_bits())).or_insert(0) += 1;
            }
        }
    }
    let censored = |((by, bits), attempts)| Censored { by, timeout_ms: f64::from_bits(bits), attempts };
    counts.into_iter().map(censored).collect()
}

/// Returns the timeout of the policy that cut an attempt off, if one did.
fn cut_by(attempt: &Attempt, call: &Call, policy: &LabPolicy) -> Option<(CutBy, f64)> {
    let Outcome::Failed(Failed { is_cut: true, code, .. }) = attempt.result else { return None };
    if code == Code::Cancelled {
        return None;
    }
    let took_ms = f64::from(u32::try_from(attempt.took).unwrap_or(u32::MAX));
    match (policy.attempt_ms, policy.config.call.total) {
        (Some(limit), _) if took_ms + 1.0 >= limit => Some((CutBy::Attempt, limit)),
        (_, Some(total)) if call.end.is_some() => Some((CutBy::Call, total.as_f64())),
        _ => None,
    }
}

fn has_longer(by: CutBy, timeout_ms: f64, other: &LabPolicy) -> bool {
    let limit = match by {
        CutBy::Attempt => other.attempt_ms,
        CutBy::Call => other.config.call.total.map(|total| total.as_f64()),
    };
    limit.is_none_or(|limit| limit > timeout_ms)
}
