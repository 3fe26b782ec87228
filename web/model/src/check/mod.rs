//! Findings about settings that should change: a table of checks, and one pass over the log's calls for all of them.
//!
//! They read what the log keeps by call and breaker, never its lines. A pass can be made in steps, while more events
//! come: a log of a million events would else hold up the page.

mod advice_ignored;
mod budget_spent;
mod core_restarted;
mod empty_answers;
mod flapping;
mod futile_retries;
mod grouped;
mod hair_trigger;
mod hidden_outage;
mod long_timeout;
mod look;
mod loops;
mod nested_retries;
mod no_stall_timeout;
mod no_timeout;
mod policy_per_request;
mod repaired_often;
mod retry_after;
mod run_without_limit;
mod setting;
mod short_deadline;
mod short_timeout;
#[cfg(test)]
pub(crate) mod stage;
pub(crate) mod unknown_effects;
mod unknown_share;
mod unread_stream;
mod within;
mod words_alone;

pub use grouped::{Group, grouped};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::scope::{Calls, Scope};
use halfopen_store::store::Log;
pub use look::{Evidence, Grade};
use look::{Found, Look, MOST_EVIDENCE, called, ended_by, newest, row};
use setting::Advice;
pub use setting::Setting;

/// The identity of a finding, which stays while its numbers change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FindingKey {
    /// The check's id.
    pub check: &'static str,
    /// The policy by its name alone: an agent that was started again has the same fault.
    pub policy: Name,
    /// The index among the check's findings about policies of that name.
    pub nth: usize,
}

/// Something that a setting can mend.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub key: FindingKey,
    pub grade: Grade,
    /// The observation, in one line with its number.
    pub title: String,
    /// More details.
    pub what: String,
    /// The advice, in words.
    pub fix: String,
    /// The settings that do.
    pub settings: Vec<Setting>,
    /// And in code; may be nothing.
    pub code: String,
    /// Where to look, the most telling first.
    pub evidence: Vec<Evidence>,
}

/// A finding that harms a smaller share of its policy's calls is a risk.
const SLIGHT: f64 = 0.01;

/// The input of a check.
enum By {
    /// The calls, one by one.
    Calls(fn(&Log) -> Box<dyn Look>),
    /// The small tables of the log: breakers, groups of errors.
    Log(fn(&Log) -> Vec<Found>),
}

struct Check {
    id: &'static str,
    grade: Grade,
    by: By,
}

const CHECKS: &[Check] = &[
    Check { id: "hidden-outage", grade: Grade::Harm, by: By::Calls(hidden_outage::begin) },
    Check { id: "short-timeout", grade: Grade::Harm, by: By::Calls(short_timeout::begin) },
    Check { id: "retry-after", grade: Grade::Harm, by: By::Calls(retry_after::begin) },
    Check { id: "nested-retries", grade: Grade::Harm, by: By::Calls(nested_retries::begin) },
    Check { id: "unread-stream", grade: Grade::Harm, by: By::Calls(unread_stream::begin) },
    Check { id: "core-restarted", grade: Grade::Harm, by: By::Log(core_restarted::look) },
    Check { id: "unknown-effects", grade: Grade::Harm, by: By::Log(unknown_effects::look) },
    Check { id: "loop", grade: Grade::Harm, by: By::Log(loops::look) },
    Check { id: "advice-ignored", grade: Grade::Harm, by: By::Log(advice_ignored::look) },
    Check { id: "run-without-limit", grade: Grade::Risk, by: By::Log(run_without_limit::look) },
    Check { id: "policy-per-request", grade: Grade::Risk, by: By::Calls(policy_per_request::begin) },
    Check { id: "futile-retries", grade: Grade::Risk, by: By::Calls(futile_retries::begin) },
    // Before `flapping`, of which it is the cause for some breakers: they have the same share of calls.
    Check { id: "hair-trigger", grade: Grade::Note, by: By::Calls(hair_trigger::begin) },
    Check { id: "flapping", grade: Grade::Risk, by: By::Calls(flapping::begin) },
    Check { id: "short-deadline", grade: Grade::Risk, by: By::Calls(short_deadline::begin) },
    Check { id: "long-timeout", grade: Grade::Risk, by: By::Calls(long_timeout::begin) },
    Check { id: "no-timeout", grade: Grade::Risk, by: By::Calls(no_timeout::begin) },
    Check { id: "no-stall-timeout", grade: Grade::Risk, by: By::Calls(no_stall_timeout::begin) },
    Check { id: "repaired-often", grade: Grade::Risk, by: By::Calls(repaired_often::begin) },
    Check { id: "empty-answers", grade: Grade::Risk, by: By::Calls(empty_answers::begin) },
    Check { id: "unknown-share", grade: Grade::Risk, by: By::Log(unknown_share::look) },
    Check { id: "budget-spent", grade: Grade::Note, by: By::Calls(budget_spent::begin) },
    Check { id: "words-alone", grade: Grade::Note, by: By::Calls(words_alone::begin) },
];

/// One look at the calls of a scope, in any number of steps.
pub struct Pass {
    scope: Scope,
    /// Leaves out the findings of other calls. `None` for the whole log: a program that never looks at a part of one, such as
    /// the commands, does not carry it.
    keeps: Option<within::Keeps>,
    /// The checks that look at calls, in the order of the table.
    looks: Vec<Box<dyn Look>>,
    /// The next call; of a scope that is not the whole log, its index.
    next: u32,
}

impl Pass {
    /// A look at the whole log.
    pub fn begin(log: &Log) -> Self {
        let looks = CHECKS.iter().filter_map(|check| match check.by {
            By::Calls(begin) => Some(begin(log)),
            By::Log(_) => None,
        });
        Self { scope: Scope::default(), keeps: None, looks: looks.collect(), next: 0 }
    }

    /// A look at the calls of a scope.
    pub fn of(log: &Log, scope: Scope) -> Self {
        let mut pass = Self::begin(log);
        if !scope.is_all() {
            pass.looks.iter_mut().for_each(|look| look.narrow(&scope.calls));
            pass.keeps = Some(within::keeps);
        }
        Self { scope, ..pass }
    }

    /// Looks at up to that number of further calls. Returns `true` if there are others yet.
    pub fn step(&mut self, log: &Log, calls: u32) -> bool {
        let scope = match &self.scope.calls {
            Calls::All => None,
            Calls::Only(numbers) => Some(numbers),
        };
        let there = log.numbers();
        #[expect(clippy::cast_possible_truncation, reason = "calls are numbered by u32")]
        let (start, end) = scope.map_or((there.start.0, there.end.0), |numbers| (0, numbers.len() as u32));
        let from = self.next.max(start);
        self.next = end.min(from.saturating_add(calls));
        for index in from..self.next {
            let number =
                scope.map_or(Some(CallNumber(index)), |numbers| numbers.get(index as usize).copied());
            if let Some((number, call)) = number.and_then(|number| Some((number, log.call(number)?))) {
                for look in &mut self.looks {
                    look.call(log, number, call);
                }
            }
        }
        self.next < end
    }

    /// Everything that was found, the worst first: by its grade, then by the share of the policy's calls that are worse off.
    pub fn findings(self, log: &Log) -> Vec<Finding> {
        let mut all: Vec<(f64, Finding)> = Vec::new();
        let mut looks = self.looks.into_iter();
        let keeps = self.keeps.map(|keeps| keeps(log, &self.scope));
        for check in CHECKS {
            let mut found = match check.by {
                By::Calls(_) => looks.next().map(|mut look| look.found(log)).unwrap_or_default(),
                By::Log(look) => look(log),
            };
            found.retain_mut(|found| keeps.as_ref().is_none_or(|keeps| keeps(found)));
            let found = found.into_iter().map(|found| (share(log, &found), found)).collect();
            for (share, mut found) in merged(found) {
                found.evidence.truncate(MOST_EVIDENCE);
                let Found { policy, title, what, fix, advice, evidence, grade, hurt } = found;
                let Advice { settings, code } = advice;
                let of = (check.id, policy.name);
                let nth = all.iter().filter(|(_, other)| (other.key.check, other.key.policy) == of).count();
                let key = FindingKey { check: check.id, policy: policy.name, nth };
                let grade = grade.unwrap_or(check.grade);
                // Few calls of many come after what harms most of them. One act of unknown outcome is never few.
                let is_slight = matches!(check.by, By::Calls(_)) && hurt > 0 && share < SLIGHT;
                let grade = if is_slight { grade.max(Grade::Risk) } else { grade };
                all.push((share, Finding { key, grade, title, what, fix, settings, code, evidence }));
            }
        }
        order::sort_by(&mut all, |a, b| a.1.grade.cmp(&b.1.grade).then(b.0.total_cmp(&a.0)));
        all.into_iter().map(|(_, finding)| finding).collect()
    }
}

/// The share of the policy's calls that it harms; the share of all calls if it concerns no single policy.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn share(log: &Log, found: &Found) -> f64 {
    let of_policy = log.summaries.iter().find(|one| one.id == found.policy);
    let calls = of_policy.map_or(log.totals.calls, |one| one.calls);
    (found.hurt as f64 / calls.max(1) as f64).min(1.0)
}

/// Findings that several processes have of one policy's name, and that ask for the same, as one: an agent that was started
/// again has its faults again. The last one stays, with the largest share of calls that are worse off.
fn merged(found: Vec<(f64, Found)>) -> Vec<(f64, Found)> {
    let mut merged: Vec<(f64, Found, u64)> = Vec::new();
    for (share, one) in found {
        let same = merged.iter_mut().find(|(_, other, _)| {
            other.policy.name == one.policy.name
                && other.policy.source != one.policy.source
                && (&other.advice, &other.fix) == (&one.advice, &one.fix)
        });
        match same {
            Some((most, other, more)) => {
                *other = one;
                *most = most.max(share);
                *more += 1;
            }
            None => merged.push((share, one, 0)),
        }
    }
    let with_count = |(share, mut found, more): (f64, Found, u64)| {
        if more > 0 {
            let others = if more == 1 { "another process".into() } else { format!("{more} other processes") };
            found.what = format!("{} The same holds in {others}.", found.what);
        }
        (share, found)
    };
    merged.into_iter().map(with_count).collect()
}

/// Everything that the checks find, at once.
#[cfg(test)]
pub fn find(log: &Log) -> Vec<Finding> {
    let mut pass = Pass::begin(log);
    pass.step(log, u32::MAX);
    pass.findings(log)
}

#[cfg(test)]
mod tests {
    use super::stage::Stage;
    use super::*;

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = CHECKS.iter().map(|check| check.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CHECKS.len());
    }

    #[test]
    fn harm_to_few_of_many_calls_is_a_risk() {
        let grade = |healthy: usize| {
            let mut stage = Stage::new();
            for _ in 0..healthy {
                let call = stage.call("chat");
                stage.succeed(call);
            }
            for _ in 0..5 {
                let call = stage.call("chat");
                stage
                    .fail(call, "TIMEOUT", "r")
                    .give_up(call, "TIMEOUT", "exhausted")
                    .fallback(call, "TIMEOUT");
            }
            let found = find(&stage.log());
            found.iter().find(|one| one.key.check == "hidden-outage").map(|one| one.grade)
        };
        assert_eq!([grade(400), grade(600)], [Some(Grade::Harm), Some(Grade::Risk)]);
    }

    #[test]
    fn the_page_on_the_dashboard_lists_them_all() {
        let page = include_str!("../../../../docs/dashboard.md");
        let missing: Vec<_> =
            CHECKS.iter().map(|check| check.id).filter(|id| !page.contains(&format!("| `{id}` |"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn what_two_processes_do_is_not_put_together() {
        let mut stage = Stage::new();
        // One of them has no answer but the fallback's, the other answers.
        for _ in 0..6 {
            let call = stage.process("ill").call("openai");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            stage.fallback(call, "SERVER_ERROR");
            let call = stage.process("well").call("openai");
            stage.succeed(call);
        }
        stage.process("well").policy("openai", r#"{"onError":"function"}"#);
        let found = stage.found("hidden-outage");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "Only the fallback answered 6 calls of 'openai' in a row");
        assert!(found[0].what.contains("nobody was notified"), "the other's options: {}", found[0].what);
    }

    #[test]
    fn an_agent_that_was_started_again_has_its_finding_once() {
        let mut stage = Stage::new();
        for process in ["monday", "tuesday", "wednesday"] {
            stage.process(process).policy("openai", r#"{"timeout":{"totalMs":800}}"#);
        }
        let found = stage
            .process("thursday")
            .policy("openai", r#"{"timeout":{"totalMs":700}}"#)
            .found("short-deadline");
        let whats: Vec<_> = found.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(
            whats,
            [
                "So no retry can begin. 0 calls ended that way. The same holds in 2 other processes.",
                "So no retry can begin. 0 calls ended that way."
            ]
        );
    }

    #[test]
    fn a_finding_keeps_its_key_while_its_numbers_change_and_others_come() {
        let mut stage = Stage::new();
        let fall_back = |stage: &mut Stage, policy: &str| {
            let call = stage.call(policy);
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            stage.fallback(call, "SERVER_ERROR");
        };
        for _ in 0..5 {
            fall_back(&mut stage, "chat");
        }
        let before = stage.found("hidden-outage");
        for _ in 0..5 {
            fall_back(&mut stage, "chat");
            fall_back(&mut stage, "search");
        }
        let after = stage.found("hidden-outage");
        assert_ne!(before[0].title, after[0].title);
        assert_eq!(before[0].key, after[0].key);
        assert_ne!(after[0].key, after[1].key);
    }

    #[test]
    fn two_findings_of_one_check_about_one_policy_have_two_keys() {
        let mut stage = Stage::new();
        for total in [800, 700] {
            stage
                .process(&total.to_string())
                .policy("chat", &format!(r#"{{"timeout":{{"totalMs":{total}}}}}"#));
        }
        let keys: Vec<_> = stage.found("short-deadline").into_iter().map(|one| one.key.nth).collect();
        assert_eq!(keys, [0, 1]);
    }

    #[test]
    fn a_healthy_day_has_no_finding() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"retry":{"maxRetries":3},"timeout":{"attemptMs":2000,"totalMs":30000}}"#);
        for task in 0..200 {
            let call = stage.call("openai");
            if task % 9 == 0 {
                stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 1_000.0, "backoff").succeed(call);
            } else if task % 14 == 0 {
                stage
                    .fail_with(call, "RATE_LIMITED", "http.429", Some(700.0))
                    .wait(call, 700.0, "retry-after")
                    .succeed(call);
            } else {
                stage.succeed(call);
            }
        }
        assert_eq!(find(&stage.log()), []);
    }

    #[test]
    fn the_recorded_incident_leads_to_the_settings_that_would_have_helped() {
        let mut log = Log::default();
        for line in include_str!("../../../../tests/fixtures/incident.jsonl").lines() {
            assert!(log.take(line), "{line}");
        }
        let found: Vec<_> = find(&log).into_iter().map(|one| one.title).collect();
        assert_eq!(
            found,
            [
                "Only the fallback answered 9 calls of 'support-desk' in a row",
                "10 retries of SERVER_ERROR in a row, and none succeeded"
            ]
        );
    }

    #[test]
    fn a_pass_in_steps_finds_what_one_at_once_does_while_events_come() {
        let lines: Vec<_> = include_str!("../../../../tests/fixtures/incident.jsonl").lines().collect();
        let (before, after) = lines.split_at(lines.len() / 2);
        let mut log = Log::default();
        for line in before {
            log.take(line);
        }
        let mut pass = Pass::begin(&log);
        assert!(pass.step(&log, 5));
        for line in after {
            log.take(line);
        }
        while pass.step(&log, 5) {}
        assert_eq!(pass.findings(&log), find(&log));
    }

    #[test]
    fn the_demonstration_has_the_troubles_that_it_plays_and_no_other() {
        let mut demo = halfopen_answers::Demo::new(1_700_000_000_000.0);
        let mut log = Log::default();
        for line in demo.run_until(300_000).lines() {
            log.take(line);
        }
        let found: Vec<_> = find(&log).into_iter().map(|one| one.key.check).collect();
        assert_eq!(found, ["hidden-outage", "retry-after", "futile-retries"]);
    }

    #[test]
    fn an_empty_log_and_a_hostile_one_have_no_finding() {
        assert_eq!(find(&Log::default()), []);
        let mut log = Log::default();
        for line in [
            r#"{"v":1,"source":"s","seq":0,"time":1,"policy":"<b>","type":"policy.configured","options":{"timeout":"no","retry":[],"breaker":{"failureThreshold":"x"}},"seed":1}"#,
            r#"{"v":1,"source":"s","seq":1,"time":2,"call":"c","type":"call.failed","attempts":0,"durationMs":0,"code":"","why":"","userMessage":""}"#,
        ] {
            log.take(line);
        }
        assert_eq!(find(&log), []);
    }
}
