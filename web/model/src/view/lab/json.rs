//! JSON as a tree that keeps the order of its keys: a scenario stays as its author wrote it.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Name(String),
    Index(usize),
}

/// The steps of a path of names, such as `provider.service.mean`.
pub fn path(names: &str) -> Vec<Key> {
    names.split('.').map(|name| Key::Name(name.to_owned())).collect()
}

/// A path as the core writes it in its errors: `faults[0].atMs`.
pub fn written(path: &[Key]) -> String {
    path.iter().fold(String::new(), |out, key| match key {
        Key::Name(name) if out.is_empty() => name.clone(),
        Key::Name(name) => format!("{out}.{name}"),
        Key::Index(index) => format!("{out}[{index}]"),
    })
}

impl Json {
    /// Parses a text; says what is wrong with it otherwise.
    ///
    /// # Errors
    /// The parser's error, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// On one line.
    pub fn compact(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// For people.
    pub fn pretty(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(fields) = self else { return None };
        fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The value at a path.
    pub fn at(&self, path: &[Key]) -> Option<&Self> {
        path.iter().try_fold(self, |at, key| match (at, key) {
            (Self::List(items), Key::Index(index)) => items.get(*index),
            (at, Key::Name(name)) => at.get(name),
            _ => None,
        })
    }

    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    pub fn fields(&self) -> &[(String, Self)] {
        if let Self::Map(fields) = self { fields } else { &[] }
    }

    /// Puts a value at a path, making the objects on the way.
    pub fn set(&mut self, path: &[Key], value: Self) {
        let Some((key, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        match key {
            Key::Index(index) => {
                if let Self::List(items) = self
                    && let Some(item) = items.get_mut(*index)
                {
                    item.set(rest, value);
                }
            }
            Key::Name(name) => {
                if !matches!(self, Self::Map(_)) {
                    *self = Self::Map(Vec::new());
                }
                let Self::Map(fields) = self else { return };
                match fields.iter_mut().find(|(key, _)| key == name) {
                    Some((_, at)) => at.set(rest, value),
                    None => {
                        let mut made = Self::Null;
                        made.set(rest, value);
                        fields.push((name.clone(), made));
                    }
                }
            }
        }
    }

    /// Takes the value at a path out, and the object that it leaves empty; that of a policy stays, which is one by default.
    pub fn remove(&mut self, path: &[Key]) {
        let Some((last, before)) = path.split_last() else { return };
        let Some(at) = self.at_mut(before) else { return };
        let empty = match (at, last) {
            (Self::Map(fields), Key::Name(name)) => {
                fields.retain(|(key, _)| key != name);
                fields.is_empty()
            }
            (Self::List(items), Key::Index(index)) if *index < items.len() => {
                items.remove(*index);
                false
            }
            _ => false,
        };
        let is_policy = before.len() == 2 && before.first() == Some(&Key::Name("policies".into()));
        if empty && before.len() > 1 && !is_policy {
            self.remove(before);
        }
    }

    fn at_mut(&mut self, path: &[Key]) -> Option<&mut Self> {
        path.iter().try_fold(self, |at, key| match (at, key) {
            (Self::List(items), Key::Index(index)) => items.get_mut(*index),
            (Self::Map(fields), Key::Name(name)) => {
                fields.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        })
    }
}

/// Up to here every whole number is a double of its own.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            Self::Number(value) if value.fract() == 0.0 && value.abs() < WHOLE => {
                to.serialize_i64(*value as i64)
            }
            Self::Number(value) => to.serialize_f64(*value),
            Self::Text(text) => to.serialize_str(text),
            Self::List(items) => to.collect_seq(items),
            Self::Map(fields) => {
                let mut map = to.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Tree)
    }
}

struct Tree;

#[expect(clippy::cast_precision_loss, reason = "JSON's numbers are doubles to whoever wrote them")]
impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Json::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_numbers_stay_as_they_were() {
        let text = r#"{"b":1,"a":[0.5,"x",null,true],"c":{"z":-2,"y":{}}}"#;
        assert_eq!(Json::parse(text).unwrap().compact(), text);
        assert!(Json::parse("{").unwrap_err().contains("line 1"));
    }

    #[test]
    fn a_path_is_made_and_what_it_leaves_empty_goes_with_it() {
        let mut json = Json::parse(r#"{"policies":{"a":{"retry":false}}}"#).unwrap();
        let ratio = path("policies.a.retry.budget.ratio");
        json.set(&ratio, Json::Number(0.1));
        assert_eq!(json.compact(), r#"{"policies":{"a":{"retry":{"budget":{"ratio":0.1}}}}}"#);
        assert_eq!(json.at(&ratio), Some(&Json::Number(0.1)));
        json.remove(&ratio);
        assert_eq!(json.compact(), r#"{"policies":{"a":{}}}"#);
    }

    #[test]
    fn paths_are_written_as_the_core_writes_them() {
        let path = [Key::Name("faults".into()), Key::Index(1), Key::Name("atMs".into())];
        assert_eq!(written(&path), "faults[1].atMs");
    }
}
