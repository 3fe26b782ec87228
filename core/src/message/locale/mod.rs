//! The languages: one table each, of the same shape.
//!
//! To add a language, copy `en.rs`, translate every row, and name the table in [`ALL`]. The tests report missing parts.

mod de;
mod en;
mod es;
mod fr;
mod ja;
mod shape;
mod zh;

#[cfg(test)]
pub(super) use shape::Plural;
pub(super) use shape::{Answer, Explanation, Locale};

/// All languages. The first is the default for unknown ones.
pub(super) const ALL: &[&Locale] =
    &[&en::LOCALE, &de::LOCALE, &es::LOCALE, &fr::LOCALE, &ja::LOCALE, &zh::LOCALE];

/// The texts beside or instead of an answer, in the order of [`ALL`]. The list is separate, so that code which needs
/// only these does not carry the messages.
pub(super) static ANSWERS: [Answer; ALL.len()] = [
    en::LOCALE.answer,
    de::LOCALE.answer,
    es::LOCALE.answer,
    fr::LOCALE.answer,
    ja::LOCALE.answer,
    zh::LOCALE.answer,
];
