//! What an attribute can be: nothing, a flag, a text, or a function that is asked again when its signals change.

use std::borrow::Cow;

/// The value of an attribute, class, style or property.
pub enum Value {
    /// Not there.
    None,
    /// There or not.
    Flag(bool),
    /// A text.
    Text(Cow<'static, str>),
    /// Whatever this says, each time that a signal it reads changes.
    Live(Box<dyn FnMut() -> Value + Send>),
}

impl Value {
    /// Whether nothing has to be written: functions are never the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Flag(one), Self::Flag(two)) => one == two,
            (Self::Text(one), Self::Text(two)) => one == two,
            _ => false,
        }
    }
}

/// What can be given to an attribute in a view.
pub trait IntoValue {
    /// As a value.
    fn into_value(self) -> Value;
}

impl IntoValue for Value {
    fn into_value(self) -> Value {
        self
    }
}

impl IntoValue for bool {
    fn into_value(self) -> Value {
        Value::Flag(self)
    }
}

impl IntoValue for &'static str {
    fn into_value(self) -> Value {
        Value::Text(Cow::Borrowed(self))
    }
}

impl IntoValue for String {
    fn into_value(self) -> Value {
        Value::Text(Cow::Owned(self))
    }
}

impl IntoValue for Cow<'static, str> {
    fn into_value(self) -> Value {
        Value::Text(self)
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl IntoValue for $number {
            fn into_value(self) -> Value {
                Value::Text(Cow::Owned(self.to_string()))
            }
        })*
    };
}

numbers! { u8 u16 u32 u64 usize i32 i64 isize f64 }

impl<V: IntoValue> IntoValue for Option<V> {
    fn into_value(self) -> Value {
        self.map_or(Value::None, V::into_value)
    }
}

impl<F, V> IntoValue for F
where
    F: FnMut() -> V + Send + 'static,
    V: IntoValue,
{
    fn into_value(mut self) -> Value {
        Value::Live(Box::new(move || self().into_value()))
    }
}
