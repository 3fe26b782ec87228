//! The rules for answers of a model, and the verdict over all that a [`Handler`](super::Handler) has read of one.
//!
//! ```
//! use halfopen::response::{Answers, Handler};
//! let answer = serde_json::json!({"choices": [{"message": {"content": " "}, "finish_reason": "stop"}]});
//! let verdict = Handler::judge(Answers::default(), &&answer).unwrap();
//! assert_eq!(verdict.fault.to_string(), "Empty response: no text in response");
//! assert!(verdict.retryable);
//! ```
//!
//! A handler without [`Answers`] reports what is wrong when it reads it. One with them gathers everything first, because the
//! same chunk means one thing at the end of a text and another at the end of nothing. The order of the questions is fixed:
//! whether there is an end, whether its tool calls can be run, whether there is anything, then how it ended.

use super::error::{Empty, Fault, Invalid, Verdict};
use super::reading::Finish;
use crate::classify::remedy::{Answer, Never, Remedy};

/// Something that an answer can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Lack {
    /// Neither text, nor a tool call, nor a file, nor sound.
    Empty = 1,
    /// The model declined.
    Refused = 2,
    /// A filter cut it off.
    Filtered = 4,
    /// The limit of tokens cut it off.
    Truncated = 8,
    /// The arguments of a tool call are no JSON.
    BrokenToolCall = 16,
}

/// The faults that make an answer a failure. Default: an empty answer and a broken tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers(u8);

impl Default for Answers {
    fn default() -> Self {
        Self::failing(&[Lack::Empty, Lack::BrokenToolCall])
    }
}

impl Answers {
    /// An answer that lacks one of these is a failure.
    #[must_use]
    pub fn failing(lacks: &[Lack]) -> Self {
        Self(lacks.iter().fold(0, |bits, lack| bits | *lack as u8))
    }

    /// From the sum of the lacks' numbers, as the package sends it.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns true if an answer that lacks this is a failure.
    #[must_use]
    pub const fn fails(self, lack: Lack) -> bool {
        self.0 & lack as u8 != 0
    }
}

/// The facts of an answer that is over.
#[derive(Clone, Debug, Default)]
pub(super) struct Had<'a> {
    /// It came whole, and not in chunks.
    pub(super) whole: bool,
    /// Text that is more than white space, a refusal's own words, a tool call, a file, sound.
    pub(super) content: bool,
    /// The provider's term for why it ended, and what that means.
    pub(super) finish: Option<(&'a str, Finish)>,
    /// The model's words when it declined; else empty.
    pub(super) refusal: &'a str,
    /// A tool call that cannot be run.
    pub(super) broken: Option<Fault>,
    /// How many chunks there were.
    pub(super) chunks: u64,
}

/// The verdict; `None` for an answer.
pub(super) fn verdict(answers: Answers, had: Had<'_>) -> Option<Verdict> {
    let Some((word, finish)) = had.finish else { return Some(endless(&had)) };
    let truncated = finish == Finish::Length;
    if let Some(fault) = had.broken.filter(|_| answers.fails(Lack::BrokenToolCall)) {
        let remedy =
            if truncated { Remedy::RaiseOutputLimit } else { Remedy::Resample(Answer::InvalidArguments) };
        return Some(Verdict { fault, retryable: true, remedy: Some(remedy) });
    }
    let refused = finish == Finish::Refused || !had.refusal.is_empty();
    let filtered = finish == Finish::Blocked && !refused;
    let empty = !had.content && answers.fails(Lack::Empty);
    if (refused && (empty || answers.fails(Lack::Refused)))
        || (filtered && (empty || answers.fails(Lack::Filtered)))
    {
        let reason = if had.refusal.is_empty() {
            word.to_owned()
        } else {
            format!("the model refused: {}", had.refusal)
        };
        let because = if refused { Never::Refused } else { Never::Filtered };
        let remedy = Some(Remedy::OtherModel(because));
        return Some(Verdict { fault: Fault::blocked(reason), retryable: false, remedy });
    }
    if empty {
        let (reason, remedy) = if truncated {
            ("no text before the limit of tokens", Remedy::RaiseOutputLimit)
        } else {
            ("no text in response", Remedy::Resample(Answer::Empty))
        };
        let fault = Fault::empty(Empty::NoText, reason);
        return Some(Verdict { fault, retryable: !truncated, remedy: Some(remedy) });
    }
    (truncated && answers.fails(Lack::Truncated)).then(|| Verdict {
        fault: Fault::malformed("a complete answer", "one that the limit of tokens cut off"),
        retryable: false,
        remedy: Some(Remedy::RaiseOutputLimit),
    })
}

/// An answer that lacks a part of its structure, and a reason for its end.
pub(super) fn unfit(fault: Fault) -> Verdict {
    let remedy = matches!(fault, Fault::Empty { .. }).then_some(Remedy::Resample(Answer::Empty));
    Verdict { fault, retryable: true, remedy }
}

/// Nothing says that the answer is complete.
fn endless(had: &Had<'_>) -> Verdict {
    let fault = if had.whole {
        Fault::Invalid {
            class: Invalid::MissingAttribute,
            expected: "finish reason".to_owned(),
            got: "none".to_owned(),
        }
    } else {
        let seen = if had.chunks == 1 { "1 chunk".to_owned() } else { format!("{} chunks", had.chunks) };
        Fault::CutOff { reason: format!("no end after {seen}") }
    };
    Verdict { fault, retryable: true, remedy: None }
}
