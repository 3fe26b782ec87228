//! Sums over calls that have ended: how they ended, how often they were tried again, and how long they took.

use crate::format::{count, percent, span};
use halfopen_store::call::{Attempt, Call, Outcome, Status};
use halfopen_store::durations::Durations;
use halfopen_store::names::Name;
use halfopen_store::query::term;
use halfopen_store::store::Log;

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Failed,
    Refused,
    Fallback,
    Cancelled,
    Answered,
}

impl End {
    /// All ends, the worst first.
    pub const ALL: [Self; 5] = [Self::Failed, Self::Refused, Self::Fallback, Self::Cancelled, Self::Answered];

    /// The end of a call with that status; `None` for a call that goes on, or whose process no longer reports.
    pub const fn of(status: Status) -> Option<Self> {
        match status {
            Status::Failed => Some(Self::Failed),
            Status::Rejected => Some(Self::Refused),
            Status::Degraded => Some(Self::Fallback),
            Status::Cancelled => Some(Self::Cancelled),
            Status::Succeeded => Some(Self::Answered),
            Status::Running | Status::Waiting | Status::Queued | Status::Silent => None,
        }
    }

    /// Returns `true` if the caller got an error.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Failed | Self::Refused)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Fallback => "fallback",
            Self::Cancelled => "cancelled",
            Self::Answered => "answered",
        }
    }
}

/// The sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    ends: [u64; End::ALL.len()],
    pub retries: u64,
    durations: Durations,
}

impl Sums {
    /// Counts a call; one that has not ended is not counted.
    pub fn add(&mut self, call: &Call) {
        let (Some(end), Some(ended)) = (End::of(call.status), call.ended) else { return };
        self.count(end);
        self.retries += call.retries() as u64;
        self.durations.add(ended - call.started);
    }

    /// Counts an attempt as if it were a call; one that has not ended is not counted.
    pub fn add_attempt(&mut self, attempt: &Attempt) {
        self.count(match attempt.outcome {
            Outcome::Succeeded => End::Answered,
            Outcome::Failed => End::Failed,
            Outcome::Running => return,
        });
        self.retries += u64::from(attempt.number > 1);
        attempt.duration_ms.into_iter().for_each(|ms| self.durations.add(ms));
    }

    fn count(&mut self, end: End) {
        if let Some(count) = self.ends.get_mut(end as usize) {
            *count += 1;
        }
    }

    /// Counts the calls of another sum.
    pub fn add_all(&mut self, other: &Self) {
        for (count, more) in self.ends.iter_mut().zip(other.ends) {
            *count += more;
        }
        self.retries += other.retries;
        self.durations.add_all(&other.durations);
    }

    /// How many calls had that end.
    pub fn with(&self, end: End) -> u64 {
        self.ends.get(end as usize).copied().unwrap_or(0)
    }

    /// How many calls have ended.
    pub fn calls(&self) -> u64 {
        self.ends.iter().sum()
    }

    /// How many calls failed or were refused.
    pub fn errors(&self) -> u64 {
        End::ALL.into_iter().filter(|end| end.is_error()).map(|end| self.with(end)).sum()
    }

    /// How many calls had each end, in words: `12 failed, 728 answered`. Empty if no call has ended.
    pub fn ends(&self) -> String {
        let ends = End::ALL.into_iter().filter(|&end| self.with(end) > 0);
        ends.map(|end| format!("{} {}", count(self.with(end)), end.word())).collect::<Vec<_>>().join(", ")
    }

    /// The share of errors; `None` if no call has ended.
    pub fn error_share(&self) -> Option<f64> {
        ratio(self.errors(), self.calls())
    }

    pub fn retries_a_call(&self) -> Option<f64> {
        ratio(self.retries, self.calls())
    }

    /// The duration below which that share of the calls lies, in milliseconds, to within 9 %.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        self.durations.quantile(share)
    }

    /// The sums in words: `740 calls, 46 % errors, p95 8.20 s, 1.4 retries a call`.
    pub fn words(&self) -> String {
        let (Some(share), Some(retries)) = (self.error_share(), self.retries_a_call()) else {
            return "no call has ended".into();
        };
        let p95 = known(self.quantile(0.95), span);
        let calls = crate::format::number_of(self.calls(), "call");
        format!("{calls}, {} errors, p95 {p95}, {} retries a call", percent(share), rounded(retries))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A number in words, or a dash for one that is not known.
pub fn known(number: Option<f64>, words: fn(f64) -> String) -> String {
    number.map_or_else(|| "–".into(), words)
}

/// The heading of the calls with a name, and the filter that they pass: `key` is the key of the filter.
pub fn named(log: &Log, key: &str, name: Name) -> (String, String) {
    let text = log.names.text(name).to_owned();
    if text.is_empty() {
        return (format!("(no {key})"), format!("-{key}:*"));
    }
    let filter = term(key, std::slice::from_ref(&text));
    (text, filter)
}

/// A small number: `0`, `0.04`, `1.4`, `120`.
pub fn rounded(number: f64) -> String {
    if number >= 99.5 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        return count(number.round() as u64);
    }
    if number >= 0.995 {
        format!("{number:.1}")
    } else if number > 0.0 {
        format!("{number:.2}")
    } else {
        "0".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    #[test]
    fn calls_are_summed_up_by_their_ends_and_those_that_go_on_are_not() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff").succeed(call);
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted");
        stage.refused("chat");
        stage.call("chat");
        let log = stage.log();
        let mut sums = Sums::default();
        log.calls().for_each(|(_, call)| sums.add(call));
        assert_eq!((sums.calls(), sums.errors(), sums.retries), (3, 2, 1));
        assert_eq!((sums.with(End::Answered), sums.with(End::Refused)), (1, 1));
        assert!(sums.words().starts_with("3 calls, 67 % errors, p95 "), "{}", sums.words());
        assert_eq!(Sums::default().words(), "no call has ended");
    }

    #[test]
    fn small_numbers_are_as_exact_as_they_are_small() {
        assert_eq!([0.0, 0.042, 0.999, 1.44, 120.4].map(rounded), ["0", "0.04", "1.0", "1.4", "120"]);
    }
}
