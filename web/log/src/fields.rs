//! The members of one object, and their values as each type of event needs them.

use super::key::{COUNT, Key};
use super::rejected::Rejected;
use super::scan::{Fault, Scanner, Token};
use super::text::{Json, Text};
use halfopen::unescape::unescape;
use std::borrow::Cow;

/// The last moment that a JavaScript `Date` can name, in milliseconds since 1970 (ECMA-262 §21.4.1.1).
const MAX_TIME: f64 = 8.64e15;
/// Longest part of a line that a reason quotes, in characters.
const QUOTED: usize = 64;

/// An object's members. The last of those with one name counts, as in JavaScript; `null` counts as missing.
pub(super) struct Fields<'a> {
    /// The name of the object in reasons: the type of the event.
    pub(super) of: &'a str,
    /// The value of each key.
    values: [Token<'a>; COUNT],
}

impl<'a> Fields<'a> {
    /// Reads an object.
    pub(super) fn read(text: &'a str) -> Result<Self, Rejected> {
        let mut fields = Self { of: "event", values: [Token::Null; COUNT] };
        let scanned = Scanner::new(text).object(|name, value| {
            if let Some(slot) = Key::of(name).and_then(|key| fields.values.get_mut(key as usize)) {
                *slot = value;
            }
        });
        scanned.map(|()| fields).map_err(rejected)
    }

    fn find(&self, field: Key) -> Option<Token<'a>> {
        self.values.get(field as usize).copied().filter(|token| *token != Token::Null)
    }

    pub(super) fn need<T>(&self, field: Key, found: Option<T>) -> Result<T, Rejected> {
        found.ok_or_else(|| Rejected::Missing { kind: cut(self.of), field: field.name() })
    }

    /// A text, if it is there.
    pub(super) fn maybe_text(&self, field: Key) -> Result<Option<Text<'a>>, Rejected> {
        match self.find(field) {
            None => Ok(None),
            Some(Token::Text { raw, escaped }) => Ok(Some(Text(unescape(raw, escaped)))),
            Some(other) => Err(mismatch(field, other, "a text")),
        }
    }

    /// A text.
    pub(super) fn text(&self, field: Key) -> Result<Text<'a>, Rejected> {
        self.need(field, self.maybe_text(field)?)
    }

    /// A text; empty if it is missing.
    pub(super) fn text_or_empty(&self, field: Key) -> Result<Text<'a>, Rejected> {
        self.maybe_text(field).map(Option::unwrap_or_default)
    }

    /// A number, if it is there.
    pub(super) fn maybe_number(&self, field: Key) -> Result<Option<f64>, Rejected> {
        match self.find(field) {
            None => Ok(None),
            Some(Token::Number(raw)) => match crate::number::number(raw).filter(|value| value.is_finite()) {
                Some(value) => Ok(Some(value)),
                None => Err(mismatch(field, Token::Number(raw), "a number in the range of doubles")),
            },
            Some(other) => Err(mismatch(field, other, "a number")),
        }
    }

    /// A number.
    pub(super) fn number(&self, field: Key) -> Result<f64, Rejected> {
        self.need(field, self.maybe_number(field)?)
    }

    /// A whole number, if it is there.
    pub(super) fn maybe_whole(&self, field: Key) -> Result<Option<u64>, Rejected> {
        match self.find(field) {
            None => Ok(None),
            Some(Token::Number(raw)) if let Some(value) = whole(raw) => Ok(Some(value)),
            Some(other) => Err(mismatch(field, other, "a whole number, zero or more")),
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, field: Key) -> Result<u64, Rejected> {
        self.need(field, self.maybe_whole(field)?)
    }

    /// A count, if it is there: a whole number below 2³².
    pub(super) fn maybe_count(&self, field: Key) -> Result<Option<u32>, Rejected> {
        let Some(value) = self.maybe_whole(field)? else { return Ok(None) };
        match u32::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(out_of_range(field, value.to_string(), "a whole number below 4294967296")),
        }
    }

    /// A count.
    pub(super) fn count(&self, field: Key) -> Result<u32, Rejected> {
        self.need(field, self.maybe_count(field)?)
    }

    /// A count; zero if it is missing.
    pub(super) fn count_or_zero(&self, field: Key) -> Result<u32, Rejected> {
        self.maybe_count(field).map(Option::unwrap_or_default)
    }

    /// A flag, if it is there.
    pub(super) fn maybe_flag(&self, field: Key) -> Result<Option<bool>, Rejected> {
        match self.find(field) {
            None => Ok(None),
            Some(Token::Flag(flag)) => Ok(Some(flag)),
            Some(other) => Err(mismatch(field, other, "true or false")),
        }
    }

    /// A flag.
    pub(super) fn flag(&self, field: Key) -> Result<bool, Rejected> {
        self.need(field, self.maybe_flag(field)?)
    }

    /// A flag; `false` if it is missing.
    pub(super) fn flag_or_false(&self, field: Key) -> Result<bool, Rejected> {
        self.maybe_flag(field).map(Option::unwrap_or_default)
    }

    /// A value of any shape, if it is there.
    fn find_json(&self, field: Key) -> Option<Json<'a>> {
        Some(Json(match self.find(field)? {
            Token::Number(raw) | Token::Nested(raw) => Cow::Borrowed(raw),
            Token::Text { raw, .. } => Cow::Owned(format!("\"{raw}\"")),
            Token::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
            Token::Null => return None,
        }))
    }

    /// A value of any shape.
    pub(super) fn json(&self, field: Key) -> Result<Json<'a>, Rejected> {
        self.need(field, self.find_json(field))
    }

    /// A value of any shape; `null` if it is missing.
    #[expect(clippy::unnecessary_wraps, reason = "as all that read a field")]
    pub(super) fn json_or_null(&self, field: Key) -> Result<Json<'a>, Rejected> {
        Ok(self.find_json(field).unwrap_or_default())
    }

    /// A value of any shape, if it is there.
    #[expect(clippy::unnecessary_wraps, reason = "as all that read a field")]
    pub(super) fn maybe_json(&self, field: Key) -> Result<Option<Json<'a>>, Rejected> {
        Ok(self.find_json(field))
    }

    /// The members of an object, if it is there.
    pub(super) fn maybe_fields(&self, field: Key) -> Result<Option<Self>, Rejected> {
        match self.find(field) {
            None => Ok(None),
            Some(Token::Nested(raw)) if raw.starts_with('{') => {
                Ok(Some(Self { of: field.name(), ..Fields::read(raw)? }))
            }
            Some(other) => Err(mismatch(field, other, "an object")),
        }
    }

    /// An array of bytes; empty if it is missing.
    pub(super) fn bytes(&self, field: Key) -> Result<Vec<u8>, Rejected> {
        let Some(token) = self.find(field) else { return Ok(Vec::new()) };
        let Token::Nested(raw) = token else { return Err(mismatch(field, token, "an array")) };
        let (mut bytes, mut strange) = (Vec::new(), None);
        let scanned = Scanner::new(raw).array(|item| match item {
            Token::Number(raw) if let Ok(byte) = raw.parse() => bytes.push(byte),
            other => strange = Some(other),
        });
        match (scanned, strange) {
            (Err(fault), _) => Err(rejected(fault)),
            (_, Some(item)) => Err(mismatch(field, item, "whole numbers from 0 to 255")),
            _ => Ok(bytes),
        }
    }

    /// A moment, in milliseconds since 1970.
    pub(super) fn moment(&self, field: Key) -> Result<f64, Rejected> {
        within(field, self.number(field)?, "milliseconds since 1970")
    }

    /// A moment, if it is there.
    pub(super) fn maybe_moment(&self, field: Key) -> Result<Option<f64>, Rejected> {
        let Some(value) = self.maybe_number(field)? else { return Ok(None) };
        within(field, value, "milliseconds since 1970").map(Some)
    }

    /// A span of time, in milliseconds.
    pub(super) fn span(&self, field: Key) -> Result<f64, Rejected> {
        within(field, self.number(field)?, "milliseconds, zero or more")
    }

    /// A span of time, if it is there.
    pub(super) fn maybe_span(&self, field: Key) -> Result<Option<f64>, Rejected> {
        let Some(value) = self.maybe_number(field)? else { return Ok(None) };
        within(field, value, "milliseconds, zero or more").map(Some)
    }
}

/// A whole number, zero or more.
fn whole(raw: &str) -> Option<u64> {
    raw.bytes().try_fold(0_u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

fn within(field: Key, value: f64, expected: &'static str) -> Result<f64, Rejected> {
    if (0.0..=MAX_TIME).contains(&value) {
        return Ok(value);
    }
    Err(out_of_range(field, value.to_string(), expected))
}

fn out_of_range(field: Key, value: String, expected: &'static str) -> Rejected {
    Rejected::OutOfRange { field: field.name(), value, expected }
}

fn mismatch(field: Key, found: Token<'_>, expected: &str) -> Rejected {
    let found = match found {
        Token::Text { raw, .. } => format!("\"{}\"", cut(raw)),
        Token::Number(raw) | Token::Nested(raw) => cut(raw),
        Token::Flag(flag) => flag.to_string(),
        Token::Null => "null".to_owned(),
    };
    Rejected::Malformed(format!("'{}' is {found}, expected {expected}", field.name()))
}

fn rejected(fault: Fault) -> Rejected {
    match fault {
        Fault::Torn => Rejected::Torn,
        Fault::Unexpected { expected, at } => {
            Rejected::Malformed(format!("expected {expected} at byte {at}"))
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_the_standard_library_reads_them(value: f64, whole in 0u64..u64::MAX, places in 0u32..9) {
            for text in [value.to_string(), whole.to_string(), format!("{}.{:0width$}", whole >> 20, whole % 1000,
                width = places as usize + 1), format!("{value:e}")] {
                prop_assert_eq!(super::whole(&text), text.parse().ok(), "{}", text);
            }
        }
    }
}
