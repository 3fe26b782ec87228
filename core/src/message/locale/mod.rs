//! The languages: one table each, of the same shape.
//!
//! To add one, copy `en.rs`, translate every row, name the table in [`ALL`]: the tests find what is missing.

mod de;
mod en;
mod es;
mod fr;
mod ja;
mod zh;

use crate::Code;

/// Everything that one language needs.
pub(super) struct Locale {
    /// The language subtag of BCP 47.
    pub(super) tag: &'static str,
    /// Which form of a unit belongs to a number.
    pub(super) plural: Plural,
    /// Units in the form in which they stand in `again_in`, one for each plural form, with `{n}`.
    pub(super) seconds: &'static [&'static str],
    pub(super) minutes: &'static [&'static str],
    pub(super) hours: &'static [&'static str],
    pub(super) days: &'static [&'static str],
    /// The sentence that stands for `{again}` when it is known how long to wait …
    pub(super) again_in: &'static str,
    /// … and when it is not.
    pub(super) again_soon: &'static str,
    /// A template for every code but those that are explained in several lines.
    pub(super) messages: &'static [(Code, &'static str)],
    /// In the place of `NETWORK_ERROR` when a part of the answer had arrived.
    pub(super) broken_off: &'static str,
    /// In the place of `CANCELLED` after a shutdown.
    pub(super) shut_down: &'static str,
    /// `INVALID_RESPONSE`.
    pub(super) invalid: Explanation,
    /// An empty response, which has no code of its own.
    pub(super) empty: Explanation,
    /// `UNKNOWN`.
    pub(super) unknown: Explanation,
    /// Lines for those who look after the agent.
    pub(super) details: &'static str,
    pub(super) expected_got: &'static str,
    /// While an answer comes in, and after one that only called tools.
    pub(super) answer: Answer,
}

/// What a person sees while an answer comes in, and what stands in the place of an answer without text.
pub(super) struct Answer {
    /// Before the request goes out.
    pub(super) sending: &'static str,
    /// When the call of `{tool}` begins.
    pub(super) using: &'static str,
    /// Before `{detail}` of a failure that is neither an empty nor an invalid response.
    pub(super) error: &'static str,
    /// A stream that only called tools, `{tool}` being the last of them.
    pub(super) executed: &'static str,
    /// A stream that only called tools without a name.
    pub(super) analysed: &'static str,
    /// A whole response that only called tools.
    pub(super) completed: &'static str,
}

/// What happened, why it may have, and what to do: for failures that one sentence does not explain.
pub(super) struct Explanation {
    pub(super) what: &'static str,
    pub(super) causes_title: &'static str,
    pub(super) causes: &'static [&'static str],
    pub(super) steps_title: &'static str,
    pub(super) steps: &'static [&'static str],
}

/// Which of a unit's forms belong to a number (CLDR's plural rules, as far as these languages need them).
#[derive(Clone, Copy)]
pub(super) enum Plural {
    /// The first form for 1, the second for all others.
    One,
    /// The first form for 0 and 1, the second for all others.
    UpToOne,
    /// There is one form.
    None,
}

impl Plural {
    /// The name in a [`Table`](super::table::Table).
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::UpToOne => "up-to-one",
            Self::None => "none",
        }
    }
}

/// All languages; the first is what unknown ones fall back to.
pub(super) const ALL: &[&Locale] =
    &[&en::LOCALE, &de::LOCALE, &es::LOCALE, &fr::LOCALE, &ja::LOCALE, &zh::LOCALE];

/// What stands beside or in the place of an answer, in the order of [`ALL`]: a list of its own, so that who needs only this
/// does not carry the messages.
pub(super) static ANSWERS: [Answer; ALL.len()] = [
    en::LOCALE.answer,
    de::LOCALE.answer,
    es::LOCALE.answer,
    fr::LOCALE.answer,
    ja::LOCALE.answer,
    zh::LOCALE.answer,
];
