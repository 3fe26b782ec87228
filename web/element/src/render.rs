//! Elements in the document: made once, and brought up to date in place, so that focus, scrolling and what a person has
//! opened outlast an update.

use crate::element::{Element, Handler, Inner, Listening};
use crate::part::{Kind, Written};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use upstream::prelude::{AddAnyAttr, AnyView, IntoAny, Owner, Render, RenderHtml};
use upstream::tachys::html::attribute::Attribute;
use upstream::tachys::html::attribute::any_attribute::AnyAttribute;
use upstream::tachys::hydration::Cursor;
use upstream::tachys::view::any_view::{AnyViewState, AnyViewWithAttrs};
use upstream::tachys::view::{Mountable, Position, PositionState};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// An element that stands in the document.
pub struct Standing {
    element: web_sys::Element,
    tag: &'static str,
    parts: Vec<Written>,
    listeners: Vec<Listener>,
    children: Vec<AnyViewState>,
}

/// A listener whose handler can be replaced.
struct Listener {
    event: Cow<'static, str>,
    capture: bool,
    slot: Rc<RefCell<Option<(Owner, Handler)>>>,
}

impl Listener {
    fn new(element: &web_sys::Element, listening: Listening) -> Self {
        let Listening { event, capture, owner, handler } = listening;
        let slot = Rc::new(RefCell::new(Some((owner, handler.take()))));
        let called = Rc::clone(&slot);
        // The document keeps it for as long as the element: an event can come while another is handled, and once more
        // while the element is taken away.
        let function = Closure::<dyn Fn(web_sys::Event)>::new(move |event| {
            // A copy of the reference: what the handler does may call, replace or remove it.
            let current = called.borrow().clone();
            if let Some((owner, handler)) = current {
                owner.with(|| handler(event));
            }
        });
        let function = function.into_js_value();
        let function = function.unchecked_ref();
        let _ = element.add_event_listener_with_callback_and_bool(&event, function, capture);
        Self { event, capture, slot }
    }
}

impl Drop for Listener {
    /// An element that is gone hears nothing.
    fn drop(&mut self) {
        self.slot.take();
    }
}

impl Standing {
    /// The view says the same of it as before, but for values.
    fn fits(&self, inner: &Inner) -> bool {
        self.tag == inner.tag
            && self.children.len() == inner.children.len()
            && self.parts.len() == inner.parts.len()
            && self.listeners.len() == inner.listening.len()
            && self.parts.iter().zip(&inner.parts).all(|(a, b)| a.kind == b.kind && a.name == b.name)
            && self
                .listeners
                .iter()
                .zip(&inner.listening)
                .all(|(a, b)| (&a.event, a.capture) == (&b.event, b.capture))
    }
}

impl Render for Element {
    type State = Standing;

    fn build(self) -> Standing {
        let inner = *self.0;
        let element = make(inner.tag, inner.namespace);
        let parts = inner.parts.into_iter().map(|part| Written::new(&element, part)).collect();
        let listeners = inner.listening.into_iter().map(|one| Listener::new(&element, one)).collect();
        let mut children: Vec<AnyViewState> = inner.children.into_iter().map(AnyView::build).collect();
        for child in &mut children {
            child.mount(&element, None);
        }
        for reference in inner.references {
            reference(&element);
        }
        Standing { element, tag: inner.tag, parts, listeners, children }
    }

    fn rebuild(self, state: &mut Standing) {
        if !state.fits(&self.0) {
            let old = std::mem::replace(state, self.build());
            let _ = old.element.replace_with_with_node_1(&state.element);
            return;
        }
        let inner = *self.0;
        let mut whole = false;
        for (written, part) in state.parts.iter_mut().zip(inner.parts) {
            whole |= written.kind == Kind::Attribute && written.name == "class";
            written.show(&state.element, part.value);
        }
        for single in state.parts.iter().filter(|part| whole && part.kind == Kind::Class) {
            single.again(&state.element);
        }
        for (listener, listening) in state.listeners.iter().zip(inner.listening) {
            listener.slot.replace(Some((listening.owner, listening.handler.take())));
        }
        for (standing, child) in state.children.iter_mut().zip(inner.children) {
            child.rebuild(standing);
        }
        for reference in inner.references {
            reference(&state.element);
        }
    }
}

fn make(tag: &str, namespace: Option<&str>) -> web_sys::Element {
    let document = upstream::prelude::document();
    let made = match namespace {
        None => document.create_element(tag),
        namespace => document.create_element_ns(namespace, tag),
    };
    // It fails for names that are none, and those of `tags!` are.
    made.unwrap_or_else(|error| wasm_bindgen::throw_val(error))
}

impl Mountable for Standing {
    fn unmount(&mut self) {
        self.element.remove();
    }

    fn mount(&mut self, parent: &web_sys::Element, marker: Option<&web_sys::Node>) {
        let _ = parent.insert_before(&self.element, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let parent = self.element.parent_element();
        if let Some(parent) = &parent {
            child.mount(parent, Some(&self.element));
        }
        parent.is_some()
    }

    fn elements(&self) -> Vec<web_sys::Element> {
        vec![self.element.clone()]
    }
}

impl AddAnyAttr for Element {
    type Output<A: Attribute> = AnyViewWithAttrs;

    fn add_any_attr<A: Attribute>(self, attribute: A) -> AnyViewWithAttrs
    where
        AnyViewWithAttrs: RenderHtml,
    {
        self.into_any().add_any_attr(attribute)
    }
}

/// The dashboard is rendered in a browser only: there is no server that would write it as HTML.
impl RenderHtml for Element {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(self, _: &mut String, _: &mut Position, _: bool, _: bool, _: Vec<AnyAttribute>) {}

    fn hydrate<const FROM_SERVER: bool>(self, _: &Cursor, _: &PositionState) -> Standing {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}
