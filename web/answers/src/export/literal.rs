//! Values in TypeScript's notation. The contents of a log are data, so they never leave their quotes.

use crate::plain::is_hidden;
use halfopen::message::redact;
use serde_json::Value;

/// A string in single quotes, without secrets. Control and direction characters are escaped: what the eye reads is what runs
/// (Boucher, Anderson: "Trojan Source", 2021).
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for letter in redact(text).chars() {
        match letter {
            '\'' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            _ if is_hidden(letter) => out.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            _ => out.push(letter),
        }
    }
    out.push('\'');
    out
}

/// A number without a fraction that means nothing.
pub(super) fn number(value: f64) -> String {
    if value == f64::INFINITY { "Number.POSITIVE_INFINITY".into() } else { value.to_string() }
}

/// A value on one line. `Infinity`, which JSON cannot write, comes as a word.
pub(super) fn value(of: &Value) -> String {
    match of {
        Value::String(text) if text == "Infinity" => number(f64::INFINITY),
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => object(fields.iter().map(|(name, of)| (name.as_str(), value(of)))),
        other => other.to_string(),
    }
}

/// An object on one line.
pub(super) fn object<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<_> = fields.map(|(name, value)| format!("{}: {value}", key(name))).collect();
    if fields.is_empty() { "{}".into() } else { format!("{{ {} }}", fields.join(", ")) }
}

/// A property's name, in quotes where it needs them.
pub(super) fn key(name: &str) -> String {
    let plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain { name.to_owned() } else { string(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_inside_of_its_quotes() {
        assert_eq!(string("it's\\\n"), r"'it\'s\\\n'");
        assert_eq!(string("a\u{202e}b\u{0}\u{2028}"), r"'a\u{202e}b\u{0}\u{2028}'");
    }

    #[test]
    fn values_are_written_as_typescript_has_them() {
        let read = |text: &str| value(&serde_json::from_str(text).unwrap());
        assert_eq!(
            read(r#"{"maxDelayMs":"Infinity","retry-after":[1,2.5,null],"__proto__":{}}"#),
            "{ '__proto__': {}, maxDelayMs: Number.POSITIVE_INFINITY, 'retry-after': [1, 2.5, null] }"
        );
    }
}
