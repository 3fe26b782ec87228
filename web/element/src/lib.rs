//! Leptos as the dashboard sees it: all of it, but with one type of element for every tag.
//!
//! `view!` writes `::leptos::tachys::html::element::div().child(…).class(…)`. In Leptos each of these calls returns a new
//! type, and for each type the compiler makes building, rebuilding, mounting and dropping anew, and inlines them into the
//! view: two thirds of the dashboard's wasm were that. Here the same calls return an [`Element`], which is data: a tag, a
//! list of attributes, a list of children. `web/Cargo.toml` depends on this crate under the name `leptos`, so views are
//! written as in any other program with Leptos.

pub use upstream::*;

mod element;
mod keyed;
mod live;
mod memo;
mod part;
mod render;
mod value;

pub use element::Element;
pub use keyed::keyed;
pub use live::{__as_shared_reactive_fn, IntoAttributeValue, Live};
pub use memo::Memo;
pub use part::{Class, Style};
pub use value::{IntoValue, Value};

/// As Leptos's prelude, with the memo replaced.
pub mod prelude {
    pub use crate::keyed::keyed;
    pub use crate::live::IntoAttributeValue;
    pub use crate::memo::Memo;
    pub use upstream::prelude::*;
}

/// As Leptos's `tachys`, with the tags replaced.
pub mod tachys {
    pub use upstream::tachys::*;

    /// As Leptos's `html`, with the tags replaced.
    pub mod html {
        pub use upstream::tachys::html::*;

        /// The tags of HTML.
        pub mod element {
            pub use upstream::tachys::html::element::*;

            crate::element::tags! { None;
                a article aside b blockquote br button canvas caption code datalist dd details dialog div dl dt em
                fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr i iframe img input kbd label legend li
                main mark meter nav ol optgroup option output p pre progress q s samp search section select small span
                strong sub summary sup table tbody td template textarea tfoot th thead time tr u ul var wbr
            }
        }
    }

    /// The tags of SVG.
    pub mod svg {
        pub use upstream::tachys::svg::*;

        crate::element::tags! { Some("http://www.w3.org/2000/svg");
            circle clipPath defs desc ellipse g line linearGradient marker mask path pattern polygon polyline rect stop
            svg symbol text textPath title tspan
        }
    }
}
