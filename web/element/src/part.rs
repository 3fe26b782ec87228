//! The parts of an element that are written on it: attributes, classes, styles and properties.

use crate::value::{IntoValue, Value};
use std::cell::RefCell;
use std::rc::Rc;
use upstream::prelude::RenderEffect;
use wasm_bindgen::{JsCast, JsValue};

/// How a part is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    #[doc(hidden)]
    Attribute,
    #[doc(hidden)]
    Class,
    #[doc(hidden)]
    Style,
    #[doc(hidden)]
    Property,
}

/// A part as a view gives it.
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

/// What can stand after `class`: the whole of it, or one name and whether it is there.
pub trait Class {
    #[doc(hidden)]
    fn into_part(self) -> (Kind, &'static str, Value);
}

/// What can stand after `style`: the whole of it, or one name and its value.
pub trait Style {
    #[doc(hidden)]
    fn into_part(self) -> (Kind, &'static str, Value);
}

impl<V: IntoValue> Class for V {
    fn into_part(self) -> (Kind, &'static str, Value) {
        (Kind::Attribute, "class", self.into_value())
    }
}

impl<V: IntoValue> Class for (&'static str, V) {
    fn into_part(self) -> (Kind, &'static str, Value) {
        (Kind::Class, self.0, self.1.into_value())
    }
}

impl<V: IntoValue> Style for V {
    fn into_part(self) -> (Kind, &'static str, Value) {
        (Kind::Attribute, "style", self.into_value())
    }
}

impl<V: IntoValue> Style for (&'static str, V) {
    fn into_part(self) -> (Kind, &'static str, Value) {
        (Kind::Style, self.0, self.1.into_value())
    }
}

/// A part that is written on an element of the document.
pub(crate) struct Written {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    shown: Rc<RefCell<Value>>,
    /// Writes it again when its signals change, for as long as this lives.
    effect: Option<RenderEffect<()>>,
}

impl Written {
    pub(crate) fn new(element: &web_sys::Element, part: Part) -> Self {
        let shown = Rc::new(RefCell::new(Value::None));
        let mut written = Self { kind: part.kind, name: part.name, shown, effect: None };
        written.show(element, part.value);
        written
    }

    /// Writes a value, or begins to follow what it says.
    pub(crate) fn show(&mut self, element: &web_sys::Element, value: Value) {
        self.effect = None;
        let (kind, name, shown) = (self.kind, self.name, Rc::clone(&self.shown));
        match value {
            Value::Live(mut ask) => {
                let element = element.clone();
                self.effect = Some(RenderEffect::new(move |_| update(&element, kind, name, &shown, ask())));
            }
            value => update(element, kind, name, &shown, value),
        }
    }

    /// Writes what is shown once more: a new `class` has taken the single ones away.
    pub(crate) fn again(&self, element: &web_sys::Element) {
        write(element, self.kind, self.name, &self.shown.borrow());
    }
}

fn update(element: &web_sys::Element, kind: Kind, name: &'static str, shown: &RefCell<Value>, value: Value) {
    if !shown.borrow().same(&value) {
        write(element, kind, name, &value);
        shown.replace(value);
    }
}

fn write(element: &web_sys::Element, kind: Kind, name: &str, value: &Value) {
    let text = match value {
        Value::None | Value::Flag(false) | Value::Live(_) => None,
        Value::Flag(true) => Some(""),
        Value::Text(text) => Some(text.as_ref()),
    };
    // None of these fails but for names that no view has.
    let _ = match (kind, text) {
        (Kind::Attribute, Some(text)) => element.set_attribute(name, text),
        (Kind::Attribute, None) => element.remove_attribute(name),
        (Kind::Class, Some(_)) => element.class_list().add_1(name),
        (Kind::Class, None) => element.class_list().remove_1(name),
        (Kind::Style, text) => {
            let style = element.unchecked_ref::<web_sys::HtmlElement>().style();
            style.set_property(name, text.unwrap_or_default())
        }
        (Kind::Property, text) => {
            let value = match value {
                Value::Flag(flag) => JsValue::from_bool(*flag),
                _ => text.map_or(JsValue::UNDEFINED, JsValue::from_str),
            };
            js_sys::Reflect::set(element, &JsValue::from_str(name), &value).map(drop)
        }
    };
}
