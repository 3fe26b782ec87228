//! The messages to users: one failure in every language.

use crate::wire::crossing;
use halfopen::classify::remedy::spoken;
use halfopen::code::Code;
use halfopen::message::{self, Circumstance, LOCALES, user_message};
use halfopen::time::Millis;

crossing! {
    /// The facts of a failure beside its code. An empty text is an unknown fact.
    pub struct About {
        /// The provider's id.
        pub provider: String,
        /// The model's id.
        pub model: String,
        /// The tool's name.
        pub tool: String,
        /// How long to wait before another try, in milliseconds.
        pub retry_after_ms: Option<f64>,
        /// The kind of the error's remedy.
        pub remedy: String,
        /// The part of the policy that refused the call.
        pub refused_by: String,
    }

    /// What does the person read of this failure? The answer is each language with its message; none for a code that is
    /// not known.
    pub struct Say {
        /// The code's name.
        pub code: String,
        /// The facts beside its code.
        pub about: About,
    }
}

/// The code whose sentence it is, and what is known beside it.
fn about(code: Code, known: &About) -> (Code, message::About<'_>) {
    let (code, circumstance) = match known.refused_by.as_str() {
        "rate-limit" => (code, Circumstance::RateLimit),
        "cost" => (code, Circumstance::Cost),
        "adaptive" => (code, Circumstance::Adaptive),
        _ => spoken(code, &known.remedy),
    };
    let some = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let about = message::About {
        provider: some(&known.provider),
        model: some(&known.model),
        tool: some(&known.tool),
        retry_after: known.retry_after_ms.map(Millis::from_f64),
        circumstance,
        ..message::About::default()
    };
    (code, about)
}

pub(crate) fn in_every_language(code: Code, known: &About) -> Vec<(String, String)> {
    let (code, about) = about(code, known);
    LOCALES.iter().map(|&tag| (tag.to_owned(), user_message(code, &about, tag))).collect()
}

pub(crate) fn say(question: &Say) -> Vec<(String, String)> {
    Code::from_name(&question.code).map_or_else(Vec::new, |code| in_every_language(code, &question.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn of_a_request_that_can_be_repaired_the_conversation_is_said_to_be_at_fault() {
        let about = About { remedy: "resend-history".into(), ..About::default() };
        let messages = say(&Say { code: "NOT_FOUND".into(), about });
        let english = &messages.iter().find(|one| one.0 == "en").unwrap().1;
        assert!(english.contains("cannot continue this conversation"), "{english}");
    }

    #[test]
    fn what_refused_a_call_decides_its_message() {
        let message = |by: &str| {
            let about = About { refused_by: by.into(), ..About::default() };
            let all = say(&Say { code: "CAPACITY_EXCEEDED".into(), about });
            all.into_iter().find(|one| one.0 == "en").unwrap().1
        };
        let distinct: BTreeSet<_> = ["bulkhead", "rate-limit", "cost", "adaptive"].map(message).into();
        assert_eq!(distinct.len(), 4, "{distinct:?}");
    }

    #[test]
    fn a_failure_is_said_in_every_language_and_an_unknown_code_in_none() {
        let messages = say(&Say { code: "RATE_LIMITED".into(), about: About::default() });
        assert_eq!(messages.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), LOCALES);
        assert_eq!(say(&Say { code: "NO_SUCH".into(), about: About::default() }), []);
    }
}
