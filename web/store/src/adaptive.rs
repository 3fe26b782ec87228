//! The adaptive limit of one policy: how many attempts it let run at once, and from when.

use crate::names::Name;
use crate::time::Moment;
use halfopen_log::{Json, Shallow};
use std::collections::VecDeque;

/// Most changes that are kept for one policy.
const MOST: usize = 2_000;

/// The limit from a moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub at: Moment,
    /// `None` once the policy has no such limit.
    pub limit: Option<u32>,
    /// The error that lowered it, if overload did.
    pub code: Name,
}

/// The limit of one policy; empty until it has one.
#[derive(Clone, Debug, Default)]
pub struct AdaptiveLimit {
    /// Oldest first.
    pub changes: VecDeque<Change>,
}

impl AdaptiveLimit {
    /// The latest limit in the log.
    pub fn last(&self) -> Option<u32> {
        self.changes.back().and_then(|change| change.limit)
    }

    /// The policy's options were set: the limit begins, ends, or is moved into its new bounds. No event reports that change.
    #[inline(never)]
    pub(crate) fn configure(&mut self, at: Moment, options: &Json<'_>) {
        let limit = match options.at(&["adaptive"]) {
            None | Some(Shallow::Flag(false)) => None,
            Some(_) => {
                let number = |name: &str, default: f64| {
                    options.at(&["adaptive", name]).and_then(|value| value.as_f64()).unwrap_or(default)
                };
                // The defaults of `AdaptiveLimitOptions`.
                let min = number("min", 1.0).max(1.0);
                let max = number("max", 1000.0).max(min);
                let limit = self.last().map_or_else(|| number("initial", 20.0), f64::from);
                Some(whole(limit.clamp(min, max)))
            }
        };
        if limit != self.last() {
            self.push(Change { at, limit, code: Name::NONE });
        }
    }

    pub(crate) fn push(&mut self, change: Change) {
        if self.changes.len() >= MOST {
            self.changes.pop_front();
        }
        self.changes.push_back(change);
    }

    /// The limits from `from` to `to`, each with when it began and ended, oldest first.
    pub fn spans(&self, from: Moment, to: Moment) -> impl Iterator<Item = (Moment, Moment, u32)> {
        let ends = self.changes.iter().skip(1).map(|next| next.at).chain([to]);
        self.changes.iter().zip(ends).filter_map(move |(change, end)| {
            let (begins, ends) = (change.at.max(from), end.min(to));
            (begins < ends).then_some((begins, ends, change.limit?))
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = Name> {
        self.changes.iter().map(|change| change.code)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
fn whole(count: f64) -> u32 {
    count as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyId;
    use crate::stage::Stage;

    fn limits(stage: &mut Stage) -> Vec<Option<u32>> {
        let id = PolicyId { source: stage.log.names.number("agent"), name: stage.log.names.number("chat") };
        let known = stage.log.adaptive_limit(id).into_iter().flat_map(|limit| &limit.changes);
        known.map(|change| change.limit).collect()
    }

    fn changed(stage: &mut Stage, limit: u32) {
        let rest = format!(r#""policy":"chat","limit":{limit},"because":"overload","code":"TIMEOUT""#);
        stage.event("agent", "limit.changed", &rest);
    }

    #[test]
    fn it_begins_with_the_options_and_stays_within_those_of_an_update() {
        let mut stage = Stage::new();
        stage.policy("agent", "chat", r#"{"adaptive":{"initial":10}}"#);
        changed(&mut stage, 7);
        stage.policy("agent", "chat", r#"{"adaptive":{"initial":10,"max":5}}"#);
        stage.policy("agent", "chat", r#"{"adaptive":{"max":9}}"#);
        stage.policy("agent", "chat", r#"{"adaptive":false}"#);
        stage.policy("agent", "chat", r#"{"adaptive":true}"#);
        assert_eq!(limits(&mut stage), [Some(10), Some(7), Some(5), None, Some(20)]);
    }

    #[test]
    fn a_log_that_begins_later_knows_it_from_its_first_change_on() {
        let mut stage = Stage::new();
        changed(&mut stage, 14);
        assert_eq!(limits(&mut stage), [Some(14)]);
        stage.policy("agent", "other", "{}");
        let other =
            PolicyId { source: stage.log.names.number("agent"), name: stage.log.names.number("other") };
        assert!(stage.log.adaptive_limit(other).is_none());
    }

    #[test]
    fn its_spans_are_those_within_a_range() {
        let at = Moment::from_ms;
        let change = |ms, limit| Change { at: at(ms), limit, code: Name::NONE };
        let limit = AdaptiveLimit {
            changes: [change(0.0, Some(20)), change(10.0, Some(14)), change(20.0, None)].into(),
        };
        let spans = |from, to| {
            limit
                .spans(at(from), at(to))
                .map(|(from, to, limit)| (from.ms(), to.ms(), limit))
                .collect::<Vec<_>>()
        };
        assert_eq!(spans(5.0, 30.0), [(5.0, 10.0, 20), (10.0, 20.0, 14)]);
        assert_eq!(spans(12.0, 15.0), [(12.0, 15.0, 14)]);
        assert_eq!(spans(25.0, 30.0), []);
    }
}
