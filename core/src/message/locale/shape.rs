//! The contents of each language's table.

use super::super::Circumstance;
use crate::Code;

/// The texts of one language.
pub(in crate::message) struct Locale {
    /// The language subtag of BCP 47.
    pub(in crate::message) tag: &'static str,
    /// The form of a unit that belongs to a number.
    pub(in crate::message) plural: Plural,
    /// Units in the form that `again_in` needs, one for each plural form, with `{n}`.
    pub(in crate::message) seconds: &'static [&'static str],
    pub(in crate::message) minutes: &'static [&'static str],
    pub(in crate::message) hours: &'static [&'static str],
    pub(in crate::message) days: &'static [&'static str],
    /// The sentence for `{again}` if the wait is known …
    pub(in crate::message) again_in: &'static str,
    /// … and when it is not.
    pub(in crate::message) again_soon: &'static str,
    /// For an owner: a template for every code but `INVALID_RESPONSE`, which is explained in several lines.
    pub(in crate::message) messages: &'static [(Code, &'static str)],
    /// For a visitor: the codes whose sentence would send an owner to something that only an owner has.
    pub(in crate::message) visitor: &'static [(Code, &'static str)],
    /// Sentences that replace the code's, for an owner and for a visitor. An empty text means the owner's.
    pub(in crate::message) circumstances: &'static [(Circumstance, &'static str, &'static str)],
    /// `INVALID_RESPONSE` for an owner.
    pub(in crate::message) invalid: Explanation,
    /// An empty response, which has no code of its own, for an owner …
    pub(in crate::message) empty: Explanation,
    /// … and for a visitor.
    pub(in crate::message) empty_for_visitor: &'static str,
    /// Lines for the operators of the agent.
    pub(in crate::message) details: &'static str,
    pub(in crate::message) expected_got: &'static str,
    /// While an answer comes in, and after one that only called tools.
    pub(in crate::message) answer: Answer,
}

/// The text that a user sees while an answer comes in, and the text in place of an answer without text.
pub(in crate::message) struct Answer {
    /// Before the request goes out.
    pub(in crate::message) sending: &'static str,
    /// When the call of `{tool}` begins.
    pub(in crate::message) using: &'static str,
    /// Before `{detail}` of a failure that is neither an empty nor an invalid response.
    pub(in crate::message) error: &'static str,
    /// A stream that only called tools, `{tool}` being the last of them.
    pub(in crate::message) executed: &'static str,
    /// The text for a stream that only called tools without a name.
    pub(in crate::message) analysed: &'static str,
    /// The text for a whole response that only called tools.
    pub(in crate::message) completed: &'static str,
}

/// The event, its possible cause and the next step, for failures that one sentence does not explain.
pub(in crate::message) struct Explanation {
    pub(in crate::message) what: &'static str,
    pub(in crate::message) causes_title: &'static str,
    pub(in crate::message) causes: &'static [&'static str],
    pub(in crate::message) steps_title: &'static str,
    pub(in crate::message) steps: &'static [&'static str],
}

/// Selects the form of a unit that belongs to a number (CLDR's plural rules, as far as these languages need them).
#[derive(Clone, Copy)]
pub(in crate::message) enum Plural {
    /// The first form for 1, the second for all others.
    One,
    /// The first form for 0 and 1, the second for all others.
    UpToOne,
    /// There is one form.
    None,
}

impl Plural {
    /// The name in a [`Table`](super::table::Table).
    pub(in crate::message) const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::UpToOne => "up-to-one",
            Self::None => "none",
        }
    }
}
