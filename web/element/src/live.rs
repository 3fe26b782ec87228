//! What `view!` makes of `move || …`: one type for all such children, whatever they return.

use crate::value::{IntoValue, Value};
use std::sync::{Arc, Mutex};
use upstream::prelude::{AnyView, IntoAny, IntoRender, RenderHtml};

/// A function in a view, called again when a signal that it reads changes.
pub struct Live<T>(Box<dyn FnMut() -> T + Send>);

/// As `view!` calls it when Leptos's types are erased (`--cfg erase_components`).
#[doc(hidden)]
pub fn __as_shared_reactive_fn<T, F>(function: F) -> Live<T>
where
    F: FnMut() -> T + Send + 'static,
    T: 'static,
{
    Live(Box::new(function))
}

impl<T: RenderHtml + 'static> IntoRender for Live<T> {
    type Output = Arc<Mutex<dyn FnMut() -> AnyView + Send>>;

    fn into_render(mut self) -> Self::Output {
        Arc::new(Mutex::new(move || (self.0)().into_any()))
    }
}

impl<T: IntoValue + 'static> IntoValue for Live<T> {
    fn into_value(mut self) -> Value {
        Value::Live(Box::new(move || (self.0)().into_value()))
    }
}

/// As `view!` calls it for an attribute's value: nothing has to be done to it here.
pub trait IntoAttributeValue: Sized {
    /// The same.
    type Output;

    /// As it is.
    fn into_attribute_value(self) -> Self::Output;
}

impl<T> IntoAttributeValue for T {
    type Output = Self;

    fn into_attribute_value(self) -> Self {
        self
    }
}
