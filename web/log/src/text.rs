//! Text and JSON of a line, borrowed from it where possible.

use halfopen::code::Code;
use serde_json::Value;
use std::borrow::Cow;

/// Text of a line, borrowed from it unless it has escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text<'a>(pub Cow<'a, str>);

impl<'a> Text<'a> {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The error code of that name, if this version knows it.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        Code::from_name(&self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

/// A value within a line, kept as it is written there and parsed on demand.
///
/// ```
/// use halfopen_log::Json;
/// let signals = Json::from(serde_json::json!({ "status": 429 }));
/// assert_eq!(signals.value()["status"], 429);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<'a>(pub(super) Cow<'a, str>);

impl Json<'_> {
    /// The value as it is written in its line.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value; `null` if it nests more than 128 levels deep.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Self(Cow::Borrowed("null"))
    }
}

/// Text that may be JSON. Other text has no members.
impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}
