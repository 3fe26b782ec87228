//! What the dashboard asks the core, as a wasm module of its own: the classifier with its reasons, all messages,
//! recovery, a call as a test, and the demonstration. It is fetched after the first paint, and the dashboard's own module
//! stays small.
//!
//! [`QUESTIONS`](answer) is the list. A question and its answer cross as text ([`wire`]), so that no glue is needed; the
//! module imports nothing. The dashboard calls, in this order:
//! 1. `room` with a length: where the question is to be written, as UTF-8;
//! 2. `query` with the question's number: the answer's length, or −1 for a question that was not understood;
//! 3. `answer` for the answer's place; read it before the next question.

mod demo;
mod explained;
mod export;
mod messages;
mod pasted;
pub mod plain;
mod recovery;
mod rule;
mod signals;
mod suggested;
pub mod wire;

pub use demo::{Begin, Demo, RunUntil};
pub use explained::{Explain, Explained, Tried};
pub use export::AsTest;
pub use messages::{About, Say};
pub use pasted::MOST;
pub use recovery::{Recover, Recovered};
pub use rule::{Card, LookUp, Source};
pub use signals::{ReadSignals, Signals};

use wire::Wire;

/// A question that this module answers.
pub trait Question: Wire {
    /// By which the module knows it.
    const NUMBER: u32;
    /// The answer.
    type Answer: Wire;
    /// The answer.
    fn answer(&self) -> Self::Answer;
}

/// The questions: number, question, answer, and the module that answers.
macro_rules! questions {
    ($($number:literal $question:ty => $answer:ty, $by:path;)*) => {
        $(impl Question for $question {
            const NUMBER: u32 = $number;
            type Answer = $answer;

            fn answer(&self) -> $answer {
                $by(self)
            }
        })*

        /// The answer to the question of that number, both as text; `None` for what is no such question.
        #[must_use]
        pub fn answer(number: u32, question: &str) -> Option<String> {
            match number {
                $(<$question>::NUMBER => {
                    wire::from_text::<$question>(question).map(|question| wire::to_text(&question.answer()))
                })*
                _ => None,
            }
        }
    };
}

questions! {
    1 Explain => Explained, explained::explained;
    2 Say => Vec<(String, String)>, messages::say;
    4 LookUp => Card, rule::card;
    5 Recover => Recovered, recovery::recover;
    6 ReadSignals => Signals, signals::read;
    7 AsTest => String, export::test;
    8 Begin => bool, demo::begin;
    9 RunUntil => String, demo::run_until;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_as_text_as_it_is_directly() {
        let question = Explain { text: r#"{"status":429}"#.into(), ..Explain::default() };
        let answered = answer(Explain::NUMBER, &wire::to_text(&question)).unwrap();
        assert_eq!(wire::from_text(&answered), Some(question.answer()));
    }

    #[test]
    fn what_is_no_question_has_no_answer() {
        assert_eq!(answer(0, ""), None);
        assert_eq!(answer(Explain::NUMBER, "what?"), None);
    }
}
