//! Text as it may leave the module: without secrets, and without letters that hide or turn what is read.

use halfopen::message::redact;
use halfopen_answers::plain::is_hidden;
use serde_json::{Map, Value};

/// Cleans every text of a value. Line breaks stay: the code of a finding has them.
pub(crate) fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => items.into_iter().map(shown).collect(),
        // The options of a policy bring names of their own.
        Value::Object(fields) => {
            Value::Object(object(fields.into_iter().map(|(name, value)| (clean(&name), shown(value)))))
        }
        other => other,
    }
}

/// The members as a map. `collect` would sort them before: a kilobyte of the module for each kind of iterator.
pub(crate) fn object(members: impl Iterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut map = Map::new();
    members.for_each(|(name, value)| _ = map.insert(name, value));
    map
}

fn clean(text: &str) -> String {
    let seen = |letter| if letter != '\n' && is_hidden(letter) { '\u{fffd}' } else { letter };
    redact(text).chars().map(seen).collect()
}
