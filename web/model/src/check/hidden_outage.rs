//! Calls in a row that only their fallback answered: there are no complaints, so the outage lasts.

use super::setting::{Options, Wish};
use super::{Found, Look, MOST_EVIDENCE, called, newest, row};
use crate::format::span;
use halfopen_store::call::{Call, Status};
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// The least number of calls in a row without an answer of the operation's own.
const LEAST: usize = 5;

#[derive(Default)]
struct Run {
    calls: Vec<CallNumber>,
    from: Moment,
    most: usize,
    longest: Vec<CallNumber>,
    lasted: f64,
}

/// The run of each policy.
#[derive(Default)]
struct Hidden(Vec<(PolicyId, Run)>);

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Hidden::default())
}

impl Look for Hidden {
    fn call(&mut self, _log: &Log, number: CallNumber, call: &Call) {
        match call.status {
            Status::Degraded => {
                let run = row(&mut self.0, call.policy_id());
                if run.calls.is_empty() {
                    run.from = call.started;
                }
                run.calls.push(number);
                if run.calls.len() > run.most {
                    run.most = run.calls.len();
                    // The newest calls are evidence enough.
                    run.longest.clear();
                    run.longest.extend(run.calls.iter().rev().take(MOST_EVIDENCE));
                    run.lasted = call.end_or(run.from) - run.from;
                }
            }
            Status::Succeeded => {
                if let Some((_, run)) = self.0.iter_mut().find(|row| row.0 == call.policy_id()) {
                    run.calls.clear();
                }
            }
            _ => {}
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let hidden = std::mem::take(&mut self.0).into_iter().filter(|(_, run)| run.most >= LEAST);
        hidden
        .map(|(policy, run)| {
            let name = called(log, policy.name);
            let options = Options::of(log, policy);
            let (notified, fix, wishes) = if options.has("onError") {
                ("onError was called for each", "Make sure that somebody reads what onError reports.", vec![])
            } else {
                let alarm = "(context, error) => alarm(error, context.traceId)";
                (
                    "nobody was notified",
                    "Notify somebody: onError is called for every call that failed, also when a fallback answers.",
                    vec![Wish("onError", "", alarm.into())],
                )
            };
            Found {
                policy,
                title: format!("Only the fallback answered {} calls of '{name}' in a row", run.most),
                what: format!("That lasted {}: users noticed nothing, and {notified}.", span(run.lasted)),
                fix: format!("{fix} Say in the answer that it is a substitute."),
                advice: options.advise(log, policy, wishes, ""),
                evidence: newest(run.longest),
                hurt: run.most as u64,
                grade: None,
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn calls(fallbacks: usize, every: usize) -> Stage {
        let mut stage = Stage::new();
        for number in 1..=fallbacks {
            let call = stage.call("openai");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            stage.fallback(call, "SERVER_ERROR");
            if number % every == 0 {
                let call = stage.call("openai");
                stage.succeed(call);
            }
        }
        stage
    }

    #[test]
    fn a_row_of_fallbacks_without_an_answer_between_is_found() {
        let found = calls(7, 6).found("hidden-outage");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "Only the fallback answered 6 calls of 'openai' in a row");
        assert!(found[0].what.contains("nobody was notified"), "{}", found[0].what);
    }

    #[test]
    fn where_on_error_is_set_the_advice_is_to_read_it() {
        let found = calls(7, 50).policy("openai", r#"{"onError":"function"}"#).found("hidden-outage");
        assert!(!found[0].what.contains("nobody"), "{}", found[0].what);
        assert_eq!((found[0].settings.len(), found[0].code.as_str()), (0, ""));
    }

    #[test]
    fn a_fallback_now_and_then_is_what_it_is_for() {
        assert_eq!(calls(12, 3).found("hidden-outage"), []);
    }
}
