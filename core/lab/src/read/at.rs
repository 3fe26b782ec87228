//! A value of the scenario with its path. Reads the value, or returns an error with the expected form.

use crate::misfit::Misfit;
use crate::random::Distribution;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

pub(super) type Read<T> = Result<T, Misfit>;

/// The longest time that a scenario can name: a year.
pub(super) const YEAR_MS: f64 = 31_536_000_000.0;
/// The smallest number above 0.
pub(super) const ABOVE_ZERO: f64 = f64::from_bits(1);
/// More clients, servers or calls at once than memory has room for.
const MANY: f64 = 100_000_000.0;

/// A value and its path.
pub(super) struct At<'a> {
    pub(super) path: String,
    pub(super) value: &'a Value,
}

/// An object, with its keys checked.
pub(super) struct Object<'a> {
    pub(super) path: &'a str,
    pub(super) fields: &'a Map<String, Value>,
}

impl<'a> At<'a> {
    pub(super) fn misfit<T>(&self, expected: &str) -> Read<T> {
        let path = if self.path.is_empty() { "scenario".to_owned() } else { self.path.clone() };
        Err(Misfit { path, expected: expected.to_owned(), got: shown(self.value) })
    }

    pub(super) fn object(&'a self, keys: &[&str]) -> Read<Object<'a>> {
        let Value::Object(fields) = self.value else { return self.misfit("an object") };
        let object = Object { path: &self.path, fields };
        match fields.keys().find(|key| !keys.contains(&key.as_str())) {
            None => Ok(object),
            Some(unknown) => Err(Misfit {
                path: object.path_of(unknown),
                expected: format!("one of the keys {}", keys.join(", ")),
                got: format!("the unknown key '{unknown}'"),
            }),
        }
    }

    pub(super) fn number(&self, expected: &str, fits: RangeInclusive<f64>) -> Read<f64> {
        match self.value.as_f64().filter(|number| fits.contains(number)) {
            Some(number) => Ok(number),
            None => self.misfit(expected),
        }
    }

    pub(super) fn millis(&self) -> Read<f64> {
        self.number("a number of milliseconds from 0", 0.0..=YEAR_MS)
    }

    pub(super) fn positive_millis(&self) -> Read<f64> {
        self.number("a number of milliseconds above 0", ABOVE_ZERO..=YEAR_MS)
    }

    /// Like `millis`, but Infinity (for which JSON has no number) means "no limit".
    pub(super) fn millis_or_infinity(&self) -> Read<f64> {
        if self.is_infinite() { Ok(f64::INFINITY) } else { self.millis() }
    }

    pub(super) fn share(&self) -> Read<f64> {
        self.number("a number from 0 to 1", 0.0..=1.0)
    }

    pub(super) fn at_least_zero(&self) -> Read<f64> {
        self.number("a number from 0", 0.0..=1e15)
    }

    pub(super) fn whole_from(&self, least: f64) -> Read<f64> {
        let expected = format!("a whole number from {least} to {MANY}");
        let number = self.number(&expected, least..=MANY)?;
        if libm::floor(number) == number { Ok(number) } else { self.misfit(&expected) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and in range"
    )]
    pub(super) fn count_from(&self, least: u32) -> Read<u32> {
        Ok(self.whole_from(f64::from(least))? as u32)
    }

    pub(super) fn boolean(&self) -> Read<bool> {
        self.value.as_bool().map_or_else(|| self.misfit("true or false"), Ok)
    }

    pub(super) fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Read<T> {
        let found = self.value.as_str().and_then(|got| names.iter().find(|(name, _)| *name == got));
        match found {
            Some((_, value)) => Ok(*value),
            None => {
                let names: Vec<String> = names.iter().map(|(name, _)| format!("'{name}'")).collect();
                self.misfit(&names.join(" or "))
            }
        }
    }

    pub(super) fn is_infinite(&self) -> bool {
        self.value == "Infinity"
    }

    pub(super) fn items(&self) -> Read<Vec<At<'a>>> {
        let Value::Array(items) = self.value else { return self.misfit("a list") };
        let at = |(index, value)| At { path: format!("{}[{index}]", self.path), value };
        Ok(items.iter().enumerate().map(at).collect())
    }

    pub(super) fn list<T>(&self, read: fn(&At<'a>) -> Read<T>) -> Read<Vec<T>> {
        self.items()?.iter().map(read).collect()
    }
}

impl<'a> Object<'a> {
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn get(&self, key: &str) -> Option<At<'a>> {
        let value = self.fields.get(key)?;
        Some(At { path: self.path_of(key), value })
    }

    pub(super) fn need(&self, key: &str, expected: &str) -> Read<At<'a>> {
        self.get(key).ok_or_else(|| Misfit {
            path: self.path_of(key),
            expected: expected.to_owned(),
            got: "nothing".to_owned(),
        })
    }

    pub(super) fn maybe<T>(&self, key: &str, read: impl Fn(&At<'a>) -> Read<T>) -> Read<Option<T>> {
        self.get(key).map(|at| read(&at)).transpose()
    }
}

/// A value as an error shows it: numbers and short texts themselves.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 40 => "a long text".to_owned(),
        Value::String(text) => format!("'{text}'"),
        // The Display of `Value` would add the code that writes lists, objects and texts to the module.
        Value::Number(number) => number.to_string(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Null => "null".to_owned(),
    }
}

/// How long something takes.
pub(super) fn distribution(at: &At<'_>) -> Read<Distribution> {
    let object = at.object(&["kind", "mean", "median", "sigma", "values"])?;
    let kinds = [("constant", 0), ("exponential", 1), ("lognormal", 2), ("empirical", 3)];
    let kind =
        object.need("kind", "'constant' or 'exponential' or 'lognormal' or 'empirical'")?.one_of(&kinds)?;
    let millis =
        |object: &Object<'_>, key| object.need(key, "a number of milliseconds above 0")?.positive_millis();
    match kind {
        0 | 1 => {
            let mean = millis(&at.object(&["kind", "mean"])?, "mean")?;
            Ok(if kind == 0 { Distribution::Constant { mean } } else { Distribution::Exponential { mean } })
        }
        2 => {
            let object = at.object(&["kind", "median", "sigma"])?;
            let median = millis(&object, "median")?;
            let sigma = object.need("sigma", "a number from 0 to 10")?;
            let sigma = sigma.number("a number from 0 to 10", 0.0..=10.0)?;
            Ok(Distribution::LogNormal { median, sigma })
        }
        _ => {
            let object = at.object(&["kind", "values"])?;
            let at = object.need("values", "a list of milliseconds")?;
            let values = at.list(At::millis)?;
            if values.iter().all(|&ms| ms == 0.0) {
                return at.misfit("a list of milliseconds, one of them above 0");
            }
            Ok(Distribution::Empirical { values })
        }
    }
}
