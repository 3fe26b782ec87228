//! Acts that happen once, and of which nobody knows whether they have: each waits for a person.

use super::setting::Advice;
use super::{Found, row};
use crate::format::{number_of, span};
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// The characters of a key that `effects list` shows.
pub(crate) const SHORT_KEY: usize = 12;

/// The acts of one name: how many, and the oldest.
#[derive(Default)]
struct Unknown<'a> {
    count: u64,
    oldest: Option<(Moment, &'a str)>,
}

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut all: Vec<(&str, Unknown<'_>)> = Vec::new();
    for (key, act) in log.effects.unknown() {
        let of_name = row(&mut all, &*act.name);
        of_name.count += 1;
        if of_name.oldest.is_none_or(|(since, _)| act.since < since) {
            of_name.oldest = Some((act.since, key));
        }
    }
    let say = |(name, Unknown { count, oldest }): (&str, Unknown<'_>)| {
        let (since, key) = oldest?;
        let key: String = key.chars().take(SHORT_KEY).collect();
        let waits = log.bounds().map_or_else(String::new, |(_, ends)| {
            format!(" The oldest has been unknown for {}.", span(ends - since))
        });
        Some(Found {
            policy: PolicyId::default(),
            title: format!("It is not known whether {} of '{name}' happened", number_of(count, "act")),
            what: format!(
                "The answer was lost, or the process died. No later call with that key acts.{waits}"
            ),
            fix: format!(
                "Look whether each has happened, then settle it: `npx halfopen effects list`, `npx halfopen effects settle {name} {key} happened` or `not-happened`. A `verify` that looks by itself saves the next ones."
            ),
            advice: Advice::default(),
            hurt: count,
            evidence: Vec::new(),
            grade: None,
        })
    };
    all.into_iter().filter_map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn unknown_acts_are_counted_with_the_oldest_and_what_to_do() {
        let mut stage = Stage::new();
        let act = |key: &str| format!(r#""name":"refund","key":"{key}0123456789abcdef""#);
        stage.event("effect.claimed", &format!(r#"{},"attempt":1"#, act("aaaa")));
        assert_eq!(stage.found("unknown-effects"), []);
        stage.event("effect.unknown", &act("bbbb")).pass(60_000.0);
        stage.event("effect.unknown", &act("aaaa")).event("effect.unknown", &act("cccc"));
        stage.event("effect.settled", &format!(r#"{},"happened":true"#, act("cccc")));
        let found = stage.found("unknown-effects");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "It is not known whether 2 acts of 'refund' happened");
        assert!(found[0].what.ends_with("The oldest has been unknown for 1 m 00 s."), "{}", found[0].what);
        assert!(found[0].fix.contains("effects settle refund bbbb01234567 happened`"), "{}", found[0].fix);
        stage.event("effect.verified", &format!(r#"{},"happened":false"#, act("aaaa")));
        stage.event("effect.reused", &act("bbbb"));
        assert_eq!(stage.found("unknown-effects"), []);
    }
}
