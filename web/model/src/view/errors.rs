//! The Errors view: the failed attempts of a log, grouped by code and rule, the refused calls, grouped by code and by the part of
//! the policy that refused them, and the newest of one group.
//!
//! Most failed attempts are retried, so each group also counts the calls that failed by it: their users read its message.

use super::failure::{LONGEST, about_refusal, remedy, remedy_kind, thrown, user_message};
use super::recovery::{Recovery, recovery};
use crate::format::{cut, span};
use halfopen_answers::About;
use halfopen_log::{Event, Kind};
use halfopen_store::breaker::BreakerId;
use halfopen_store::call::{Call, Status};
use halfopen_store::group::{Group, Groups, Key, Sample as Failure};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::query::term;
use halfopen_store::scope::Span;
use halfopen_store::store::Log;
use halfopen_store::time::{Moment, Place};
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq)]
pub struct Row {
    pub key: Key,
    pub code: String,
    /// The rule, or the part of the policy that refused the calls.
    pub cause: String,
    /// The attempts that failed; 0 for refused calls.
    pub number: u64,
    /// The calls that ended with such a failure or refusal.
    pub ended: u64,
    pub last: String,
    pub trend: Vec<u32>,
    /// How much time the trend is over.
    pub over: String,
}

/// Most groups that are listed, and most calls of a group that are named; the rest is counted.
const MOST: usize = 200;
const NAMED: usize = 12;
/// Bars of a trend.
const BARS: usize = 40;

/// The part of the policy that refused calls, as in a sentence: `refused by the breaker`.
fn refused_by(part: &str) -> String {
    let part = match part {
        "rate-limit" => "rate limit",
        "adaptive" => "adaptive limit",
        "cost" => "cost limit",
        other => other,
    };
    format!("refused by the {part}")
}

/// The code of a group, and its rule or the part that refused its calls.
fn texts(log: &Log, key: Key) -> (String, String) {
    let (code, by) = key.parts();
    let by = log.names.text(by);
    (log.names.text(code).to_owned(), if key.is_refusal() { refused_by(by) } else { by.to_owned() })
}

/// The groups, those with the most failed attempts or failed calls first. Their trends are over the selected time, or over the
/// whole log. `clock` writes the moment of a group's last failure; without a clock, as while events come in, the row says how
/// long ago it was.
pub fn rows(
    log: &Log,
    groups: &Groups,
    now: Moment,
    now_at: Place,
    clock: Option<&dyn Fn(Moment) -> String>,
    selected: Option<Span>,
) -> (Vec<Row>, usize) {
    let (begins, ends) = log.bounds().unwrap_or((now, now));
    let (first, last, over) = match selected {
        Some(Span { from, to }) => {
            let (from, to) = (from.max(begins), to.min(now.max(ends)));
            (log.folds.place(from), log.folds.place(to), to - from)
        }
        None => (log.folds.place(begins), now_at, now.max(ends) - begins),
    };
    let over = span(over);
    let row = |group: &Group| {
        let (code, cause) = texts(log, group.key);
        Row {
            key: group.key,
            code,
            cause,
            number: if group.key.is_refusal() { 0 } else { group.count },
            ended: group.ended.count,
            last: match (clock, ((now - group.last).max(0.0) / 1_000.0).round()) {
                (Some(clock), _) => format!("at {}", clock(group.last)),
                (None, seconds) if seconds < 60.0 => format!("{seconds:.0} s ago"),
                (None, seconds) => format!("{} ago", span(seconds * 1_000.0)),
            },
            trend: group.trend.failures(first, last, BARS),
            over: over.clone(),
        }
    };
    let mut rows: Vec<_> = groups.iter().map(row).collect();
    order::sort_by_key(&mut rows, |row| Reverse((row.number.max(row.ended), row.ended)));
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    (rows, more)
}

#[derive(Clone, PartialEq)]
pub struct Sample {
    pub call: CallNumber,
    /// `true` if the call ended with this failure or refusal.
    pub is_end: bool,
    pub ended: EndedCalls,
    pub title: String,
    pub target: String,
    pub code: String,
    pub cause: Cause,
    pub others: Vec<Other>,
    /// How many attempts of the group failed, or calls were refused, where not all of their calls are named.
    pub of: Option<u64>,
    pub about: About,
    pub recovery: Option<Recovery>,
    /// Where the group's failures came from, where there is more than one such place.
    pub origins: Vec<Origins>,
}

/// Why the attempts of a group failed, or its calls were refused.
#[derive(Clone, PartialEq)]
pub enum Cause {
    Failed {
        rule: String,
        details: String,
        /// JSON, as the event has it.
        signals: String,
        facts: Vec<(&'static str, String)>,
    },
    Refused {
        /// `refused by the breaker`.
        by: String,
        /// The breakers that refused them, each with the number of these calls, the most first.
        breakers: Vec<(BreakerId, String, u64)>,
        /// Breakers that are not named.
        more: usize,
    },
}

impl Cause {
    /// The noun for the things that the group counts.
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "failed attempt",
            Self::Refused { .. } => "refused call",
        }
    }
}

/// The calls that ended with the failure or the refusal of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndedCalls {
    pub count: u64,
    /// The filter that lists them.
    pub filter: String,
    /// How many of them the log no longer has.
    pub evicted: u64,
    /// The failed attempts, or the refused calls, of the group.
    pub of: u64,
}

/// A call with a failure of the group, or refused so.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    pub call: CallNumber,
    pub title: String,
    pub status: Status,
    pub started: Moment,
}

/// Where failures came from, by one thing that processes say of themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Origins {
    /// "Process", "Host", …
    pub name: &'static str,
    /// The most frequent, each with the filter of its calls and how many failures it had.
    pub rows: Vec<(String, String, u64)>,
    pub more: usize,
}

/// Most origins that are named.
const ORIGINS: usize = 5;

/// The filter of a group's code, and of its rule or the part that refused its calls, by these two keys.
fn terms(log: &Log, group: Key, code: &str, by: &str) -> String {
    let names = group.parts();
    [(code, names.0), (by, names.1)]
        .map(|(key, name)| term(key, &[log.names.text(name).to_owned()]))
        .join(" ")
}

/// The breakers that refused the calls of a group, and how many more there are.
fn breakers(log: &Log, group: &Group) -> (Vec<(BreakerId, String, u64)>, usize) {
    let mut sums: BTreeMap<BreakerId, u64> = BTreeMap::new();
    for (&policy, number) in &group.sources {
        if let Some(breaker) = log.breaker_of(policy) {
            *sums.entry(breaker).or_default() += number;
        }
    }
    let several = log.processes() > 1;
    let name = |id: BreakerId| {
        let (name, process) = (log.names.text(id.name), log.names.text(id.source));
        if several { format!("{name} · {process}") } else { name.to_owned() }
    };
    let mut rows: Vec<_> = sums.into_iter().map(|(id, number)| (id, name(id), number)).collect();
    order::sort_by_key(&mut rows, |row| Reverse(row.2));
    let more = rows.len().saturating_sub(ORIGINS);
    rows.truncate(ORIGINS);
    (rows, more)
}

/// Where a group's failures came from: what all of them have in common says nothing.
fn origins(log: &Log, group: &Group) -> Vec<Origins> {
    let by = |name: &'static str, key: &str, of: &dyn Fn(Name) -> Name| {
        let mut sums: BTreeMap<Name, u64> = BTreeMap::new();
        for (policy, number) in &group.sources {
            *sums.entry(of(policy.source)).or_default() += number;
        }
        if sums.len() < 2 {
            return None;
        }
        let mut rows: Vec<_> = sums
            .into_iter()
            .map(|(name, number)| {
                let text = log.names.text(name).to_owned();
                let none = format!("-{key}:*");
                let filter = if text.is_empty() { none } else { term(key, std::slice::from_ref(&text)) };
                let by = if group.key.is_refusal() { "why" } else { "rule" };
                let filter = format!("{} {filter}", terms(log, group.key, "code", by));
                (if text.is_empty() { "not said".to_owned() } else { text }, filter, number)
            })
            .collect();
        order::sort_by(&mut rows, |a, b| (Reverse(a.2), &a.0).cmp(&(Reverse(b.2), &b.0)));
        let more = rows.len().saturating_sub(ORIGINS);
        rows.truncate(ORIGINS);
        Some(Origins { name, rows, more })
    };
    let all = [
        by("Process", "source", &|source| source),
        by("Host", "host", &|source| log.about(source).host),
        by("Deployment", "deployment", &|source| log.about(source).deployment),
        by("Version", "version", &|source| log.about(source).version),
    ];
    all.into_iter().flatten().collect()
}

/// The newest failure or refusal of one group, closely.
pub fn closer(log: &Log, groups: &Groups, key: Key) -> Option<Sample> {
    let group = groups.iter().find(|group| group.key == key)?;
    let text = |name| log.names.text(name).to_owned();
    let ended = &group.ended;
    // Most failed attempts are retried, and a call that was answered explains no message to a user.
    let ends = ended.calls.iter().rev().filter_map(|&number| {
        let call = log.call(number)?;
        if key.is_refusal() {
            return (call.status == Status::Rejected).then_some(Failure { call: number, ended_by: None });
        }
        Some(Failure { call: number, ended_by: Some(call.ended_with()?.ended_by?) })
    });
    let newest = ends.chain(group.samples.iter().rev().copied());
    let (code, by) = texts(log, key);
    let Looked { sample, is_end, cause, about, target } = match key {
        Key::Failed { .. } => newest.filter_map(|sample| failed(log, sample, &by)).next()?,
        Key::Refused { .. } => {
            let (breakers, more) = if log.names.text(key.parts().1) == "breaker" {
                breakers(log, group)
            } else {
                (Vec::new(), 0)
            };
            let cause = Cause::Refused { by, breakers, more };
            let (sample, call) = newest.filter_map(|sample| Some((sample, log.call(sample.call)?))).next()?;
            refused(log, sample, call, cause)
        }
    };
    let call = log.call(sample.call);
    let mut others: Vec<Other> = Vec::new();
    for &Failure { call: number, .. } in group.samples.iter().rev() {
        if others.len() < NAMED && others.iter().all(|other| other.call != number) {
            others.extend(log.call(number).map(|call| Other {
                call: number,
                title: text(call.title()),
                status: call.status,
                started: call.started,
            }));
        }
    }
    let named =
        group.samples.iter().filter(|one| others.iter().any(|other| other.call == one.call)).count() as u64;
    let filter = if key.is_refusal() {
        format!("{} status:{}", terms(log, key, "ended", "why"), Status::Rejected.word())
    } else {
        terms(log, key, "ended", "ended-rule")
    };
    Some(Sample {
        origins: origins(log, group),
        of: (named < group.count).then_some(group.count),
        call: sample.call,
        is_end,
        ended: EndedCalls { count: ended.count, filter, evicted: ended.evicted, of: group.count },
        // The log drops calls before the samples of a group.
        title: call.map_or_else(String::new, |call| text(call.title())),
        target,
        code,
        cause,
        others,
        about,
        recovery: call.and_then(|call| recovery(log, call, &user_message(log, call))),
    })
}

/// One failed attempt or refused call of a group.
struct Looked {
    sample: Failure,
    is_end: bool,
    cause: Cause,
    about: About,
    target: String,
}

/// A failed attempt, from its event; `None` if the log no longer has it.
fn failed(log: &Log, sample: Failure, rule: &str) -> Option<Looked> {
    let Kind::AttemptFailed(failed) = Event::parse(log.line(sample.ended_by?)).ok()?.kind else {
        return None;
    };
    let text = |name| log.names.text(name).to_owned();
    let call = log.call(sample.call);
    let attempt =
        call.and_then(|call| call.attempts.iter().find(|attempt| attempt.ended_by == sample.ended_by));
    let mut facts = thrown(&failed);
    facts.extend([
        ("Severity", cut(failed.severity.as_str(), 40)),
        ("Retryable", if failed.retryable { "yes" } else { "no" }.into()),
        ("Breaker", if failed.counted { "counted as a failure" } else { "not counted" }.into()),
    ]);
    facts.extend(failed.status_code.map(|status| ("HTTP status", status.to_string())));
    facts.extend(failed.request_id.as_ref().map(|id| ("Request id", cut(id.as_str(), 120))));
    facts.extend(failed.retry_after_ms.map(|ms| ("Retry-After", span(ms))));
    facts.extend(failed.remedy.as_ref().and_then(remedy).map(|remedy| ("Remedy", remedy)));
    Some(Looked {
        sample,
        is_end: call.and_then(|call| call.ended_with()?.ended_by) == sample.ended_by,
        cause: Cause::Failed {
            rule: rule.to_owned(),
            details: cut(failed.technical_details.as_str(), LONGEST),
            signals: failed.signals.as_str().to_owned(),
            facts,
        },
        about: About {
            provider: attempt.map_or_else(String::new, |attempt| text(attempt.provider)),
            model: attempt.map_or_else(String::new, |attempt| text(attempt.model)),
            tool: String::new(),
            retry_after_ms: failed.retry_after_ms,
            remedy: failed.remedy.as_ref().map_or_else(String::new, remedy_kind),
            refused_by: String::new(),
        },
        target: attempt.filter(|attempt| !attempt.provider.is_none()).map_or_else(String::new, |attempt| {
            format!(" · {} {}", text(attempt.provider), text(attempt.model))
        }),
    })
}

/// A refused call.
fn refused(log: &Log, sample: Failure, call: &Call, cause: Cause) -> Looked {
    let policy = Some(call.policy).filter(|policy| *policy != call.title());
    Looked {
        sample,
        is_end: call.status == Status::Rejected,
        cause,
        about: about_refusal(log, call),
        target: policy.map_or_else(String::new, |policy| format!(" · {}", log.names.text(policy))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::scope::Calls;

    fn seconds(at: Moment) -> String {
        format!("{:.0} s", at.ms() / 1_000.0)
    }

    fn shown(log: &Log, live: bool) -> (Vec<Row>, usize) {
        let (_, ends) = log.bounds().unwrap();
        let clock: Option<&dyn Fn(Moment) -> String> = if live { None } else { Some(&seconds) };
        rows(log, &log.groups, ends + 5_000.0, log.folds.place(ends), clock, None)
    }

    /// A call with one failed attempt.
    fn failure(stage: &mut Stage, code: &str, rule: &str) -> usize {
        let call = stage.call("chat");
        stage.fail(call, code, rule).give_up(call, code, "fatal");
        call
    }

    #[test]
    fn a_log_without_failures_has_no_groups() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed_with(call, "");
        assert!(shown(&stage.log(), true).0.is_empty());
    }

    #[test]
    fn the_most_frequent_errors_come_first() {
        let mut stage = Stage::new();
        for (code, rule, times) in [("TIMEOUT", "a", 1), ("RATE_LIMITED", "b", 3), ("UNKNOWN", "none", 2)] {
            for _ in 0..times {
                failure(&mut stage, code, rule);
            }
        }
        let (groups, more) = shown(&stage.log(), true);
        let groups: Vec<_> = groups.iter().map(|row| (row.code.as_str(), row.number)).collect();
        assert_eq!(groups, [("RATE_LIMITED", 3), ("UNKNOWN", 2), ("TIMEOUT", 1)]);
        assert_eq!(more, 0);
    }

    #[test]
    fn failures_are_counted_by_what_distinguishes_their_processes() {
        let mut stage = Stage::new();
        for (process, version, times) in [("w1", "1.4.0", 1), ("w2", "1.4.1", 3), ("w3", "1.4.1", 2)] {
            stage.process(process).started("one-host", version);
            for _ in 0..times {
                failure(&mut stage, "TIMEOUT", "r");
            }
        }
        let log = stage.log();
        let key = shown(&log, true).0[0].key;
        let [process, version] = &closer(&log, &log.groups, key).unwrap().origins[..] else {
            panic!("two expected")
        };
        let row = |name: &str, filter: &str, number| {
            (name.to_owned(), format!("code:TIMEOUT rule:r {filter}"), number)
        };
        assert_eq!((process.name, process.rows.len()), ("Process", 3));
        assert_eq!(version.name, "Version");
        assert_eq!(version.rows, [row("1.4.1", "version:1.4.1", 5), row("1.4.0", "version:1.4.0", 1)]);
    }

    #[test]
    fn groups_beyond_the_most_are_counted() {
        let mut stage = Stage::new();
        for number in 0..MOST + 7 {
            failure(&mut stage, "TIMEOUT", &format!("rule{number}"));
        }
        let (groups, more) = shown(&stage.log(), true);
        assert_eq!((groups.len(), more), (MOST, 7));
    }

    #[test]
    fn the_last_failure_is_so_long_ago_while_live_and_at_a_moment_in_a_file() {
        let mut stage = Stage::new();
        stage.policy("chat", "{}").pass(60_000.0);
        failure(&mut stage, "TIMEOUT", "r");
        let log = stage.log();
        assert_eq!(shown(&log, true).0[0].last, "5 s ago");
        assert_eq!(shown(&log, false).0[0].last, "at 1060 s");
        // The time is that of the last full second, so a failure may come after it.
        let before = log.bounds().unwrap().1 - 300.0;
        assert_eq!(rows(&log, &log.groups, before, log.folds.place(before), None, None).0[0].last, "0 s ago");
    }

    #[test]
    fn every_failure_of_a_group_is_in_its_trend() {
        let mut stage = Stage::new();
        for _ in 0..9 {
            failure(stage.pass(700.0), "TIMEOUT", "r");
        }
        let trend = &shown(&stage.log(), true).0[0].trend;
        assert_eq!((trend.len(), trend.iter().sum::<u32>()), (BARS, 9));
    }

    #[test]
    fn the_newest_failure_of_a_group_is_looked_at_with_the_calls_that_had_one() {
        let mut stage = Stage::new();
        let calls: Vec<_> = (0..3).map(|_| failure(&mut stage, "TIMEOUT", "r")).collect();
        let other = failure(&mut stage, "RATE_LIMITED", "r");
        let log = stage.log();
        let number = |call: usize| log.call_by_id(&format!("c{call}")).unwrap();
        let key = |call: usize| {
            let attempt = log.call(number(call)).unwrap().attempts.last().unwrap();
            Key::Failed { code: attempt.code, rule: attempt.rule }
        };
        let sample = closer(&log, &log.groups, key(calls[0])).unwrap();
        assert_eq!(sample.call, number(calls[2]));
        assert_eq!((sample.title.as_str(), sample.target.as_str()), ("chat", " · openai gpt-5"));
        let named: Vec<_> = sample.others.iter().map(|other| other.call).collect();
        assert_eq!(named, calls.iter().rev().map(|&call| number(call)).collect::<Vec<_>>());
        assert_eq!(sample.of, None);
        assert_eq!(closer(&log, &log.groups, key(other)).unwrap().call, number(other));
    }

    #[test]
    fn attempts_that_failed_are_counted_apart_from_calls_that_ended_so_and_the_last_one_is_such_a_call() {
        let mut stage = Stage::new();
        let failed = failure(&mut stage, "TIMEOUT", "r");
        let retried = stage.call("chat");
        stage.fail(retried, "TIMEOUT", "r").wait(retried, 100.0, "backoff").succeed(retried);
        let log = stage.log();
        let row = &shown(&log, false).0[0];
        assert_eq!((row.number, row.ended), (2, 1));
        let sample = closer(&log, &log.groups, row.key).unwrap();
        let number = |call: usize| log.call_by_id(&format!("c{call}")).unwrap();
        assert_eq!((sample.call, sample.is_end), (number(failed), true));
        assert_eq!((sample.ended.count, sample.ended.of), (1, 2));
        assert_eq!(sample.ended.filter, "ended:TIMEOUT ended-rule:r");
        let others: Vec<_> = sample.others.iter().map(|other| (other.call, other.status)).collect();
        assert_eq!(others, [(number(retried), Status::Succeeded), (number(failed), Status::Failed)]);
    }

    #[test]
    fn refused_calls_are_a_row_by_the_calls_that_ended_so_and_lead_to_their_breaker() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"breaker":{}}"#);
        for _ in 0..2 {
            let call = stage.call("chat");
            stage.fail(call, "TIMEOUT", "r").wait(call, 100.0, "backoff").succeed(call);
        }
        let failed = failure(&mut stage, "TIMEOUT", "r");
        stage
            .refused("chat")
            .refused("chat")
            .refused("chat")
            .refused("chat")
            .fallback(failed + 1, "CIRCUIT_OPEN");
        let log = stage.log();
        let rows = shown(&log, false).0;
        let seen: Vec<_> =
            rows.iter().map(|row| (row.code.as_str(), row.cause.as_str(), row.number, row.ended)).collect();
        // The other group has the same number of failed attempts, but users read less of them.
        let refused = ("CIRCUIT_OPEN", "refused by the breaker", 0, 3);
        assert_eq!(seen, [refused, ("TIMEOUT", "r", 3, 1)]);
        assert_eq!(rows[0].trend.iter().sum::<u32>(), 4);
        let sample = closer(&log, &log.groups, rows[0].key).unwrap();
        let newest = log.call_by_id(&format!("c{}", failed + 4)).unwrap();
        assert_eq!((sample.call, sample.is_end), (newest, true));
        assert_eq!((sample.ended.count, sample.ended.of, sample.others.len()), (3, 4, 4));
        assert_eq!(sample.ended.filter, "ended:CIRCUIT_OPEN why:breaker status:rejected");
        let Cause::Refused { breakers, more, .. } = &sample.cause else { panic!("refused") };
        let id = log.breakers.iter().next().unwrap().id;
        assert_eq!((breakers.as_slice(), *more), (&[(id, "chat".to_owned(), 4)][..], 0));
        assert!(sample.recovery.is_some());
    }

    #[test]
    fn what_the_user_reads_of_a_refusal_has_its_wait_and_what_refused() {
        let mut stage = Stage::new();
        stage.policy("chat", r#"{"provider":"openai"}"#);
        stage.event("call.started", r#""policy":"chat","call":"full","task":"plan""#);
        let rest = r#""policy":"chat","call":"full","code":"CAPACITY_EXCEEDED","by":"rate-limit","retryAfterMs":4000"#;
        let log = stage.event("call.rejected", rest).log();
        let row = &shown(&log, false).0[0];
        assert_eq!((row.cause.as_str(), row.ended), ("refused by the rate limit", 1));
        let sample = closer(&log, &log.groups, row.key).unwrap();
        let about = About {
            provider: "openai".into(),
            retry_after_ms: Some(4_000.0),
            refused_by: "rate-limit".into(),
            ..About::default()
        };
        assert_eq!((&sample.about, sample.title.as_str()), (&about, "plan"));
        assert_eq!(sample.target, " · chat");
        let Cause::Refused { breakers, .. } = &sample.cause else { panic!("refused") };
        assert!(breakers.is_empty());
    }

    #[test]
    fn without_a_call_that_ended_so_the_last_attempt_is_looked_at() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 100.0, "backoff").succeed(call);
        let log = stage.log();
        let sample = closer(&log, &log.groups, shown(&log, false).0[0].key).unwrap();
        assert_eq!((sample.is_end, sample.ended.count, sample.others.len()), (false, 0, 1));
    }

    #[test]
    fn a_trend_is_over_the_selected_time() {
        let mut stage = Stage::new();
        failure(&mut stage, "TIMEOUT", "r");
        stage.pass(3_600_000.0);
        failure(&mut stage, "TIMEOUT", "r");
        let log = stage.log();
        let (_, ends) = log.bounds().unwrap();
        let selected = Span { from: ends - 60_000.0, to: ends + 9_000.0 };
        let calls = Calls::All.within(&log, Some(selected), ends);
        let rows = calls.with_groups(&log, |groups| {
            rows(&log, groups, ends, log.folds.place(ends), Some(&seconds), Some(selected)).0
        });
        assert_eq!((rows[0].over.as_str(), rows[0].number), ("1 m 00 s", 1));
        assert_eq!(rows[0].trend.last(), Some(&1));
    }

    #[test]
    fn of_many_calls_with_one_failure_the_newest_are_named_and_all_attempts_counted() {
        let mut stage = Stage::new();
        for _ in 0..NAMED + 3 {
            failure(&mut stage, "TIMEOUT", "r");
        }
        let log = stage.log();
        let sample = closer(&log, &log.groups, shown(&log, true).0[0].key).unwrap();
        assert_eq!((sample.others.len(), sample.of), (NAMED, Some(NAMED as u64 + 3)));
    }
}
