//! What the Findings view shows: a card for each finding, with the places in the log where it can be seen.

use crate::check::{Evidence, Finding, FindingKey, Grade, Group, Setting, grouped};
use crate::format::count;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// What the view shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Findings {
    /// The checks have not looked at the whole log yet.
    Checking,
    Nothing,
    Cards(Vec<Card>),
}

impl Findings {
    /// The cards, the worst first; none before there are any.
    pub fn cards(&self) -> &[Card] {
        match self {
            Self::Checking | Self::Nothing => &[],
            Self::Cards(cards) => cards,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub key: FindingKey,
    pub grade: Grade,
    pub title: String,
    pub what: String,
    pub fix: String,
    pub settings: Vec<Setting>,
    /// Whether the log lacks the policy's options, so that what a setting is now stands only where the policy is made.
    pub lacks_options: bool,
    /// The fix as code, to copy; may be empty.
    pub code: String,
    /// Where it can be seen: the link's text, and where it leads.
    pub places: Vec<(String, Evidence)>,
}

/// A check with its findings, as a card shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub check: &'static str,
    pub grade: Grade,
    pub title: String,
    /// The advice, if several findings share it.
    pub fix: Option<String>,
    /// Its findings, the worst first.
    pub keys: Vec<FindingKey>,
}

/// The checks that found something, the worst first; none while it is not known, which [`findings`] says.
pub fn heads(log: &Log, found: Option<&[Finding]>) -> Vec<Head> {
    let head = |group: Group<'_>| Head {
        check: group.check,
        grade: group.grade,
        title: group.title(log),
        fix: group.fix().map(str::to_owned),
        keys: group.findings.iter().map(|finding| finding.key).collect(),
    };
    found.map_or_else(Vec::new, |found| grouped(found).into_iter().map(head).collect())
}

/// The sign beside the name of the view: the number of checks that found something, if any; "…" until they have looked at the
/// whole log.
pub fn badge(found: Option<&[Finding]>) -> Option<String> {
    let Some(found) = found else { return Some("…".to_owned()) };
    let checks = grouped(found).len();
    (checks > 0).then(|| count(checks as u64))
}

/// The cards of what the checks found; `None` before they have looked at the whole log. `clock` writes a moment.
pub fn findings(log: &Log, found: Option<&[Finding]>, clock: &dyn Fn(Moment) -> String) -> Findings {
    match found {
        None => Findings::Checking,
        Some([]) => Findings::Nothing,
        Some(all) => Findings::Cards(all.iter().map(|finding| card(log, finding, clock)).collect()),
    }
}

fn card(log: &Log, finding: &Finding, clock: &dyn Fn(Moment) -> String) -> Card {
    let Finding { key, grade, title, what, fix, settings, code, evidence } = finding.clone();
    Card {
        key,
        grade,
        title,
        what,
        fix,
        lacks_options: settings.iter().any(|setting| setting.now.is_none()),
        settings,
        code,
        places: evidence.into_iter().map(|one| (name(log, &one, clock), one)).collect(),
    }
}

/// The name of a place in the log, with its time: calls may have the same title.
fn name(log: &Log, evidence: &Evidence, clock: &dyn Fn(Moment) -> String) -> String {
    let text = |name| log.names.text(name);
    match *evidence {
        Evidence::Call(number) => log.call(number).map_or_else(
            || "a call that was dropped".to_owned(),
            |call| format!("{} {} at {}", call.status.sign(), text(call.title()), clock(call.started)),
        ),
        Evidence::Run(number) => log.runs.get(number).map_or_else(
            || "a run that was dropped".to_owned(),
            |run| format!("run {} at {}", text(run.title()), clock(run.started)),
        ),
        Evidence::Breaker(id) => format!("breaker {}", text(id.name)),
        Evidence::Group(code, rule) => format!("{} by {}", text(code), text(rule)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::find;
    use crate::check::stage::Stage;

    fn seconds(at: Moment) -> String {
        format!("{:.1} s", at.ms() % 60_000.0 / 1_000.0)
    }

    fn cards(log: &Log) -> Vec<Card> {
        findings(log, Some(&find(log)), &seconds).cards().to_vec()
    }

    #[test]
    fn before_the_first_pass_it_says_that_it_checks_and_after_it_that_nothing_was_found() {
        let log = Stage::new().log();
        assert_eq!(findings(&log, None, &seconds), Findings::Checking);
        assert_eq!(findings(&log, Some(&find(&log)), &seconds), Findings::Nothing);
    }

    #[test]
    fn the_badge_counts_checks_and_is_no_zero_before_the_first_pass() {
        let mut stage = Stage::new();
        assert_eq!(badge(None), Some("…".to_owned()));
        assert_eq!(badge(Some(&find(&stage.log()))), None);
        for policy in ["chat", "mail"] {
            stage.breaker(policy, "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        }
        let found = find(&stage.log());
        assert_eq!((found.len(), badge(Some(&found))), (2, Some("1".to_owned())));
    }

    #[test]
    fn a_card_links_to_the_calls_and_breakers_it_is_about() {
        let mut stage = Stage::new();
        stage.breaker("claude", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        for _ in 0..5 {
            let call = stage.pass(1_000.0).call("chat");
            stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted").fallback(call, "TIMEOUT");
        }
        let log = stage.log();
        let of = |check: &str| cards(&log).into_iter().find(|card| card.key.check == check).unwrap();
        let names = |card: &Card| card.places.iter().map(|place| place.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&of("hair-trigger")), ["breaker claude"]);
        let calls = names(&of("hidden-outage"));
        let ends = [calls.first(), calls.last()].map(|call| call.map(String::as_str));
        // The newest first.
        assert_eq!(ends, [Some("↪ chat at 45.2 s"), Some("↪ chat at 41.0 s")]);
        let apart: std::collections::BTreeSet<_> = calls.iter().collect();
        assert_eq!((calls.len(), apart.len()), (5, 5), "{calls:?}");
    }

    #[test]
    fn a_setting_without_its_present_value_says_that_the_log_lacks_the_options() {
        for (options, lacks) in [(None, true), (Some(r#"{"breaker":{"failureThreshold":1}}"#), false)] {
            let mut stage = Stage::new();
            if let Some(options) = options {
                stage.policy("claude", options);
            }
            stage.breaker("claude", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
            let log = stage.log();
            let card = cards(&log).into_iter().find(|card| card.key.check == "hair-trigger").unwrap();
            assert_eq!(card.lacks_options, lacks, "{options:?}");
        }
    }

    #[test]
    fn a_call_that_is_gone_is_named_as_such() {
        let log = Log::default();
        let evidence = Evidence::Call(halfopen_store::numbers::CallNumber(7));
        assert_eq!(name(&log, &evidence, &seconds), "a call that was dropped");
    }
}
