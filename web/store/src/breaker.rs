//! One breaker: its states over time, why each began, and the verdicts of its probes.

use crate::names::Name;
use crate::numbers::CallNumber;
use crate::time::Moment;
use halfopen_log::Window;
use std::collections::VecDeque;

/// A breaker's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Closed,
    Open,
    HalfOpen,
    Isolated,
    Disabled,
    /// A name that this version does not know.
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
    pub at: Moment,
    pub from: State,
    pub to: State,
    pub reason: Box<str>,
    pub generation: u32,
    pub retry_at: Option<Moment>,
    pub window: Option<Window>,
    /// The call whose result changed it; the log may have dropped it since.
    pub call: Option<CallNumber>,
}

impl Change {
    /// When a breaker that opened admits its next call as a probe.
    fn probed_from(&self) -> Option<Moment> {
        self.retry_at.filter(|_| self.to == State::Open)
    }

    /// The planned length of this state, in milliseconds; `None` if no end was planned.
    pub fn lasts_ms(&self) -> Option<f64> {
        self.retry_at.map(|retry_at| retry_at - self.at)
    }
}

/// A share of calls that it refused while closed, 0 to 1: by a throttle, or by a ramp after it closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttled {
    pub at: Moment,
    pub rate: f64,
}

/// How long a report of a share holds: while calls are refused, the process repeats it every second.
const THROTTLED_FOR: f64 = 1000.0;

/// The outcome of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs, or waits for its next attempt.
    Running,
    Succeeded,
    Failed,
    /// It ended without evidence: it was cancelled, or failed because of its own request.
    Nothing,
}

/// One probe: a call that was let through while half-open, with all its attempts.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub call: CallNumber,
    /// The generation of the breaker that admitted it.
    pub generation: u32,
    pub from: Moment,
    pub verdict: Verdict,
}

/// One span of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub state: State,
    pub from: Moment,
    pub to: Moment,
}

/// The identity of a breaker: each process has its own breakers, and two processes may use one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BreakerId {
    pub source: Name,
    pub name: Name,
}

/// One breaker.
#[derive(Clone, Debug)]
pub struct Breaker {
    pub id: BreakerId,
    /// The first policy that was known to have it; [`Log::policies_of`](crate::store::Log::policies_of) has all of them.
    pub policy: Name,
    /// The time of its first event.
    pub seen: Moment,
    pub changes: VecDeque<Change>,
    /// How many older changes are not kept.
    pub forgotten: u64,
    pub probes: VecDeque<Probe>,
    pub throttled: VecDeque<Throttled>,
    pub rejected: u64,
}

impl Breaker {
    /// A breaker at its first event in the log.
    pub(crate) fn new(id: BreakerId, policy: Name, seen: Moment) -> Self {
        let (changes, probes, throttled) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self { id, policy, seen, changes, forgotten: 0, probes, throttled, rejected: 0 }
    }

    /// `true` if one of its changes is known.
    pub fn has_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The state at a moment. No timer fires when a reset timeout ends: an open breaker whose `retryAt` has come
    /// admits its next call as a probe, and is half-open from then on.
    pub fn state_at(&self, at: Moment) -> State {
        match self.last_change(at) {
            Some(change) if change.probed_from().is_some_and(|from| from <= at) => State::HalfOpen,
            Some(change) => change.to,
            None => self.changes.front().map_or(State::Closed, |change| change.from),
        }
    }

    /// The share of calls that it refused while closed, at this moment; `None` if it refused none.
    pub fn refused_share_at(&self, at: Moment) -> Option<f64> {
        let after = self.throttled.partition_point(|throttled| throttled.at <= at);
        let last = self.throttled.get(after.checked_sub(1)?)?;
        (at - last.at <= THROTTLED_FOR && self.state_at(at) == State::Closed).then_some(last.rate)
    }

    /// The shares of calls that it refused while closed, oldest first: each with when it began and when it ended.
    pub fn refused_shares(&self) -> impl Iterator<Item = (Moment, Moment, f64)> {
        let next = self.throttled.iter().skip(1).map(|next| next.at).chain([Moment::LAST]);
        self.throttled
            .iter()
            .zip(next)
            .map(|(one, next)| (one.at, next.min(one.at + THROTTLED_FOR), one.rate))
    }

    /// The last change up to a moment.
    pub fn last_change(&self, at: Moment) -> Option<&Change> {
        let after = self.changes.partition_point(|change| change.at <= at);
        self.changes.get(after.checked_sub(1)?)
    }

    /// The changes in a part of time, both ends included, oldest first.
    pub fn changes_within(&self, from: Moment, to: Moment) -> impl DoubleEndedIterator<Item = &Change> {
        self.changes.iter().filter(move |change| (from..=to).contains(&change.at))
    }

    /// When the next probe is admitted, if that is still to come.
    pub fn probe_due(&self, now: Moment) -> Option<Moment> {
        self.changes.back()?.probed_from().filter(|&from| from > now)
    }

    /// The last change that opened it when it was closed. A failed probe also opens it, but is not the cause of the outage.
    pub fn last_trip(&self) -> Option<&Change> {
        self.last_trip_within(Moment::FIRST, Moment::LAST)
    }

    /// The same, in a part of time.
    pub fn last_trip_within(&self, from: Moment, to: Moment) -> Option<&Change> {
        let opens = |change: &&Change| change.to == State::Open;
        let trips = |change: &&Change| change.to == State::Open && change.from == State::Closed;
        let changes = || self.changes_within(from, to).rev();
        changes().find(trips).or_else(|| changes().find(opens))
    }

    /// The track from `from` to `to`, without gaps, oldest first.
    pub fn spans(&self, from: Moment, to: Moment) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut push = |state: State, start: Moment, end: Moment| {
            let (start, end) = (start.max(from), end.min(to));
            if end <= start {
                return;
            }
            match spans.last_mut() {
                Some(last) if last.state == state && last.to >= start => last.to = end,
                _ => spans.push(Span { state, from: start, to: end }),
            }
        };
        let first = self.changes.front();
        push(
            first.map_or(State::Closed, |change| change.from),
            self.seen,
            first.map_or(to, |change| change.at),
        );
        for (index, change) in self.changes.iter().enumerate() {
            let end = self.changes.get(index + 1).map_or(to, |next| next.at);
            match change.probed_from().filter(|&from| from < end) {
                Some(from) => {
                    let half = from.max(change.at);
                    push(State::Open, change.at, half);
                    push(State::HalfOpen, half, end);
                }
                None => push(change.to, change.at, end),
            }
        }
        spans
    }

    /// Milliseconds spent open until `now`.
    pub fn time_open(&self, now: Moment) -> f64 {
        self.time_open_within(self.seen, now)
    }

    /// Milliseconds spent open in a part of time.
    pub fn time_open_within(&self, from: Moment, to: Moment) -> f64 {
        let spans = self.spans(from, to);
        spans
            .iter()
            .filter(|span| span.state == State::Open)
            .map(|span| span.to - span.from)
            .fold(0.0, |sum, part| sum + part)
    }

    /// A call's last probe.
    pub(crate) fn probe_of(&mut self, call: CallNumber) -> Option<&mut Probe> {
        // Few are on their way at once.
        self.probes.iter_mut().rev().take(32).find(|probe| probe.call == call)
    }

    /// How often it opened.
    pub fn openings(&self) -> usize {
        self.changes.iter().filter(|change| change.to == State::Open).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: f64, from: State, to: State, retry_at: Option<f64>) -> Change {
        let (at, retry_at) = (Moment::from_ms(at), retry_at.map(Moment::from_ms));
        Change { at, from, to, reason: "".into(), generation: 1, retry_at, window: None, call: None }
    }

    #[test]
    fn half_open_is_derived_from_retry_at_for_no_timer_fires() {
        let mut breaker = Breaker::new(BreakerId::default(), Name::NONE, Moment::from_ms(0.0));
        breaker.changes = vec![
            change(10.0, State::Closed, State::Open, Some(70.0)),
            change(90.0, State::HalfOpen, State::Closed, None),
        ]
        .into();
        let words: Vec<_> =
            [5.0, 10.0, 69.0, 70.0, 89.0, 90.0].map(|at| breaker.state_at(Moment::from_ms(at)).word()).into();
        assert_eq!(words, ["closed", "open", "open", "half-open", "half-open", "closed"]);
        let end = Moment::from_ms(100.0);
        let spans = breaker.spans(Moment::from_ms(0.0), end);
        let edges: Vec<_> =
            spans.iter().map(|span| (span.state.word(), span.from.ms(), span.to.ms())).collect();
        assert_eq!(
            edges,
            [("closed", 0.0, 10.0), ("open", 10.0, 70.0), ("half-open", 70.0, 90.0), ("closed", 90.0, 100.0)]
        );
        assert!((breaker.time_open(end) - 60.0).abs() < 1e-9);
    }

    /// The probes of a log: each one's call and what it said.
    fn probes(lines: &str) -> Vec<(u32, Verdict)> {
        let mut log = crate::store::Log::default();
        for line in lines.lines() {
            assert!(log.take(line), "{line} {:?}", log.losses);
        }
        log.breakers
            .iter()
            .next()
            .unwrap()
            .probes
            .iter()
            .map(|probe| (probe.generation, probe.verdict))
            .collect()
    }

    #[test]
    fn a_probe_is_a_call_with_all_its_attempts() {
        let incident = include_str!("../../../tests/fixtures/incident.jsonl");
        assert_eq!(probes(incident), [(3, Verdict::Failed), (5, Verdict::Succeeded)]);
        // Between two of its attempts it has said nothing yet.
        let lines: Vec<_> = incident.lines().collect();
        let retries = lines.iter().rposition(|line| line.contains("retry.scheduled")).unwrap();
        assert_eq!(probes(&lines[..=retries].join("\n")), [(3, Verdict::Running)]);
        assert_eq!(probes(&lines[..retries].join("\n")), [(3, Verdict::Failed)]);
    }

    /// A half-open breaker of generation 3 and one call's events after that.
    fn probes_after(rest: &[&str]) -> Vec<(u32, Verdict)> {
        let begun = [
            r#""type":"breaker.changed","breaker":"b","from":"open","to":"half_open","reason":"","generation":3"#,
            r#""type":"attempt.started","call":"c","attempt":1,"probe":true,"generation":3"#,
        ];
        let mut lines = String::new();
        for (seq, rest) in begun.iter().chain(rest).enumerate() {
            lines += &format!(r#"{{"v":1,"source":"s","seq":{seq},"time":{seq},"policy":"p",{rest}}}"#);
            lines.push('\n');
        }
        probes(&lines)
    }

    const FAILED: &str = r#""type":"attempt.failed","call":"c","attempt":1,"durationMs":1,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r","counted":true"#;

    #[test]
    fn where_attempts_are_counted_the_first_that_fails_is_what_the_probe_said() {
        let opened = r#""type":"breaker.changed","breaker":"b","from":"half_open","to":"open","reason":"","generation":4,"retryAt":9"#;
        let wait = r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":1,"dueAt":9,"minMs":1,"maxMs":1,"delaySource":"backoff""#;
        assert_eq!(probes_after(&[FAILED, wait]), [(3, Verdict::Running)]);
        assert_eq!(probes_after(&[FAILED, opened, wait]), [(3, Verdict::Failed)]);
        let refused = r#""type":"call.rejected","call":"c","code":"CIRCUIT_OPEN","by":"breaker""#;
        assert_eq!(probes_after(&[FAILED, opened, wait, refused]), [(3, Verdict::Failed)]);
    }

    #[test]
    fn an_end_that_counts_for_nothing_says_nothing() {
        let uncounted = FAILED.replace(r#""counted":true"#, r#""counted":false"#);
        let ends = r#""type":"call.failed","call":"c","attempts":1,"durationMs":1,"code":"CANCELLED","why":"cancelled","userMessage":"""#;
        assert_eq!(probes_after(&[&uncounted, ends]), [(3, Verdict::Nothing)]);
        assert_eq!(probes_after(&[ends]), [(3, Verdict::Nothing)]);
        assert_eq!(probes_after(&[FAILED, ends]), [(3, Verdict::Failed)]);
    }
}
