//! The error that a call ended with, as a question to recovery, and what recovery answers.

use super::failure::LONGEST;
use crate::format::{cut, span};
use halfopen_answers::{Recover, Recovered};
use halfopen_log::{Event, Kind, Shallow};
use halfopen_store::call::{Call, Outcome, Status};
use halfopen_store::store::Log;

/// The error that a call ended with, as a question to recovery.
#[derive(Clone, PartialEq)]
pub struct Recovery {
    pub question: Recover,
    pub ended: &'static str,
    pub attempts: usize,
}

/// From what the log has of a call that failed, was refused, or was answered by its fallback; `shown` is what the user
/// read. A log does not say which capability of a plan a call was for: what failed is the policy.
pub fn recovery(log: &Log, call: &Call, shown: &str) -> Option<Recovery> {
    let ended = match call.status {
        Status::Failed => "failed",
        Status::Rejected if call.tries() == 0 => "refused without an attempt",
        Status::Rejected => "refused",
        Status::Degraded => "answered by its fallback",
        _ => return None,
    };
    let at = call.ended.filter(|_| !call.code.is_none())?;
    let text = |name| log.names.text(name).to_owned();
    let mut question = Recover {
        code: text(call.code),
        shown: shown.to_owned(),
        task: text(call.task),
        operation: text(call.policy),
        #[expect(clippy::cast_precision_loss, reason = "a number of retries")]
        retries: call.retries() as f64,
        max_retries: max_retries(log, call),
        took_ms: at - call.started,
        ended: at.ms(),
        ..Recover::default()
    };
    let notes = &mut question.notes;
    let mut note = |key: &str, value: String| {
        if !value.is_empty() {
            notes.push((key.to_owned(), value));
        }
    };
    // The last attempt's result does not end a call that the breaker or a full queue refused afterwards.
    let failed = call.attempts.iter().rfind(|one| one.outcome == Outcome::Failed && one.code == call.code);
    if let Some(attempt) = failed {
        note("provider", text(attempt.provider));
        note("model", text(attempt.model));
        note("rule", text(attempt.rule));
        if attempt.status_code > 0 {
            note("statusCode", attempt.status_code.to_string());
        }
        if let Some(hint) = attempt.retry_after_ms {
            note("retryAfter", span(hint));
        }
        let line = attempt.ended_by.map_or("", |number| log.line(number));
        if let Ok(Event { kind: Kind::AttemptFailed(failed), .. }) = Event::parse(line) {
            note("requestId", cut(failed.request_id.unwrap_or_default().as_str(), 120));
            question.details = cut(failed.technical_details.as_str(), LONGEST);
            question.severity = failed.severity.as_str().to_owned();
        }
    } else {
        note("why", text(call.why));
    }
    Some(Recovery { question, ended, attempts: call.tries() })
}

/// How often the policy tries again at most, as far as the log has its options.
fn max_retries(log: &Log, call: &Call) -> Option<f64> {
    let options = log.options_of(call.policy_id())?;
    let is_off = |path: &[&str]| options.at(path) == Some(Shallow::Flag(false));
    if is_off(&["retry"]) || is_off(&["retry", "enabled"]) {
        return Some(0.0);
    }
    options.at(&["retry", "maxRetries"])?.as_f64()
}

/// Where a graph goes that retries as often as the policy, in the package's word and in a sentence.
pub fn route(found: &Recovered) -> String {
    let what = match &found.wait {
        Some((delay_ms, retry)) => format!("the same step after {}, retry {retry}", span(*delay_ms)),
        None => found.leads.clone(),
    };
    format!("{} – {what}", found.next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::numbers::CallNumber;

    /// The question that the first call of a log leads to.
    fn of_first(stage: &Stage) -> Option<Recovery> {
        let log = stage.log();
        recovery(&log, log.call(CallNumber(0)).unwrap(), "Please wait.")
    }

    #[test]
    fn a_graph_retries_as_often_as_the_policy() {
        for (options, most) in [
            (r#"{"retry":{"maxRetries":1}}"#, Some(1.0)),
            (r#"{"retry":false}"#, Some(0.0)),
            (r#"{"retry":{"enabled":false,"maxRetries":2}}"#, Some(0.0)),
            ("{}", None),
        ] {
            let mut stage = Stage::new();
            stage.policy("chat", options);
            let call = stage.call("chat");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            assert_eq!(of_first(&stage).unwrap().question.max_retries, most, "{options}");
        }
    }

    #[test]
    fn the_query_of_a_failed_call_has_what_its_last_failure_says() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 500.0, "backoff");
        let more =
            r#","statusCode":429,"requestId":"req_7","technicalDetails":"HTTP 429","retryAfterMs":2000"#;
        stage.fail_with_more(call, "RATE_LIMITED", more).give_up(call, "RATE_LIMITED", "exhausted");
        let Recovery { question, ended, attempts } = of_first(&stage).unwrap();
        assert_eq!((ended, attempts, question.retries), ("failed", 2, 1.0));
        assert_eq!((question.code.as_str(), question.operation.as_str()), ("RATE_LIMITED", "chat"));
        assert_eq!((question.shown.as_str(), question.details.as_str()), ("Please wait.", "HTTP 429"));
        assert_eq!(question.severity, "retriable");
        let notes: Vec<_> = question.notes.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let expected = [
            "provider=openai",
            "model=gpt-5",
            "rule=r",
            "statusCode=429",
            "retryAfter=2.00 s",
            "requestId=req_7",
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn the_query_of_a_refused_call_has_who_refused_it() {
        let mut stage = Stage::new();
        stage.refused("chat");
        let Recovery { question, ended, attempts } = of_first(&stage).unwrap();
        assert_eq!((ended, attempts), ("refused without an attempt", 0));
        assert_eq!(question.notes, [("why".to_owned(), "breaker".to_owned())]);
    }

    #[test]
    fn a_call_that_goes_on_or_was_answered_has_nothing_to_recover_from() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        assert!(of_first(&stage).is_none());
        stage.succeed(call);
        assert!(of_first(&stage).is_none());
    }

    #[test]
    fn a_route_is_the_packages_word_with_the_wait_where_there_is_one() {
        let found = |wait| Recovered {
            next: "retry".into(),
            leads: "the user reads the message".into(),
            wait,
            ..Recovered::default()
        };
        assert_eq!(route(&found(None)), "retry – the user reads the message");
        assert_eq!(
            route(&found(Some((1_500.0, "2 of 3".into())))),
            "retry – the same step after 1.50 s, retry 2 of 3"
        );
    }
}
