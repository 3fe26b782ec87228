//! An element as data: what a view says of it, before it stands in a document.

use crate::part::{Class, Kind, Part, Style};
use crate::value::IntoValue;
use send_wrapper::SendWrapper;
use std::borrow::Cow;
use std::rc::Rc;
use upstream::prelude::{AnyView, IntoAny, IntoRender, NodeRef, Owner, RenderHtml};
use upstream::tachys::html::element::ElementType;
use upstream::tachys::html::event::EventDescriptor;
use upstream::tachys::html::node_ref::NodeRefContainer;
use wasm_bindgen::JsCast;

/// What is called when an event comes. Shared, so that a call of it needs no exclusive access: it stays in place even if it
/// ends by a JavaScript exception, which unwinds no Rust frame.
pub(crate) type Handler = Rc<dyn Fn(web_sys::Event)>;

/// What is given the element once it is made.
pub(crate) type Reference = Box<dyn FnOnce(&web_sys::Element) + Send>;

/// A handler, the name of its event, and whether it runs before those of the elements within.
pub(crate) struct Listening {
    pub(crate) event: Cow<'static, str>,
    pub(crate) capture: bool,
    pub(crate) owner: Owner,
    pub(crate) handler: SendWrapper<Handler>,
}

/// An element of a view, with its attributes, listeners and children.
#[must_use = "an element is shown where a view returns it"]
pub struct Element(pub(crate) Box<Inner>);

pub(crate) struct Inner {
    pub(crate) tag: &'static str,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) parts: Vec<Part>,
    pub(crate) listening: Vec<Listening>,
    pub(crate) references: Vec<Reference>,
    pub(crate) children: Vec<AnyView>,
}

impl Element {
    /// An element without anything.
    pub fn new(tag: &'static str, namespace: Option<&'static str>) -> Self {
        Self(Box::new(Inner {
            tag,
            namespace,
            parts: Vec::new(),
            listening: Vec::new(),
            references: Vec::new(),
            children: Vec::new(),
        }))
    }

    /// With one more child.
    pub fn child<V>(mut self, child: V) -> Self
    where
        V: IntoRender,
        V::Output: RenderHtml,
    {
        self.0.children.push(child.into_render().into_any());
        self
    }

    /// With an attribute of any name: `true` is written as an empty one, `false` and `None` are left out.
    pub fn attr(self, name: &'static str, value: impl IntoValue) -> Self {
        self.with(Kind::Attribute, name, value)
    }

    /// With a property of the object that stands for it in the document.
    pub fn prop(self, name: &'static str, value: impl IntoValue) -> Self {
        self.with(Kind::Property, name, value)
    }

    /// With a class, or with a class that is there when something holds: `class=` and `class:name=`.
    pub fn class(self, class: impl Class) -> Self {
        let (kind, name, value) = class.into_part();
        self.with(kind, name, value)
    }

    /// With a style: `style=` and `style:name=`.
    pub fn style(self, style: impl Style) -> Self {
        let (kind, name, value) = style.into_part();
        self.with(kind, name, value)
    }

    /// Calls `handler` for each such event; with `:capture` before the handlers of the elements within.
    pub fn on<E>(mut self, event: E, handler: impl Fn(E::EventType) + 'static) -> Self
    where
        E: EventDescriptor,
        E::EventType: JsCast,
    {
        self.0.listening.push(Listening {
            event: event.name(),
            capture: E::CAPTURE,
            owner: Owner::current().unwrap_or_default(),
            handler: SendWrapper::new(Rc::new(move |event: web_sys::Event| handler(event.unchecked_into()))),
        });
        self
    }

    /// Fills a reference with the element once it is made.
    pub fn node_ref<E>(mut self, reference: NodeRef<E>) -> Self
    where
        E: ElementType + 'static,
        NodeRef<E>: NodeRefContainer<E>,
    {
        self.0.references.push(Box::new(move |element| reference.load(element)));
        self
    }

    fn with(mut self, kind: Kind, name: &'static str, value: impl IntoValue) -> Self {
        self.0.parts.push(Part { kind, name, value: value.into_value() });
        self
    }
}

/// The methods that `view!` calls for attributes without a dash, and for those of ARIA.
macro_rules! attributes {
    ($($method:ident $name:literal)*) => {
        #[doc(hidden)]
        #[allow(missing_docs, reason = "each is the attribute of its name")]
        impl Element {
            $(pub fn $method(self, value: impl IntoValue) -> Self {
                self.attr($name, value)
            })*
        }
    };
}

attributes! {
    accept "accept" alt "alt" autocomplete "autocomplete" autofocus "autofocus" checked "checked" cols "cols"
    colspan "colspan" content "content" contenteditable "contenteditable" dir "dir" disabled "disabled"
    download "download" draggable "draggable" enterkeyhint "enterkeyhint" r#for "for" headers "headers" height "height"
    hidden "hidden" high "high" href "href" id "id" inert "inert" inputmode "inputmode" label "label" lang "lang"
    list "list" low "low" max "max" maxlength "maxlength" min "min" minlength "minlength" multiple "multiple" name "name"
    open "open" optimum "optimum" pattern "pattern" placeholder "placeholder" popover "popover" readonly "readonly"
    rel "rel" required "required" role "role" rows "rows" rowspan "rowspan" scope "scope" selected "selected"
    size "size" spellcheck "spellcheck" src "src" start "start" step "step" tabindex "tabindex" target "target"
    title "title" translate "translate" r#type "type" value "value" width "width" wrap "wrap"
    aria_activedescendant "aria-activedescendant" aria_atomic "aria-atomic" aria_autocomplete "aria-autocomplete"
    aria_busy "aria-busy" aria_checked "aria-checked" aria_colcount "aria-colcount" aria_colindex "aria-colindex"
    aria_controls "aria-controls" aria_current "aria-current" aria_describedby "aria-describedby"
    aria_details "aria-details" aria_disabled "aria-disabled" aria_errormessage "aria-errormessage"
    aria_expanded "aria-expanded" aria_haspopup "aria-haspopup" aria_hidden "aria-hidden" aria_invalid "aria-invalid"
    aria_keyshortcuts "aria-keyshortcuts" aria_label "aria-label" aria_labelledby "aria-labelledby"
    aria_level "aria-level" aria_live "aria-live" aria_modal "aria-modal" aria_multiselectable "aria-multiselectable"
    aria_orientation "aria-orientation" aria_owns "aria-owns" aria_posinset "aria-posinset" aria_pressed "aria-pressed"
    aria_readonly "aria-readonly" aria_relevant "aria-relevant" aria_required "aria-required"
    aria_roledescription "aria-roledescription" aria_rowcount "aria-rowcount" aria_rowindex "aria-rowindex"
    aria_selected "aria-selected" aria_setsize "aria-setsize" aria_sort "aria-sort" aria_valuemax "aria-valuemax"
    aria_valuemin "aria-valuemin" aria_valuenow "aria-valuenow" aria_valuetext "aria-valuetext"
}

/// A function for each tag, as `view!` calls them.
macro_rules! tags {
    ($namespace:expr; $($tag:ident)*) => {
        $(
            #[doc = concat!("`<", stringify!($tag), ">`")]
            #[allow(non_snake_case, reason = "SVG's names")]
            pub fn $tag() -> $crate::Element {
                $crate::Element::new(stringify!($tag), $namespace)
            }
        )*
    };
}
pub(crate) use tags;
