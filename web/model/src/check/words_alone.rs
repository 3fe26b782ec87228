//! Failures for whose code only the words of a message speak: words are also about what was carried out, so such a call is
//! not tried again unless the policy says so.

use super::setting::{Options, Wish};
use super::{Found, Look, called, newest, row};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The number of calls from which a setting is worth it.
const LEAST: usize = 3;

/// The calls, by policy and code.
#[derive(Default)]
struct Words(Vec<((PolicyId, Name), Vec<CallNumber>)>);

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Words::default())
}

impl Look for Words {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        if let Some(attempt) = call.attempts.iter().find(|attempt| attempt.words_alone) {
            row(&mut self.0, (call.policy_id(), attempt.code)).push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.0).into_iter().filter(|(_, calls)| calls.len() >= LEAST);
        all.map(|((policy, code), calls)| {
            let code = called(log, code);
            Found {
                policy,
                title: format!(
                    "{} of '{}' failed with {code} by words alone, and were not tried again",
                    number_of(calls.len() as u64, "call"),
                    called(log, policy.name)
                ),
                what: "Nothing but the message spoke for a failure that passes: no status, no code, no error class. \
                    Such a message may also be about something that was carried out.".into(),
                fix: "If another try is safe, name the code in retryOn. Better: throw errors with a status or a code.".into(),
                advice: Options::of(log, policy).advise(
                    log,
                    policy,
                    vec![Wish("retry.retryOn", "", format!("['{code}']"))],
                    "",
                ),
                hurt: calls.len() as u64,
                evidence: newest(calls),
                grade: None,
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn day(signals: &str, calls: usize) -> Stage {
        let mut stage = Stage::new();
        for _ in 0..calls {
            let call = stage.call("mail");
            let more = format!(r#","signals":{signals}"#);
            stage.fail_for_good(call, "PROVIDER_OVERLOADED", &more).give_up(
                call,
                "PROVIDER_OVERLOADED",
                "not-retryable",
            );
        }
        stage
    }

    #[test]
    fn calls_that_failed_by_words_alone_are_found_with_the_code_to_name() {
        let found = day(r#"{"wordsAlone":true}"#, 3).found("words-alone");
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].title,
            "3 calls of 'mail' failed with PROVIDER_OVERLOADED by words alone, and were not tried again"
        );
        assert!(found[0].code.contains("retry: { retryOn: ['PROVIDER_OVERLOADED'] }"), "{}", found[0].code);
    }

    #[test]
    fn a_code_that_more_speaks_for_is_none_nor_are_two_calls() {
        assert_eq!(day(r#"{"status":503}"#, 5).found("words-alone"), []);
        assert_eq!(day(r#"{"message":"wordsAlone"}"#, 5).found("words-alone"), []);
        assert_eq!(day(r#"{"wordsAlone":true}"#, 2).found("words-alone"), []);
    }
}
