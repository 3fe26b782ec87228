//! A call as a runnable test: the policy's options, each attempt's outcome in turn, and the result.

use super::AsTest;
use super::demand::Demand;
use super::recorded::{Ending, Recorded, recorded};
use super::test::Test;

/// Returns the test of a call.
pub(crate) fn test(question: &AsTest) -> String {
    let call = recorded(question);
    let mut out = Test::new(question, &call);
    out.policy();
    if let Some(demand) = Demand::of(question, &call) {
        out.demand(&demand);
        return out.whole(&demand.title(&call), &demand.about());
    }
    out.before();
    out.operation();
    out.run();
    out.expect();
    let repeats = if question.yours {
        "// It repeats the call, and passes with the recorded options. Change its expectations first: then it fails until the policy does\n// what they say.\n"
    } else {
        ""
    };
    out.whole(&outcome_in_words(&call), repeats)
}

fn outcome_in_words(call: &Recorded<'_>) -> String {
    let attempts = match call.attempts.len() {
        1 => "1 attempt".to_owned(),
        many => format!("{many} attempts"),
    };
    let fallback = match call.fallback {
        Some(false) => ", then the fallback",
        Some(true) => ", and the fallback failed",
        None => "",
    };
    match &call.ending {
        Ending::Open => format!("so far {attempts}"),
        Ending::Succeeded => format!("succeeds after {attempts}"),
        Ending::Failed(failed) => format!("{} after {attempts}{fallback}", failed.code.as_str()),
        Ending::Refused(refused) => {
            format!("{}, refused after {attempts}{fallback}", refused.code.as_str())
        }
    }
}
