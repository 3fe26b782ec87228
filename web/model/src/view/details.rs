//! A call as its panel shows it: every attempt with what was made of its failure, the waits between, what the user read.

use super::failure::{LONGEST, about_refusal, remedy, thrown, user_message};
use super::recovery::{Recovery, recovery};
use super::words;
use crate::format::{count, cut, number_of, percent, span};
use halfopen_answers::{About, Say};
use halfopen_log::{Event, Kind, Shallow};
use halfopen_store::breaker::BreakerId;
use halfopen_store::call::{Attempt, Call, MarkKind, Outcome, Reason, Status, Unkept, Wait};
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Most calls within a call that are named; the rest is counted.
const MOST_CHILDREN: usize = 50;
/// Most signals of one failure that are listed; the rest is counted.
const MOST_SIGNALS: usize = 40;

/// Everything about one call, as text.
#[derive(Clone, PartialEq)]
pub struct CallDetails {
    pub number: CallNumber,
    pub id: String,
    pub title: String,
    pub status: &'static str,
    pub sign: &'static str,
    pub sentence: String,
    pub facts: Vec<(&'static str, String)>,
    pub parent: Option<(CallNumber, String)>,
    pub children: Vec<(CallNumber, String)>,
    /// How many calls within it are not named.
    pub more_children: usize,
    pub steps: Vec<Step>,
    pub reader: Option<Reader>,
    pub recovery: Option<Recovery>,
    /// The breaker that refused it.
    pub breaker: Option<BreakerId>,
}

/// One entry of the course of the call, in the order in which it happened.
#[derive(Clone, PartialEq)]
pub enum Step {
    Attempt(Box<AttemptDetails>),
    Wait { class: &'static str, text: String },
    Mark { sign: &'static str, text: String },
}

#[derive(Clone, PartialEq)]
pub struct AttemptDetails {
    pub number: u32,
    pub outcome: Outcome,
    pub target: String,
    pub duration: String,
    pub code: String,
    pub rule: String,
    pub details: String,
    pub signals: Vec<(String, String)>,
    pub facts: Vec<(&'static str, String)>,
}

/// What is needed to say it to the person.
#[derive(Clone, PartialEq)]
pub struct Reader {
    pub question: Say,
    /// What the agent showed; empty where the log does not have it.
    pub shown: String,
}

/// The call of that number; `clock` writes a moment as the reader's clock shows it.
pub fn describe(
    log: &Log,
    number: CallNumber,
    now: Moment,
    clock: &dyn Fn(Moment) -> String,
) -> Option<CallDetails> {
    let call = log.call(number)?;
    let text = |name| log.names.text(name).to_owned();
    let begins = log.bounds().map_or(call.started, |bounds| bounds.0);
    let planned: f64 = call.waits.iter().filter_map(Wait::planned_ms).sum();
    let silent = call.status == Status::Silent;
    let end = call.end_or(now);
    let waited: f64 = call.waits.iter().map(|wait| wait.ended.unwrap_or(end) - wait.from).sum();
    let mut facts = vec![
        ("Policy", text(call.policy)),
        ("Operation", text(call.operation)),
        ("Process", text(call.source)),
        (
            "Started",
            format!(
                "{} after the log begins, {}",
                crate::layout::axis::offset(call.started - begins, 1.0),
                clock(call.started)
            ),
        ),
        (if silent { "Took at least" } else { "Took" }, span(end - call.started)),
        ("Attempts", call.tries().to_string()),
    ];
    if let Some(last) = call.ended.filter(|_| silent) {
        facts.push(("Last event", clock(last)));
    }
    if !call.waits.is_empty() {
        facts.push(("Waited", format!("{} (planned {})", span(waited), span(planned))));
    }
    if !call.why.is_none() {
        facts.push(("Ended because", text(call.why)));
    }
    if call.closed_early {
        facts.push(("Closed early", "by the stream's consumer; the breaker did not count it".into()));
    }
    if !call.trace.is_none() {
        facts.push(("Trace", text(call.trace)));
    }
    let title = |call: &Call| text(call.title());
    let all_children = log.children(number);
    let more_children = all_children.len().saturating_sub(MOST_CHILDREN);
    let children =
        all_children.take(MOST_CHILDREN).filter_map(|child| Some((child, title(log.call(child)?))));
    let children = children.collect();
    let parent = call.parent.and_then(|parent| Some((parent, title(log.call(parent)?))));
    let reader = reader(log, call);
    let recovery = recovery(log, call, reader.as_ref().map_or("", |reader| reader.shown.as_str()));
    Some(CallDetails {
        number,
        id: call.id.to_string(),
        title: title(call),
        status: call.status.word(),
        sign: call.status.sign(),
        sentence: words::call(log, call, now),
        facts: facts.into_iter().filter(|fact| !fact.1.is_empty()).collect(),
        parent,
        children,
        more_children,
        steps: steps(log, call, now),
        reader,
        recovery,
        breaker: (log.names.text(call.why) == "breaker").then(|| log.breaker_of(call.policy_id())).flatten(),
    })
}

fn steps(log: &Log, call: &Call, now: Moment) -> Vec<Step> {
    // At one moment, attempts and waits stand by the numbers of the attempts, and marks last.
    let mut steps: Vec<(Moment, u64, Step)> = Vec::new();
    for attempt in &call.attempts {
        let order = u64::from(attempt.number) * 2;
        steps.push((
            attempt.started,
            order,
            Step::Attempt(Box::new(describe_attempt(log, call, attempt, now))),
        ));
    }
    for wait in &call.waits {
        let mut text = words::wait(wait);
        if wait.ended.is_none() && call.status == Status::Silent {
            text = format!("{text}, in which its process stopped reporting");
        } else if wait.ended.is_none() {
            text = match wait.due {
                None => format!("{text}, since {}", span(now - wait.from)),
                Some(due) => format!("{text}, {} to go", span(due - now)),
            };
        }
        if let Some(left) = wait.budget_left {
            text = format!("{text}; retry budget left {left}");
        }
        let class = match wait.reason {
            Reason::Backoff => "backoff",
            Reason::RetryAfter => "hint",
            Reason::Queue => "queue",
        };
        // The event of a wait has its end and its length: it may seem to begin before the attempt that it follows.
        let before = call.attempts.iter().rfind(|attempt| attempt.number < wait.attempt);
        let from = before.map_or(wait.from, |attempt| wait.from.max(attempt.started));
        steps.push((from, (u64::from(wait.attempt) * 2).saturating_sub(1), Step::Wait { class, text }));
    }
    for (at, attempt, text) in repairs(log, call) {
        // Between the attempt that failed and the one that sends the changed request, however the clock rounds.
        steps.push((at, u64::from(attempt) * 2 + 1, Step::Mark { sign: "✎", text }));
    }
    for mark in &call.marks {
        let code = log.names.text(mark.code);
        let (sign, text) = match mark.kind {
            MarkKind::Repaired => continue,
            MarkKind::Fallback => ("↪", format!("The fallback answered after {code}")),
            MarkKind::FallbackFailed => ("↯", format!("The fallback failed as well, after {code}")),
            MarkKind::Failover => (
                "⇄",
                format!(
                    "Failover from {} to {} because of {code}",
                    log.names.text(mark.from),
                    log.names.text(mark.to)
                ),
            ),
            MarkKind::StreamBroken => ("⌇", "The stream broke off".to_owned()),
            MarkKind::Rejected => {
                let by = log.names.text(call.why);
                let breaker = log.breaker_of(call.policy_id()).filter(|_| by == "breaker");
                let breaker = breaker.and_then(|breaker| log.breakers.get(breaker));
                let share = breaker.and_then(|breaker| breaker.refused_share_at(mark.at));
                let share =
                    share.map(|share| format!(". It refused {} of calls at that time", percent(share)));
                let share = share.unwrap_or_default();
                let after = match call.tries() {
                    0 => "without an attempt".to_owned(),
                    tries => format!("after {}", number_of(tries as u64, "attempt")),
                };
                ("⊘", format!("Refused by the {by} {after}: {code}{share}"))
            }
        };
        steps.push((mark.at, u64::MAX, Step::Mark { sign, text }));
    }
    if let Some(note) = unkept(call) {
        // Of each kind the newest is kept, and stands behind it.
        steps.push((call.end_or(now), 0, Step::Mark { sign: "…", text: note }));
    }
    order::sort_by(&mut steps, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    steps.into_iter().map(|step| step.2).collect()
}

/// Each repair of the request: when, after which attempt, and what was changed.
fn repairs(log: &Log, call: &Call) -> Vec<(Moment, u32, String)> {
    if !call.marks.iter().any(|mark| mark.kind == MarkKind::Repaired) {
        return Vec::new();
    }
    let repair = |event: Event<'_>| {
        let Kind::AttemptRepaired(repaired) = event.kind else { return None };
        let changes: Vec<_> = repaired
            .changes
            .items()
            .into_iter()
            .filter_map(|change| match change {
                Shallow::Text(text) => Some(text.as_str().to_owned()),
                _ => None,
            })
            .collect();
        let said = if changes.is_empty() { String::new() } else { format!(": {}", changes.join(", ")) };
        let (failed, next) = (repaired.attempt, repaired.attempt.saturating_add(1));
        let remedy = cut(repaired.remedy.as_str(), 40);
        let text = format!(
            "Repaired after attempt {failed} ({remedy}){said}; attempt {next} sends the changed request"
        );
        Some((Moment::from_ms(event.time), failed, cut(&text, LONGEST)))
    };
    let events = call.events.iter().filter_map(|&event| Event::parse(log.line_of(event)).ok());
    events.filter_map(repair).collect()
}

/// What of a call is not kept, as there is too much of it.
fn unkept(call: &Call) -> Option<String> {
    let Unkept { attempts, waits, marks, .. } = call.unkept();
    let parts = [(attempts, "attempt"), (waits, "wait"), (marks, "mark")];
    let parts = parts.into_iter().filter(|part| part.0 > 0);
    let parts: Vec<_> = parts.map(|(number, noun)| number_of(number.into(), noun)).collect();
    (!parts.is_empty()).then(|| format!("Dropped before the last ones: {}", parts.join(", ")))
}

fn describe_attempt(log: &Log, call: &Call, attempt: &Attempt, now: Moment) -> AttemptDetails {
    let text = |name| log.names.text(name).to_owned();
    let end = attempt.ended.unwrap_or_else(|| call.end_or(now));
    let mut details = AttemptDetails {
        number: attempt.number,
        outcome: attempt.outcome,
        target: [text(attempt.provider), text(attempt.model)]
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(" · "),
        duration: span(attempt.duration_ms.unwrap_or(end - attempt.started)),
        code: text(attempt.code),
        rule: text(attempt.rule),
        details: String::new(),
        signals: Vec::new(),
        facts: Vec::new(),
    };
    let line = attempt.ended_by.map_or("", |number| log.line(number));
    if let Ok(Event { kind: Kind::AttemptFailed(failed), .. }) = Event::parse(line) {
        details.details = cut(failed.technical_details.as_str(), LONGEST);
        let signals = failed.signals.members();
        let more = signals.len().saturating_sub(MOST_SIGNALS);
        let signals = signals.into_iter().take(MOST_SIGNALS);
        details.signals =
            signals.map(|(name, value)| (cut(name.as_str(), 60), cut(&value.to_string(), 400))).collect();
        if more > 0 {
            details.signals.push(("…".into(), format!("{more} more")));
        }
        details.facts.extend(thrown(&failed));
        details.facts.push(("Severity", cut(failed.severity.as_str(), 40)));
        let retryable = match (attempt.retryable, attempt.words_alone) {
            (true, _) => "yes",
            (false, true) => "no: by words alone; name the code in retryOn to retry it",
            (false, false) => "no",
        };
        details.facts.push(("Retryable", retryable.into()));
        details.facts.extend(failed.remedy.as_ref().and_then(remedy).map(|remedy| ("Remedy", remedy)));
        details
            .facts
            .push(("Breaker", if attempt.counted { "counted as a failure" } else { "not counted" }.into()));
        if attempt.status_code > 0 {
            details.facts.push(("HTTP status", attempt.status_code.to_string()));
        }
        if let Some(id) = failed.request_id {
            details.facts.push(("Request id", cut(id.as_str(), 120)));
        }
        if let Some(hint) = attempt.retry_after_ms {
            details.facts.push(("Retry-After", span(hint)));
        }
    }
    if attempt.probe {
        details.facts.push((
            "Probe",
            attempt
                .generation
                .map_or_else(|| "yes".into(), |generation| format!("of generation {generation}")),
        ));
    }
    if attempt.chunks > 0 {
        let first = attempt.first_chunk_ms.map_or_else(|| "–".into(), span);
        details.facts.push((
            "Stream",
            format!(
                "{}, {}first after {first}",
                number_of(attempt.chunks, "chunk"),
                // Of chunks that are no text none is counted.
                if attempt.characters > 0 {
                    number_of(attempt.characters, "character") + ", "
                } else {
                    String::new()
                }
            ),
        ));
    }
    if attempt.unread_stream {
        details.facts.push(("Returned", "a stream that the policy does not guard; see Findings".into()));
    }
    if let Some((input, output)) = attempt.tokens {
        details.facts.push(("Tokens", format!("{} in, {} out", count(input.into()), count(output.into()))));
    }
    details
}

fn reader(log: &Log, call: &Call) -> Option<Reader> {
    // A call around it that went on has kept the failure from the user.
    let above = |call: &Call| log.call(call.parent?);
    let goes_on = |call: &Call| matches!(call.status, Status::Succeeded | Status::Degraded);
    let around = std::iter::successors(above(call), |&call| above(call));
    if call.code.is_none() || call.status == Status::Succeeded || around.into_iter().any(goes_on) {
        return None;
    }
    let failed = call.attempts.iter().rev().find(|attempt| attempt.outcome == Outcome::Failed);
    let text = |name| log.names.text(name).to_owned();
    let about = if call.status == Status::Rejected {
        about_refusal(log, call)
    } else {
        About {
            provider: failed.map_or_else(String::new, |attempt| text(attempt.provider)),
            model: failed.map_or_else(String::new, |attempt| text(attempt.model)),
            tool: String::new(),
            retry_after_ms: failed.and_then(|attempt| attempt.retry_after_ms),
            remedy: failed.map_or_else(String::new, |attempt| text(attempt.remedy)),
            refused_by: String::new(),
        }
    };
    Some(Reader { question: Say { code: text(call.code), about }, shown: user_message(log, call) })
}

impl Reader {
    /// The message in that language, of those that the core has for the code. What the agent showed stands in for a code that
    /// is not known here.
    pub fn message(&self, said: Vec<(String, String)>, locale: &str) -> String {
        let found = said.into_iter().find(|said| said.0 == locale).map(|said| said.1);
        found.unwrap_or_else(|| self.shown.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    fn details(log: &Log, number: u32, now: f64) -> CallDetails {
        describe(log, CallNumber(number), Moment::from_ms(now), &|at| format!("at {}", at.ms())).unwrap()
    }

    /// A log of one call: its events, without their heads.
    fn log_of(events: &[&str]) -> Log {
        let mut log = Log::default();
        for (seq, rest) in events.iter().enumerate() {
            let head =
                format!(r#"{{"v":1,"source":"s","seq":{seq},"time":{seq},"policy":"chat","call":"c","#);
            assert!(log.take(&format!("{head}{rest}}}")), "{:?}", log.losses);
        }
        log
    }

    #[test]
    fn a_fault_of_the_program_says_what_was_thrown_and_where() {
        let failed = r#""type":"attempt.failed","attempt":1,"durationMs":1,"code":"UNKNOWN","severity":"critical","retryable":false,"rule":"program","errorClass":"TypeError","message":"x is undefined","frame":"run (agent.ts:7:3)""#;
        let without = failed.split_once(r#","frame""#).unwrap().0;
        for (line, expected) in [
            (failed, &[("Thrown", "TypeError: x is undefined"), ("At", "run (agent.ts:7:3)")][..]),
            (without, &[("Thrown", "TypeError: x is undefined")]),
        ] {
            let log = log_of(&[r#""type":"call.started""#, line]);
            let details = details(&log, log.call_by_id("c").unwrap().0, 10.0);
            let Some(Step::Attempt(attempt)) = details.steps.first() else { panic!("no attempt") };
            let facts: Vec<_> = attempt.facts.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(facts.get(..expected.len()).unwrap(), expected);
        }
    }

    #[test]
    fn a_failure_that_words_alone_describe_says_how_to_retry_it() {
        for (retryable, words_alone, says) in [
            (false, true, "no: by words alone; name the code in retryOn to retry it"),
            (false, false, "no"),
            (true, true, "yes"),
        ] {
            let failed = format!(
                r#""type":"attempt.failed","attempt":1,"durationMs":1,"code":"NETWORK_ERROR","severity":"critical","retryable":{retryable},"rule":"said.network","signals":{{"wordsAlone":{words_alone}}}"#
            );
            let log = log_of(&[r#""type":"call.started""#, &failed]);
            let details = details(&log, log.call_by_id("c").unwrap().0, 10.0);
            let Some(Step::Attempt(attempt)) = details.steps.first() else { panic!("no attempt") };
            assert!(attempt.facts.contains(&("Retryable", says.to_owned())), "{:?}", attempt.facts);
        }
    }

    /// The steps in the course of a call, each by its first words.
    fn course(log: &Log) -> Vec<String> {
        let steps = details(log, 0, 5_000.0).steps;
        let said = |step: &Step| match step {
            Step::Attempt(attempt) => format!("attempt {}", attempt.number),
            Step::Wait { text, .. } | Step::Mark { text, .. } => {
                text.split(' ').next().unwrap_or_default().to_owned()
            }
        };
        steps.iter().map(said).collect()
    }

    #[test]
    fn a_wait_stands_behind_the_attempt_that_it_follows_however_the_clock_rounds() {
        let failed = |attempt: u32| {
            format!(
                r#""type":"attempt.failed","attempt":{attempt},"durationMs":0.3,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r","counted":true"#
            )
        };
        // The attempt begins at 1, and the wait after it from 0.6 on, or at 1 too; it may also last no time at all.
        for (due, delay) in [(1_000.6, 1_000.0), (1_001.0, 1_000.0), (1.0, 0.0)] {
            let wait = format!(
                r#""type":"retry.scheduled","attempt":2,"delayMs":{delay},"dueAt":{due},"minMs":{delay},"maxMs":{delay},"delaySource":"backoff""#
            );
            let mut log = Log::default();
            for (seq, (time, rest)) in [
                (0.0, r#""type":"call.started""#),
                (1.0, r#""type":"attempt.started","attempt":1"#),
                (1.3, &failed(1)),
                (1.3, &wait),
                (due, r#""type":"attempt.started","attempt":2"#),
            ]
            .into_iter()
            .enumerate()
            {
                let line = format!(
                    r#"{{"v":1,"source":"s","seq":{seq},"time":{time},"policy":"chat","call":"c",{rest}}}"#
                );
                assert!(log.take(&line), "{line} {:?}", log.losses);
            }
            assert_eq!(course(&log), ["attempt 1", "backoff", "attempt 2"], "{due} {delay}");
        }
    }

    #[test]
    fn a_call_that_waits_for_a_slot_first_has_its_wait_first() {
        let log = log_of(&[
            r#""type":"call.started""#,
            r#""type":"call.queued","by":"bulkhead","position":1"#,
            r#""type":"attempt.started","attempt":1"#,
        ]);
        assert_eq!(course(&log), ["queued,", "attempt 1"]);
    }

    #[test]
    fn a_repair_stands_between_the_attempts_and_says_what_was_changed() {
        let log = log_of(&[
            r#""type":"call.started""#,
            r#""type":"attempt.started","attempt":1"#,
            r#""type":"attempt.failed","attempt":1,"durationMs":1,"code":"VALIDATION_ERROR","severity":"critical","retryable":false,"rule":"r","remedy":{"kind":"drop-parameter","name":"temperature"}"#,
            r#""type":"attempt.repaired","attempt":1,"remedy":"drop-parameter","changes":["removed `temperature`"]"#,
            r#""type":"attempt.started","attempt":2"#,
            r#""type":"attempt.succeeded","attempt":2,"durationMs":1"#,
            r#""type":"call.succeeded","attempts":2,"durationMs":4"#,
        ]);
        assert_eq!(course(&log), ["attempt 1", "Repaired", "attempt 2"]);
        let steps = details(&log, 0, 10.0).steps;
        let [Step::Attempt(failed), Step::Mark { text, .. }, _] = &steps[..] else { panic!("three steps") };
        assert_eq!(
            text,
            "Repaired after attempt 1 (drop-parameter): removed `temperature`; attempt 2 sends the changed request"
        );
        assert!(failed.facts.contains(&("Remedy", "drop-parameter (name: temperature)".into())));
    }

    #[test]
    fn the_user_reads_nothing_of_a_failure_that_a_call_around_it_went_on_from() {
        for (outer_fails, reads) in [(true, true), (false, false)] {
            let mut stage = Stage::new();
            let outer = stage.call("agent");
            let inner = stage.call_within("openai", Some(outer));
            stage.fail(inner, "TIMEOUT", "r").give_up(inner, "TIMEOUT", "exhausted");
            if outer_fails {
                stage.fail(outer, "TIMEOUT", "agent-error").give_up(outer, "TIMEOUT", "exhausted");
            } else {
                stage.succeed(outer);
            }
            assert_eq!(details(&stage.log(), 1, 0.0).reader.is_some(), reads, "{outer_fails}");
        }
    }

    #[test]
    fn one_chunk_is_one_and_characters_that_were_not_counted_are_left_out() {
        let stream = |chunks: u32, characters: u32| {
            let chunk =
                format!(r#""type":"stream.chunk","attempt":1,"chunks":{chunks},"characters":{characters}"#);
            let log =
                log_of(&[r#""type":"call.started""#, r#""type":"attempt.started","attempt":1"#, &chunk]);
            let Some(Step::Attempt(attempt)) = details(&log, 0, 10.0).steps.pop() else {
                panic!("no attempt")
            };
            attempt.facts.iter().find(|fact| fact.0 == "Stream").unwrap().1.clone()
        };
        assert_eq!(stream(1, 0), "1 chunk, first after 1 ms");
        assert_eq!(stream(2, 1), "2 chunks, 1 character, first after 1 ms");
    }

    #[test]
    fn a_call_that_a_throttle_refuses_says_the_share() {
        let throttled = r#""type":"breaker.throttled","breaker":"chat","rate":0.48"#;
        let rejected = r#""type":"call.rejected","code":"CIRCUIT_OPEN","by":"breaker""#;
        let plain = "Refused by the breaker without an attempt: CIRCUIT_OPEN";
        let with_share = format!("{plain}. It refused 48 % of calls at that time");
        for (events, expected) in [
            (&[r#""type":"call.started""#, throttled, rejected][..], with_share.as_str()),
            (&[r#""type":"call.started""#, rejected], plain),
        ] {
            let log = log_of(events);
            let details = details(&log, log.call_by_id("c").unwrap().0, 10.0);
            let Some(Step::Mark { text, .. }) = details.steps.first() else { panic!("no mark") };
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn a_call_whose_stream_was_closed_early_says_so() {
        let log = log_of(&[
            r#""type":"call.started""#,
            r#""type":"attempt.started","attempt":1"#,
            r#""type":"call.succeeded","attempts":1,"durationMs":5,"closedEarly":true"#,
        ]);
        let details = details(&log, log.call_by_id("c").unwrap().0, 10.0);
        assert!(
            details.sentence.contains("closed by its consumer before the end of the stream"),
            "{}",
            details.sentence
        );
        assert!(fact(&details, "Closed early").is_some());
    }

    fn fact(details: &CallDetails, name: &str) -> Option<String> {
        details.facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.clone())
    }

    #[test]
    fn calls_within_a_call_are_named_and_the_rest_is_counted() {
        let mut stage = Stage::new();
        let outer = stage.call("agent");
        for _ in 0..60 {
            let inner = stage.call_within("openai", Some(outer));
            stage.succeed(inner);
        }
        let log = stage.log();
        let outer = details(&log, 0, 0.0);
        assert_eq!((outer.children.len(), outer.more_children), (MOST_CHILDREN, 10));
        assert_eq!(outer.children[0], (CallNumber(1), "openai".to_owned()));
        let inner = details(&log, 60, 0.0);
        assert_eq!((inner.parent, inner.children.len()), (Some((CallNumber(0), "agent".to_owned())), 0));
    }

    #[test]
    fn a_refused_call_leads_to_the_breaker_of_its_own_process() {
        let mut stage = Stage::new();
        for process in ["one", "two"] {
            stage.process(process).policy("chat", r#"{"breaker":{}}"#).refused("chat");
        }
        let log = stage.log();
        let sources = [0, 1].map(|number| details(&log, number, 0.0).breaker.unwrap().source);
        assert_eq!(sources.map(|source| log.names.text(source)), ["one", "two"]);
    }

    #[test]
    fn a_call_whose_process_fell_silent_says_so_and_does_not_go_on() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage.fail(call, "TIMEOUT", "timeout").plan(call, 2_000.0);
        let mut log = stage.log();
        let (_, last) = log.bounds().unwrap();
        assert!(log.pass_time(last + 3_600_000.0));
        let details = details(&log, 0, last.ms() + 3_600_000.0);
        assert!(
            details.sentence.contains("not ended after 1 attempt, TIMEOUT: its process stopped reporting"),
            "{}",
            details.sentence
        );
        assert_eq!(fact(&details, "Last event"), Some(format!("at {}", last.ms())));
        assert_eq!((fact(&details, "Took at least"), fact(&details, "Took")), (Some("30 ms".into()), None));
        assert!(fact(&details, "Waited").is_some_and(|waited| waited.starts_with("0 ms")));
        let waits = details.steps.iter().any(
            |step| matches!(step, Step::Wait { text, .. } if text.ends_with("in which its process stopped reporting")),
        );
        assert!(waits);
    }

    #[test]
    fn attempts_that_are_not_kept_are_counted_where_they_were() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        for _ in 0..2_010 {
            stage.fail(call, "TIMEOUT", "timeout").wait(call, 1.0, "backoff");
        }
        let details = details(&stage.succeed(call).log(), 0, 0.0);
        assert_eq!(fact(&details, "Attempts").as_deref(), Some("2011"));
        let notes = details.steps.iter().filter_map(|step| match step {
            Step::Mark { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(notes.collect::<Vec<_>>(), ["Dropped before the last ones: 11 attempts, 10 waits"]);
    }
}
