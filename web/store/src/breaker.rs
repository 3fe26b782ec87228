//! One breaker as the log tells it: a lane of states, with why each began and what the probes said.

use crate::names::Name;
use halfopen::log::Window;

/// A breaker's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Closed,
    Open,
    HalfOpen,
    Isolated,
    Disabled,
    /// A word that this version does not know.
    Unknown,
}

impl State {
    pub fn from_word(word: &str) -> Self {
        match word {
            "closed" => Self::Closed,
            "open" => Self::Open,
            "half_open" => Self::HalfOpen,
            "isolated" => Self::Isolated,
            "disabled" => Self::Disabled,
            _ => Self::Unknown,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half-open",
            Self::Isolated => "isolated",
            Self::Disabled => "disabled",
            Self::Unknown => "unknown",
        }
    }

    pub const fn sign(self) -> &'static str {
        match self {
            Self::Closed => "●",
            Self::Open => "○",
            Self::HalfOpen => "◐",
            Self::Isolated => "⊘",
            Self::Disabled => "◌",
            Self::Unknown => "?",
        }
    }
}

/// One change of state.
#[derive(Clone, Debug)]
pub struct Change {
    pub at: f64,
    pub from: State,
    pub to: State,
    pub reason: Box<str>,
    pub generation: u32,
    pub retry_at: f64,
    pub window: Option<Window>,
}

/// One probe: the call that was let through while half-open.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub call: u32,
    pub attempt: u32,
    pub from: f64,
    pub ended: f64,
    pub failed: bool,
}

/// One span of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub state: State,
    pub from: f64,
    pub to: f64,
}

/// One breaker.
#[derive(Clone, Debug)]
pub struct Breaker {
    pub name: Name,
    pub source: Name,
    pub policy: Name,
    /// When the log first heard of it.
    pub seen: f64,
    pub changes: Vec<Change>,
    pub probes: Vec<Probe>,
    pub rejected: u64,
}

impl Breaker {
    /// The state at a moment. No timer fires when a reset timeout ends: an open breaker whose `retryAt` has come
    /// admits its next call as a probe, and is half-open from then on.
    pub fn state_at(&self, at: f64) -> State {
        let after = self.changes.partition_point(|change| change.at <= at);
        match after.checked_sub(1).and_then(|last| self.changes.get(last)) {
            Some(change) if change.to == State::Open && change.retry_at <= at => State::HalfOpen,
            Some(change) => change.to,
            None => self.changes.first().map_or(State::Closed, |change| change.from),
        }
    }

    /// When the next probe is admitted, if that is still to come.
    pub fn probe_due(&self, now: f64) -> Option<f64> {
        let change = self.changes.last()?;
        (change.to == State::Open && change.retry_at > now).then_some(change.retry_at)
    }

    /// The last change that opened it when it was closed: a failed probe opens it again, but is not why.
    pub fn last_trip(&self) -> Option<&Change> {
        let opens = |change: &&Change| change.to == State::Open;
        let trips = |change: &&Change| change.to == State::Open && change.from == State::Closed;
        self.changes.iter().rev().find(trips).or_else(|| self.changes.iter().rev().find(opens))
    }

    /// How many probes have failed since the last trip.
    pub fn reopened(&self) -> usize {
        let since = self.last_trip().map_or(f64::INFINITY, |change| change.at);
        self.changes.iter().filter(|change| change.at > since && change.to == State::Open).count()
    }

    /// The lane from `from` to `to`, without gaps, oldest first.
    pub fn spans(&self, from: f64, to: f64) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut push = |state: State, start: f64, end: f64| {
            let (start, end) = (start.max(from), end.min(to));
            if end <= start {
                return;
            }
            match spans.last_mut() {
                Some(last) if last.state == state && last.to >= start => last.to = end,
                _ => spans.push(Span { state, from: start, to: end }),
            }
        };
        let first = self.changes.first();
        push(
            first.map_or(State::Closed, |change| change.from),
            self.seen,
            first.map_or(to, |change| change.at),
        );
        for (index, change) in self.changes.iter().enumerate() {
            let end = self.changes.get(index + 1).map_or(to, |next| next.at);
            if change.to == State::Open && change.retry_at < end {
                let half = change.retry_at.max(change.at);
                push(State::Open, change.at, half);
                push(State::HalfOpen, half, end);
            } else {
                push(change.to, change.at, end);
            }
        }
        spans
    }

    /// Milliseconds spent open or half-open until `now`.
    pub fn time_open(&self, now: f64) -> f64 {
        let spans = self.spans(self.seen, now);
        spans
            .iter()
            .filter(|span| span.state == State::Open)
            .map(|span| span.to - span.from)
            .fold(0.0, |sum, part| sum + part)
    }

    /// How often it opened.
    pub fn openings(&self) -> usize {
        self.changes.iter().filter(|change| change.to == State::Open).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: f64, from: State, to: State, retry_at: f64) -> Change {
        Change { at, from, to, reason: "".into(), generation: 1, retry_at, window: None }
    }

    #[test]
    fn half_open_is_derived_from_retry_at_for_no_timer_fires() {
        let breaker = Breaker {
            name: Name::NONE,
            source: Name::NONE,
            policy: Name::NONE,
            seen: 0.0,
            changes: vec![
                change(10.0, State::Closed, State::Open, 70.0),
                change(90.0, State::HalfOpen, State::Closed, f64::NAN),
            ],
            probes: Vec::new(),
            rejected: 0,
        };
        let words: Vec<_> = [5.0, 10.0, 69.0, 70.0, 89.0, 90.0].map(|at| breaker.state_at(at).word()).into();
        assert_eq!(words, ["closed", "open", "open", "half-open", "half-open", "closed"]);
        let spans = breaker.spans(0.0, 100.0);
        let edges: Vec<_> = spans.iter().map(|span| (span.state.word(), span.from, span.to)).collect();
        assert_eq!(
            edges,
            [("closed", 0.0, 10.0), ("open", 10.0, 70.0), ("half-open", 70.0, 90.0), ("closed", 90.0, 100.0)]
        );
        assert!((breaker.time_open(100.0) - 60.0).abs() < 1e-9);
    }
}
