//! A JSON value of a line, read one level deep, so that reading one number does not parse the rest.

use super::scan::{Scanner, Token};
use super::text::{Json, Text};
use halfopen::unescape::unescape;
use std::fmt;

/// A JSON value whose objects and arrays stay unread.
#[derive(Clone, Debug, PartialEq)]
pub enum Shallow<'a> {
    /// A string.
    Text(Text<'a>),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// `null`.
    Null,
    /// An object or an array.
    Nested(Json<'a>),
}

impl Json<'_> {
    /// Returns the members of an object, in their order. For invalid JSON, those before the fault; for other values, none.
    ///
    /// ```
    /// use halfopen_log::{Json, Shallow};
    /// let signals = Json::from(r#"{"status":429,"names":["RateLimitError"]}"#);
    /// let names: Vec<_> = signals.members().into_iter().map(|(name, value)| format!("{}={value}", name.as_str())).collect();
    /// assert_eq!(names, ["status=429", r#"names=["RateLimitError"]"#]);
    /// ```
    #[must_use]
    pub fn members(&self) -> Vec<(Text<'_>, Shallow<'_>)> {
        let mut members = Vec::new();
        let _ = Scanner::new(self.as_str()).object(|name, token| members.push((named(name), token.into())));
        members
    }

    /// Returns the items of an array, in their order. For invalid JSON, those before the fault; for other values, none.
    ///
    /// ```
    /// use halfopen_log::{Json, Shallow};
    /// let limits = Json::from(r#"[{"limit":50},7]"#);
    /// let items: Vec<_> = limits.items().iter().map(ToString::to_string).collect();
    /// assert_eq!(items, [r#"{"limit":50}"#, "7"]);
    /// assert_eq!(Json::from("{}").items(), []);
    /// ```
    #[must_use]
    pub fn items(&self) -> Vec<Shallow<'_>> {
        let mut items = Vec::new();
        let _ = Scanner::new(self.as_str()).array(|token| items.push(token.into()));
        items
    }

    /// Returns the value at the end of a path of names. Of equal names the last counts, as for `JSON.parse`.
    ///
    /// ```
    /// use halfopen_log::Json;
    /// let options = Json::from(r#"{"retry":{"maxRetries":3,"jitter":"full"}}"#);
    /// assert_eq!(options.at(&["retry", "maxRetries"]).and_then(|value| value.as_f64()), Some(3.0));
    /// assert!(options.at(&["retry", "jitter"]).is_some_and(|value| value.is_text("full")));
    /// assert_eq!(options.at(&["timeout", "totalMs"]), None);
    /// ```
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<Shallow<'_>> {
        let (last, before) = path.split_last()?;
        let mut text = self.as_str();
        for name in before {
            text = match member(text, name)? {
                Token::Nested(inner) => inner,
                _ => return None,
            };
        }
        member(text, last).map(Shallow::from)
    }
}

fn member<'a>(text: &'a str, wanted: &str) -> Option<Token<'a>> {
    let mut found = None;
    let whole = Scanner::new(text).object(|name, token| {
        if named(name).as_str() == wanted {
            found = Some(token);
        }
    });
    whole.ok()?;
    found
}

fn named(raw: &str) -> Text<'_> {
    Text(unescape(raw, raw.contains('\\')))
}

impl<'a> From<Token<'a>> for Shallow<'a> {
    fn from(token: Token<'a>) -> Self {
        match token {
            Token::Text { raw, escaped } => Self::Text(Text(unescape(raw, escaped))),
            Token::Number(raw) => Self::Number(crate::number::number(raw).unwrap_or(f64::NAN)),
            Token::Flag(flag) => Self::Flag(flag),
            Token::Null => Self::Null,
            Token::Nested(raw) => Self::Nested(Json::from(raw)),
        }
    }
}

impl Shallow<'_> {
    /// The number, if it is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// Returns `true` if it is this string.
    #[must_use]
    pub fn is_text(&self, text: &str) -> bool {
        self.as_str() == Some(text)
    }

    /// Returns `true` if it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Nested(json) if json.as_str().starts_with('{'))
    }
}

/// For display: a string without its quotes, all else as JSON.
impl fmt::Display for Shallow<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text.as_str()),
            Self::Number(number) => write!(out, "{number}"),
            Self::Flag(flag) => out.write_str(if *flag { "true" } else { "false" }),
            Self::Null => out.write_str("null"),
            Self::Nested(json) => out.write_str(json.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_as_json_parse_finds_it() {
        let json = Json::from(r#" { "a": 1, "b": { "a": "x\n" }, "a": true, "\u0063": null } "#);
        assert_eq!(json.at(&["a"]), Some(Shallow::Flag(true)));
        assert_eq!(json.at(&["b", "a"]), Some(Shallow::Text("x\n".into())));
        assert_eq!(json.at(&["c"]), Some(Shallow::Null));
        assert_eq!(json.members().len(), 4);
        assert!(json.at(&["b"]).is_some_and(|value| value.is_object()));
        assert!(!json.at(&["a"]).is_some_and(|value| value.is_object()));
    }

    #[test]
    fn a_value_reads_as_a_string_without_quotes_or_as_json() {
        let json = Json::from(r#"[ "a\"b", 1.5, true, false, null, {"a":1}, [2] ]"#);
        let items = json.items();
        let shown: Vec<_> = items.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a\"b", "1.5", "true", "false", "null", r#"{"a":1}"#, "[2]"]);
        let texts: Vec<_> = items.iter().filter_map(Shallow::as_str).collect();
        let numbers: Vec<_> = items.iter().filter_map(Shallow::as_f64).collect();
        assert_eq!((texts, numbers), (vec!["a\"b"], vec![1.5]));
        assert_eq!(items.iter().map(|item| item.is_text("a\"b")).filter(|&is| is).count(), 1);
        assert_eq!(json.at(&["a"]), None, "an array has no members");
        assert!(Json::from("{}").items().is_empty());
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in ["", "null", "[1]", "7", "{\"a\":1", "no JSON"] {
            let json = Json::from(text);
            assert_eq!(json.at(&["a"]), None, "{text}");
            assert_eq!(json.at(&["a", "b"]), None, "{text}");
            assert_eq!(json.at(&[]), None, "{text}");
        }
    }
}
