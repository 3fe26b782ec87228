//! Attempts that a timeout cut off, and that the other policy would have given more time. The log does not say when they would
//! have been answered.

use super::recorded::{Attempt, Call, Failed, Outcome};
use super::world::World;
use crate::scenario::LabPolicy;
use halfopen::code::Code;

/// The timeout that cut an attempt off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutBy {
    /// That of the attempt.
    Attempt,
    /// The timeout of the whole call.
    Call,
}

/// Attempts of a policy that were cut off after the same time, and that would have had more under the other policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Censored {
    /// The number of the policy's name.
    pub policy: u32,
    /// The kind of the timeout.
    pub by: CutBy,
    /// The timeout, in milliseconds.
    pub timeout_ms: f64,
    /// The number of attempts.
    pub attempts: u64,
}

/// The censored attempts of a log, by policy and timeout in the order in which the log has them. There are few timeouts, so a
/// list is searched; a map would take 3 kB of the module.
pub(super) fn censored(world: &World) -> Vec<Censored> {
    let mut all: Vec<Censored> = Vec::new();
    for call in &world.history.calls {
        let policy = world.history.policy_of(call);
        for (by, timeout_ms) in censored_of(world, call) {
            let of = (policy, by, timeout_ms);
            match all.iter_mut().find(|one| (one.policy, one.by, one.timeout_ms) == of) {
                Some(one) => one.attempts += 1,
                None => all.push(Censored { policy, by, timeout_ms, attempts: 1 }),
            }
        }
    }
    all
}

/// The timeouts that cut off attempts of a call which would have had more time, one for each.
pub(super) fn censored_of(world: &World, call: &Call) -> impl Iterator<Item = (CutBy, f64)> {
    let policies = world.recorded_of(call).zip(world.other.get(call.settings as usize));
    world.history.attempts_of(call).filter_map(move |attempt| {
        let (recorded, other) = policies?;
        cut_by(attempt, call, recorded).filter(|&(by, timeout_ms)| has_longer(by, timeout_ms, other))
    })
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
