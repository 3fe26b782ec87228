//! The interface of every format, and readers for the parts that formats have in common.

use crate::response::error::Fault;
use crate::response::reading::{Failure, Reading};
use crate::response::value::{Key, Kind, Value};

/// The interface of every format.
pub(super) trait Shape {
    /// The fields of a chunk that it knows; others are reported to `onDebug`.
    const FIELDS: &'static [&'static str];
    /// Returns `true` if a chunk looks like one of its own. Cheap: called once for a stream.
    fn speaks<V: Value>(chunk: &V) -> bool;
    /// Returns `true` if a chunk that it reads can only come from its provider. Called until one does.
    fn is_own<V: Value>(_chunk: &V) -> bool {
        true
    }
    /// Returns the contents of a chunk.
    fn read<V: Value>(chunk: &V) -> Reading<V>;
    /// Returns `true` if a chunk carries a field that only a provider's own stream has. Called until one does.
    fn is_genuine<V: Value>(chunk: &V) -> bool;
    /// Returns `true` if a whole response looks like one of its own.
    fn is_whole<V: Value>(response: &V) -> bool;
    /// Returns the contents of a whole response.
    ///
    /// # Errors
    ///
    /// The fault in its structure.
    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>>;
}

/// Returns the reading of a chunk that no format knows. An error is one in any format.
pub(in crate::response) fn unrecognised<V: Value>(chunk: &V) -> Reading<V> {
    // Gemini without `alt=sse` sends its error in a list.
    if let Some(error) = [Some(chunk.clone()), chunk.item(0)].into_iter().flatten().find(is_error) {
        return Reading::failed(Failure::Provider(error));
    }
    Reading { unknown: Some(type_of(chunk)), ..Reading::default() }
}

/// Returns the type by which an unknown chunk is reported: its own `type`, or else the kind of its value.
pub(super) fn type_of<V: Value>(chunk: &V) -> String {
    chunk.word_at(Key::Type).unwrap_or_else(|| chunk.kind().as_str().to_owned())
}

/// Returns `true` if the value is an error instead of an answer: gateways send such values with status 200.
pub(super) fn is_error<V: Value>(value: &V) -> bool {
    value.get(Key::Error).is_some_and(|error| matches!(error.kind(), Kind::Object | Kind::String))
        || value.word_at(Key::Type).is_some_and(|kind| kind == "error")
        || value.word_at(Key::Object).is_some_and(|kind| kind == "error")
}

/// Returns the length of the list in a field, after checking it.
pub(super) fn list<V: Value>(holder: &V, key: Key) -> Result<u32, Failure<V>> {
    match holder.get(key) {
        None if holder.has(key) => Ok(0),
        None if is_error(holder) => Err(Failure::Provider(holder.clone())),
        None => Err(Fault::missing(key.as_str(), Kind::Object.as_str()).into()),
        Some(value) => value
            .items()
            .ok_or_else(|| Fault::mistyped(format!("{} list", key.as_str()), value.kind().as_str()).into()),
    }
}

/// Returns the first object of the list in a field, after checking it: an empty list has no candidates.
pub(super) fn first_object<V: Value>(holder: &V, key: Key) -> Result<V, Failure<V>> {
    if list(holder, key)? == 0 {
        return Err(Fault::no_candidates().into());
    }
    let first = holder.first(key);
    let kind = first.as_ref().map_or(Kind::Null, Value::kind);
    match first {
        Some(first) if kind == Kind::Object => Ok(first),
        _ => Err(Fault::mistyped(format!("object in {}", key.as_str()), kind.as_str()).into()),
    }
}

/// Returns the item of a list that belongs to the first answer: streams of several answers mix their chunks.
pub(super) fn first_answer<V: Value>(holder: &V, key: Key) -> Option<V> {
    let first = holder.first(key)?;
    match first.get(Key::Index) {
        Some(index) if !index.is_nothing() => {
            holder.each(key).skip(1).find(|item| item.count_at(Key::Index) == Some(0))
        }
        _ => Some(first),
    }
}
