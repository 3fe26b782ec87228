//! Recovery of a failed call: the route, and the report.

use crate::wire::crossing;
use halfopen::code::{Code, Severity};
use halfopen::recovery::{Cause, ErrorContext, Next, RetryPolicy, State, labels, report, route};
use serde_json::{Map, Value};

crossing! {
    /// Where does this failure lead, and how is it reported?
    pub struct Recover {
        /// The code's name.
        pub code: String,
        /// The severity's name, where the log tells one.
        pub severity: String,
        /// The message to the user.
        pub shown: String,
        /// The technical details, where the log has them.
        pub details: String,
        /// The other facts: names and values.
        pub notes: Vec<(String, String)>,
        /// The purpose of the call.
        pub task: String,
        /// The part that failed.
        pub operation: String,
        /// How many retries were made.
        pub retries: f64,
        /// The most attempts that the policy makes; `None` if unknown.
        pub max_retries: Option<f64>,
        /// How long it took, in milliseconds.
        pub took_ms: f64,
        /// Wall time of its end, in milliseconds.
        pub ended: f64,
        /// The report's language.
        pub locale: String,
    }

    /// The decision of recovery.
    pub struct Recovered {
        /// The purpose of the call, or that it is unknown.
        pub task: String,
        /// The part that failed, or that it is unknown.
        pub operation: String,
        /// The severity's name.
        pub severity: String,
        /// Where a graph goes that retries as often as the policy: the package's word.
        pub next: String,
        /// The same in words, if it is not a wait.
        pub leads: String,
        /// The wait before the next try, in milliseconds, and which of how many tries it is.
        pub wait: Option<(f64, String)>,
        /// As Markdown.
        pub report: String,
    }
}

const SEVERITIES: [Severity; 5] = [
    Severity::Critical,
    Severity::Retriable,
    Severity::Replanning,
    Severity::Reclassification,
    Severity::Fatal,
];

pub(crate) fn recover(question: &Recover) -> Recovered {
    let code = Code::from_name(&question.code).unwrap_or(Code::Unknown);
    // A rule of the application's own may have given it another than its code has.
    let stated = SEVERITIES.into_iter().find(|one| one.as_str() == question.severity);
    let severity = stated.unwrap_or(code.severity());
    let text = [question.details.as_str(), code.description().trim()];
    let text = text.into_iter().find(|text| !text.is_empty()).map(str::to_owned);
    let metadata: Map<_, _> =
        question.notes.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    let metadata = if metadata.is_empty() { None } else { serde_json::to_string_pretty(&metadata).ok() };
    let user_message = question.shown.clone();
    let cause = Cause { code, severity, user_message, metadata: metadata.unwrap_or_default() };
    let state = State {
        current_task: Some(question.task.clone()),
        node_name: Some(question.operation.clone()),
        error_message: text,
        retry_count: Some(question.retries),
        execution_time: Some(question.took_ms / 1e3),
        ..State::default()
    };
    let context = ErrorContext::new(cause, state);
    let default = RetryPolicy::default();
    let policy =
        RetryPolicy { max_attempts: question.max_retries.unwrap_or(default.max_attempts), ..default };
    // A log has calls, and each of them can be made again, whatever its name.
    let next = route(severity, policy, question.retries, Some(&context.failed_operation), None);
    let leads = match next {
        Next::Retry { .. } => "",
        Next::Exhausted => "the retries are used up",
        Next::Orchestrator => "for another plan",
        Next::Classifier => "for another choice of capabilities",
        Next::Error => "the user reads the message",
        Next::Abort => "the run ends",
    };
    let wait = match next {
        Next::Retry { delay_ms, attempt } => {
            Some((delay_ms, format!("{attempt} of {}", policy.max_attempts)))
        }
        _ => None,
    };
    #[expect(clippy::cast_possible_truncation, reason = "a moment in milliseconds")]
    let report = report(&context, question.ended as i64, labels(&question.locale));
    Recovered {
        task: context.current_task,
        operation: context.failed_operation,
        severity: severity.as_str().to_owned(),
        next: next.as_str().to_owned(),
        leads: leads.to_owned(),
        wait,
        report,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_said_so_and_a_severity_of_its_own_counts() {
        let question = Recover { code: "SERVER_ERROR".into(), ..Recover::default() };
        let found = recover(&question);
        assert_eq!((found.severity.as_str(), found.next.as_str()), ("retriable", "retry"));
        assert_eq!(found.wait, Some((1000.0, "1 of 3".into())));
        assert_eq!(found.operation, "Unknown operation");
        assert!(found.report.contains("SERVER_ERROR"), "{}", found.report);
        let once = Recover { retries: 1.0, max_retries: Some(1.0), ..Recover::default() };
        let found = recover(&Recover { code: "SERVER_ERROR".into(), ..once });
        assert_eq!((found.wait, found.leads.as_str()), (None, "the retries are used up"));
        let found = recover(&Recover { severity: "fatal".into(), ..question });
        assert_eq!((found.next.as_str(), found.leads.as_str()), ("abort", "the run ends"));
    }
}
