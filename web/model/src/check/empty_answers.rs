//! Answers with nothing in them, more than a few: a prompt, a limit of tokens or a model that does not fit.

use super::setting::Advice;
use super::{Found, Look, called, newest, row};
use crate::format::{number_of, percent};
use halfopen_store::call::{Call, Outcome};
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// A share of the answers that speaks for a fault, and how many there must be at least.
const SHARE: f64 = 0.05;
const LEAST: usize = 3;

/// A policy's answers, and how many of them were empty.
#[derive(Default)]
struct Answers {
    answers: u64,
    empty: u64,
    calls: Vec<CallNumber>,
}

#[derive(Default)]
struct Empty(Vec<(PolicyId, Answers)>);

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Empty::default())
}

impl Look for Empty {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        let of = row(&mut self.0, call.policy_id());
        let empty = call.attempts.iter().filter(|attempt| attempt.empty_answer).count() as u64;
        let answered = call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Succeeded).count();
        of.answers += answered as u64 + empty;
        of.empty += empty;
        if empty > 0 {
            of.calls.push(number);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of a session")]
    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.0).into_iter().filter_map(|(policy, of)| {
            let share = of.empty as f64 / of.answers.max(1) as f64;
            (of.calls.len() >= LEAST && share > SHARE).then(|| Found {
                policy,
                title: format!(
                    "{} of '{}' were empty ({})",
                    number_of(of.empty, "answer"),
                    called(log, policy.name),
                    percent(share)
                ),
                what: "The model ended its turn with neither text nor a tool call. Each of these answers was paid for, and \
                    asking again costs another."
                    .into(),
                fix: "Raise the limit of the answer if reasoning uses it up, and say in the prompt that an answer is \
                    needed. If an empty answer is one, accept it."
                    .into(),
                advice: Advice { settings: Vec::new(), code: "guard(client, { answers: { empty: 'accept' } })".into() },
                hurt: of.calls.len() as u64,
                evidence: newest(of.calls),
                grade: None,
            })
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    const EMPTY: &str = r#","remedy":{"kind":"ask-again","because":"empty"}"#;

    /// A day of answers, of which the first ones fail with that remedy, and succeed on the second try.
    fn day(remedy: &str, failed: usize, calls: usize) -> Stage {
        let mut stage = Stage::new();
        for number in 0..calls {
            let call = stage.call("chat");
            if number < failed {
                stage.fail_for_good(call, "INVALID_RESPONSE", remedy).wait(call, 10.0, "backoff");
            }
            stage.succeed(call);
        }
        stage
    }

    #[test]
    fn more_than_a_few_empty_answers_are_found() {
        let found = day(EMPTY, 4, 20).found("empty-answers");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "4 answers of 'chat' were empty (17 %)");
        assert_eq!(found[0].evidence.len(), 4);
    }

    #[test]
    fn a_few_and_answers_that_were_something_else_are_not() {
        assert_eq!(day(EMPTY, 2, 2).found("empty-answers"), []);
        assert_eq!(day(EMPTY, 3, 90).found("empty-answers"), []);
        let invalid = r#","remedy":{"kind":"ask-again","because":"invalid-json"}"#;
        assert_eq!(day(invalid, 9, 9).found("empty-answers"), []);
    }
}
