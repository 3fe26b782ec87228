//! The clients at a moment: dots, each for a number of calls.

use super::outcome::{Outcome, PolicyOutcome};

/// The state of a call, or its end in this interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Answered,
    Running,
    Waiting,
    Refused,
    Failed,
}

impl Doing {
    pub const ALL: [Self; 5] = [Self::Answered, Self::Running, Self::Waiting, Self::Refused, Self::Failed];

    /// The class of its dots, and what they mean.
    pub const fn says(self) -> (&'static str, &'static str) {
        match self {
            Self::Answered => ("answered", "answered"),
            Self::Running => ("running", "waiting for the provider"),
            Self::Waiting => ("waiting", "waiting to retry"),
            Self::Refused => ("refused", "refused by the policy"),
            Self::Failed => ("failed", "failed"),
        }
    }

    fn count(self, policy: &PolicyOutcome, interval: usize) -> f64 {
        let at = |name| policy.series.at(name, interval);
        match self {
            Self::Answered => at("succeeded"),
            Self::Running => (at("inFlight") - at("waiting")).max(0.0),
            Self::Waiting => at("waiting"),
            Self::Refused => at("rejected"),
            Self::Failed => at("failed"),
        }
    }
}

/// Dots of one policy at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// For each of `Doing::ALL`: how many calls, and the dots as an SVG path.
    pub groups: Vec<(Doing, f64, String)>,
    /// Requests in the provider's queue.
    pub queued: f64,
    /// Requests sent for each call that began.
    pub load: f64,
}

/// Dots in a row, and rows.
pub const COLUMNS: usize = 20;
pub const ROWS: usize = 6;
/// From one dot to the next.
pub const STEP: usize = 10;

/// How many calls a dot stands for: the same for all policies and moments, so that crowds can be compared.
pub fn calls_per_dot(outcome: &Outcome) -> f64 {
    let most = outcome
        .policies
        .iter()
        .flat_map(|policy| {
            (0..outcome.intervals())
                .map(|at| Doing::ALL.iter().map(|doing| doing.count(policy, at)).sum::<f64>())
        })
        .fold(0.0, f64::max);
    #[expect(clippy::cast_precision_loss, reason = "a hundred dots")]
    let room = (COLUMNS * ROWS - Doing::ALL.len()) as f64;
    (most / room).ceil().max(1.0)
}

/// The clients of one policy in an interval.
pub fn crowd(policy: &PolicyOutcome, interval: usize, calls_per_dot: f64) -> Crowd {
    let mut next = 0;
    let groups = Doing::ALL.map(|doing| {
        let count = doing.count(policy, interval);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred dots")]
        let dots = (count / calls_per_dot).ceil() as usize;
        let first = next;
        next = (next + dots).min(COLUMNS * ROWS);
        // A line without a length has round or square ends all the same: a dot.
        let path = (first..next)
            .map(|dot| {
                let (x, y) = (dot / ROWS * STEP + STEP / 2, dot % ROWS * STEP + STEP / 2);
                format!("M{x} {y}h0")
            })
            .collect();
        (doing, count, path)
    });
    let offered = policy.series.at("offered", interval);
    Crowd {
        groups: groups.into(),
        queued: policy.series.at("queued", interval),
        load: if offered > 0.0 { policy.series.at("attempts", interval) / offered } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::stage::outcome;
    use super::*;

    #[test]
    fn every_call_has_its_share_of_a_dot() {
        let outcome = outcome();
        let each = calls_per_dot(&outcome);
        assert_eq!(each, 1.0);
        let crowd = crowd(&outcome.policies[1], 10, each);
        assert_eq!(crowd.groups[0].1, 7.0);
        assert_eq!(crowd.groups[0].2.matches('M').count(), 7);
        assert_eq!(crowd.groups[4].2, "");
        assert_eq!(crowd.load, 1.0);
        assert_eq!(super::crowd(&outcome.policies[0], 50, each).load, 10.0);
    }
}
