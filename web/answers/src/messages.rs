//! The messages to users: one failure in every language, or every code in every language with bad wordings marked.

use crate::wire::crossing;
use halfopen::classify::remedy::spoken;
use halfopen::code::Code;
use halfopen::message::lint::{Finding, lint};
use halfopen::message::{self, LOCALES, user_message};
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
    }

    /// What does the person read of this failure? The answer is each language with its message; none for a code that is
    /// not known.
    pub struct Say {
        /// The code's name.
        pub code: String,
        /// The facts beside its code.
        pub about: About,
    }

    /// Asks for the messages of every code.
    pub struct SayAll {
        /// The facts beside each code.
        pub about: About,
    }

    /// A code and its messages, in the order of the languages.
    pub struct Row {
        /// The code's name.
        pub code: String,
        /// Each message, and what reads badly in it.
        pub cells: Vec<(String, Vec<String>)>,
    }
}

/// The code whose sentence it is, and what is known beside it.
fn about(code: Code, known: &About) -> (Code, message::About<'_>) {
    let (code, circumstance) = spoken(code, &known.remedy);
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

pub(crate) fn say_all(question: &SayAll) -> Vec<Row> {
    let cell = |code: Code, tag: &str| {
        let (code, about) = about(code, &question.about);
        let message = user_message(code, &about, tag);
        // In another language, the same words as in English are a message that is missing.
        let missing = tag != "en" && message == user_message(code, &about, "en");
        let mut faults: Vec<_> = lint(&message).iter().map(says).collect();
        if missing {
            faults.push("missing: English stands in".into());
        }
        (message, faults)
    };
    let row = |&code: &Code| Row {
        code: code.as_str().to_owned(),
        cells: LOCALES.iter().map(|tag| cell(code, tag)).collect(),
    };
    Code::ALL.iter().map(row).collect()
}

fn says(finding: &Finding) -> String {
    match finding {
        Finding::Jargon(word) => format!("jargon: {word}"),
        Finding::Code(word) => format!("a code: {word}"),
        Finding::Status(number) => format!("a status: {number}"),
        Finding::LongLine(length) => format!("a line of {length} characters"),
        Finding::Long(length) => format!("{length} characters"),
        Finding::Placeholder => "a placeholder that was not filled in".into(),
        Finding::Spacing => "stray spaces".into(),
        Finding::Secret => "looks like a secret".into(),
        Finding::Empty => "empty".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_the_package_read_well_and_a_model_with_a_code_for_its_name_is_marked() {
        let bad = |model: &str| {
            let about = About { provider: "openai".into(), model: model.into(), ..About::default() };
            let rows = say_all(&SayAll { about });
            rows.into_iter().flat_map(|row| row.cells).filter(|cell| !cell.1.is_empty()).count()
        };
        assert_eq!(bad(""), 0);
        assert!(bad("ECONNRESET") > 0);
    }

    #[test]
    fn of_a_request_that_can_be_repaired_the_conversation_is_said_to_be_at_fault() {
        let about = About { remedy: "resend-history".into(), ..About::default() };
        let messages = say(&Say { code: "NOT_FOUND".into(), about });
        let english = &messages.iter().find(|one| one.0 == "en").unwrap().1;
        assert!(english.contains("cannot continue this conversation"), "{english}");
    }

    #[test]
    fn a_failure_is_said_in_every_language_and_an_unknown_code_in_none() {
        let messages = say(&Say { code: "RATE_LIMITED".into(), about: About::default() });
        assert_eq!(messages.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), LOCALES);
        assert_eq!(say(&Say { code: "NO_SUCH".into(), about: About::default() }), []);
    }
}
