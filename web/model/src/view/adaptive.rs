//! Adaptive limits in the Breakers view: a line for each policy that has one, over the time of a breaker's track.

use crate::format::{count, times};
use halfopen_store::policy::PolicyId;
use halfopen_store::scope::{Scope, Span};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fmt::Write;

/// Most lines of policies whose breaker has no track.
const MOST: usize = 20;
/// Most parts of a line with a height of their own.
const COLUMNS: usize = 200;

/// The limit of one policy over time.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitLine {
    pub policy: String,
    /// The line as an SVG path in a box of 100 × 100: its top is the highest limit of this time, its bottom 0.
    pub path: String,
    /// The limit now and before, in words.
    pub says: String,
}

/// A moment as a share of the time that a line is over.
pub type Share<'a> = &'a dyn Fn(Moment) -> f64;

/// The line of a policy between two moments; nothing for a policy that had no adaptive limit then.
pub fn line(log: &Log, policy: PolicyId, (from, to): (Moment, Moment), share: Share) -> Option<LimitLine> {
    let limit = log.adaptive_limit(policy)?;
    let spans: Vec<_> = limit.spans(from, to).collect();
    let most = spans.iter().map(|span| span.2).max()?;
    let least = spans.iter().map(|span| span.2).min()?;
    let mut says = match limit.last() {
        Some(now) => format!("at most {} at once", count(now.into())),
        None => "no limit any more".to_owned(),
    };
    if least < most {
        let _ = write!(says, ", {} to {} in this time", count(least.into()), count(most.into()));
    }
    let lowered = || limit.changes.iter().filter(|one| one.at >= from && one.at <= to && !one.code.is_none());
    if let Some(last) = lowered().next_back() {
        let (code, times) = (log.names.text(last.code), times(lowered().count() as u64));
        let _ = write!(says, "; lowered {times}, last by {code}");
    }
    Some(LimitLine { policy: log.names.text(policy.name).to_owned(), path: path(&spans, share, most), says })
}

/// The lines of the policies of a scope whose breaker has no track: without one, or with one that has not changed yet.
pub fn without_track(log: &Log, scope: &Scope, range: f64, now: Moment) -> Vec<LimitLine> {
    let (from, now) = time_of(log, scope.span, range, now);
    let of_scope = scope.policies(log);
    let alone = log.policies().filter(|&policy| {
        log.breaker_of(policy).is_none() && of_scope.as_ref().is_none_or(|all| all.contains(policy))
    });
    alone.filter_map(|policy| line(log, policy, (from, now), &|at| share(at, from, now))).take(MOST).collect()
}

/// The time of a track: the selected time, else the last `range` milliseconds, or the whole log if that is 0.
pub fn time_of(log: &Log, span: Option<Span>, range: f64, now: Moment) -> (Moment, Moment) {
    let (begins, ends) = log.bounds().unwrap_or((now, now));
    match span {
        Some(span) => (span.from.max(begins), span.to.min(now.max(ends))),
        None if range > 0.0 => ((now - range).max(begins), now),
        None => (begins, now),
    }
}

/// A moment as a share of the time between two others.
pub fn share(at: Moment, from: Moment, to: Moment) -> f64 {
    (at - from) / (to - from).max(1.0)
}

/// The steps of a line: of each column the lowest limit, so that no dip is lost.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "two hundred columns"
)]
fn path(spans: &[(Moment, Moment, u32)], share: Share, most: u32) -> String {
    let mut columns = [None::<u32>; COLUMNS];
    let column = |at: Moment| (share(at) * COLUMNS as f64).clamp(0.0, COLUMNS as f64);
    for &(begins, ends, limit) in spans {
        let first = (column(begins).floor() as usize).min(COLUMNS - 1);
        let last = (column(ends).ceil() as usize).max(first + 1);
        for lowest in columns.get_mut(first..last).unwrap_or_default() {
            *lowest = Some(lowest.map_or(limit, |lowest| lowest.min(limit)));
        }
    }
    let mut path = String::new();
    let mut before = None;
    let width = 100.0 / COLUMNS as f64;
    for (place, limit) in columns.into_iter().enumerate() {
        if limit != before {
            let (x, y) = (place as f64 * width, |limit: u32| {
                100.0 - f64::from(limit) / f64::from(most.max(1)) * 100.0
            });
            let _ = match (before, limit) {
                (Some(_), Some(limit)) => write!(path, "H{x}V{:.1}", y(limit)),
                (Some(_), None) => write!(path, "H{x}"),
                (None, Some(limit)) => write!(path, "M{x} {:.1}", y(limit)),
                (None, None) => Ok(()),
            };
            before = limit;
        }
    }
    if before.is_some() {
        path.push_str("H100");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use crate::view::breakers::{Shown, describe};

    fn track(stage: &Stage) -> Vec<LimitLine> {
        let log = stage.log();
        let breaker = log.breakers.iter().next().unwrap();
        let shown = Shown { range: 0.0, opening: None, clock: &|at| format!("{:.0}", at.ms()) };
        describe(&log, breaker, &Scope::default(), 0, shown, log.bounds().unwrap().1).limits
    }

    #[test]
    fn the_line_of_a_policy_stands_beside_the_track_of_its_breaker() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"adaptive":true,"breaker":{"failureThreshold":5}}"#).pass(49_990.0);
        stage.limited("chat", 14, Some("PROVIDER_OVERLOADED")).pass(24_990.0);
        stage.limited("chat", 28, None).pass(24_980.0);
        stage.call("chat");
        let lines = track(&stage);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].policy, "chat");
        // 20 for half of the time, 14 for a quarter, 28 for a quarter.
        assert_eq!(lines[0].path, "M0 28.6H50V50.0H75V0.0H100");
        assert_eq!(
            lines[0].says,
            "at most 28 at once, 14 to 28 in this time; lowered once, last by PROVIDER_OVERLOADED"
        );
        assert!(
            without_track(&stage.log(), &Scope::default(), 0.0, stage.log().bounds().unwrap().1).is_empty()
        );
    }

    #[test]
    fn a_policy_without_an_adaptive_limit_has_no_line() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"breaker":{"failureThreshold":5}}"#).pass(1000.0).call("chat");
        assert!(track(&stage).is_empty());
    }

    #[test]
    fn a_policy_whose_breaker_has_no_track_has_a_line_of_its_own() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"adaptive":{"initial":10},"breaker":false}"#).pass(990.0);
        stage.policy("chat", r#"{"breaker":false}"#).pass(980.0);
        stage.call("chat");
        let log = stage.log();
        let lines = without_track(&log, &Scope::default(), 0.0, log.bounds().unwrap().1);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].says, "no limit any more");
        assert!(lines[0].path.starts_with("M0 0.0H5"), "{}", lines[0].path);
        assert!(!lines[0].path.ends_with("H100"), "{}", lines[0].path);
        // Of a time after that nothing is left.
        assert!(without_track(&log, &Scope::default(), 10.0, log.bounds().unwrap().1).is_empty());
    }

    #[test]
    fn a_dip_that_is_narrower_than_a_column_is_seen() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"adaptive":true,"breaker":{"failureThreshold":5}}"#).pass(100_000.0);
        stage.limited("chat", 1, Some("TIMEOUT")).limited("chat", 20, None).pass(99_970.0);
        stage.call("chat");
        assert_eq!(track(&stage)[0].path, "M0 0.0H50V95.0H50.5V0.0H100");
    }
}
