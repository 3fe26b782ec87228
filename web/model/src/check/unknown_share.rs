//! Failures that no rule knows, more than a few. They are not retried, and their messages say little.

use super::setting::{Options, Wish};
use super::{Evidence, Found};
use crate::format::{count as written, percent};
use halfopen_store::order;
use halfopen_store::store::Log;
use std::cmp::Reverse;

/// A share of the failed attempts that is worth a rule, and how many there must be at least.
const SHARE: f64 = 0.1;
const LEAST: u64 = 3;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let all: u64 = log.groups.failed().map(|group| group.count).sum();
    let mut unknown: Vec<_> =
        log.groups.failed().filter(|group| log.names.text(group.key.parts().0) == "UNKNOWN").collect();
    let count: u64 = unknown.iter().map(|group| group.count).sum();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = count as f64 / all.max(1) as f64;
    if count < LEAST || share <= SHARE {
        return Vec::new();
    }
    order::sort_by_key(&mut unknown, |group| Reverse(group.count));
    let sample = unknown.iter().find_map(|group| {
        let call = log.call(group.samples.back()?.call)?;
        Some(call.policy_id())
    });
    let policy = sample.unwrap_or_default();
    let classify =
        "(error) =>\n    error?.name === 'MyError' ? { code: 'SERVER_ERROR', retryable: true } : undefined";
    vec![Found {
        policy,
        title: format!(
            "{} of {} failed attempts are UNKNOWN ({})",
            written(count),
            written(all),
            percent(share)
        ),
        what: "No rule recognises these errors: they are not retried, and users read a message that does not help.".into(),
        fix: "Throw an AgentError with a code, or add a classifier to the policy.".into(),
        advice: Options::of(log, policy).advise(log, policy, vec![Wish("classify", "", classify.into())], ""),
        hurt: count,
        grade: None,
        evidence: unknown.iter().map(|group| {
            let (code, rule) = group.key.parts();
            Evidence::Group(code, rule)
        }).collect(),
    }]
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn day(unknown: usize, known: usize) -> Stage {
        let mut stage = Stage::new();
        for number in 0..unknown + known {
            let call = stage.call("openai");
            let (code, rule) =
                if number < unknown { ("UNKNOWN", "unknown") } else { ("SERVER_ERROR", "http.5xx") };
            stage.fail(call, code, rule).give_up(call, code, "not-retryable");
        }
        stage
    }

    #[test]
    fn more_than_a_tenth_is_found_and_leads_to_its_group() {
        let found = day(4, 10).found("unknown-share");
        assert_eq!((found.len(), found[0].evidence.len()), (1, 1));
        assert_eq!(found[0].title, "4 of 14 failed attempts are UNKNOWN (29 %)");
    }

    #[test]
    fn a_few_are_not() {
        assert_eq!(day(2, 0).found("unknown-share"), []);
        assert_eq!(day(3, 40).found("unknown-share"), []);
    }
}
