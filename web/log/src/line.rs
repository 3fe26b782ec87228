//! Writes a line of JSON, each kind of value in its way.

use super::key::Key;
use super::text::{Json, Text};
use super::values::{Usage, Window};
use std::fmt::Write;

/// A text as a string of JSON, which is one of JavaScript too.
///
/// ```
/// assert_eq!(halfopen_log::quoted("a \"b\"\n"), r#""a \"b\"\u000a""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, text);
    out
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\u{0}'..='\u{1f}' => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// A line that is being written.
pub(super) struct Line(String);

impl Line {
    /// An empty object, with room for that many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Writes a member; nothing for a missing value.
    pub(super) fn member(&mut self, key: Key, value: &impl Value) {
        if value.is_there() {
            self.0.push(if self.0.is_empty() { '{' } else { ',' });
            self.0.push('"');
            self.0.push_str(key.name());
            self.0.push_str("\":");
            value.write(&mut self.0);
        }
    }

    /// Returns the whole object.
    pub(super) fn whole(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

/// The values that a key can have.
pub(super) trait Value {
    fn is_there(&self) -> bool {
        true
    }

    fn write(&self, out: &mut String);
}

impl<T: Value> Value for Option<T> {
    fn is_there(&self) -> bool {
        self.is_some()
    }

    fn write(&self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }
}

/// Numbers and flags. What Rust prints for them is JSON, because events have no infinities.
macro_rules! written_as_displayed {
    ($($type:ty)+) => {
        $(impl Value for $type {
            fn write(&self, out: &mut String) {
                _ = write!(out, "{self}");
            }
        })+
    };
}

written_as_displayed! { u32 u64 f64 bool }

impl Value for Text<'_> {
    fn write(&self, out: &mut String) {
        quote(out, self.as_str());
    }
}

impl Value for Json<'_> {
    fn write(&self, out: &mut String) {
        out.push_str(self.as_str());
    }
}

impl Value for Usage {
    fn write(&self, out: &mut String) {
        let mut inner = Line(String::new());
        inner.member(Key::InputTokens, &self.input_tokens);
        inner.member(Key::OutputTokens, &self.output_tokens);
        out.push_str(&inner.whole());
    }
}

impl Value for Window {
    fn write(&self, out: &mut String) {
        let mut inner = Line(String::new());
        inner.member(Key::Total, &self.total);
        inner.member(Key::Failures, &self.failures);
        inner.member(Key::Slow, &self.slow);
        inner.member(Key::Last, &self.last);
        out.push_str(&inner.whole());
    }
}

impl Value for Vec<u8> {
    fn write(&self, out: &mut String) {
        let bytes: Vec<_> = self.iter().map(u8::to_string).collect();
        _ = write!(out, "[{}]", bytes.join(","));
    }
}
