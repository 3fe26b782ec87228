//! Views, parts of views and exports whose code is fetched when they are needed.
//!
//! `scripts/build-dashboard.mjs` cuts them out of the page's module, with all that nothing else calls: it compiles with
//! the feature `split` and runs `wasm-split`. `trunk serve` does neither, and the page has the views from the beginning.

#![cfg_attr(
    feature = "split",
    allow(unsafe_code, reason = "the attribute declares what another module exports")
)]

use crate::session::Session;
use crate::session::intake::Notice;
use leptos::prelude::*;
#[cfg(feature = "split")]
use leptos::wasm_split;
use leptos::wasm_split::SplitLoaderError;
use std::cell::Cell;

/// Draws a view.
type Draw = fn() -> AnyView;

/// The views of a module. It gives functions, because a view is drawn later than it comes, and again.
type Views = &'static [(Part, Draw)];

/// The modules by their names, with their views. Views with much code in common share a module: what several modules need is
/// a file more for each set of them.
macro_rules! fetched_views {
    ($($module:ident { $($(#[$doc:meta])* $part:ident => $draw:expr;)* })*) => {
        /// A view that is fetched.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Part {
            $($($(#[$doc])* $part,)*)*
        }

        impl Part {
            async fn fetch(self) -> Result<Views, SplitLoaderError> {
                match self {
                    $($(Self::$part)|* => $module().await,)*
                }
            }
        }

        $(
            #[cfg_attr(feature = "split", wasm_split::wasm_split($module, wasm_split_path = leptos::wasm_split, fallible))]
            #[cfg(feature = "split")]
            fn $module() -> Result<Views, SplitLoaderError> {
                Ok(&[$((Part::$part, || $draw.into_any())),*])
            }

            #[cfg(not(feature = "split"))]
            async fn $module() -> Result<Views, SplitLoaderError> {
                Ok(&[$((Part::$part, || $draw.into_any())),*])
            }
        )*
    };
}

fetched_views! {
    health { Health => super::health::Health(); }
    runs { Runs => super::runs::Runs(); }
    traffic { Traffic => super::traffic::Traffic(); }
    fleet {
        Breakers => super::breakers::Breakers();
        Fleet => super::fleet::Fleet();
    }
    lab { Lab => super::lab::LabView(); }
    comparison {
        /// Two calls side by side, in place of the details of one.
        Comparison => super::comparison::Comparison();
    }
}

/// The state of a part.
#[derive(Clone, Copy)]
enum State {
    Loading,
    Ready(Draw),
    Failed,
}

thread_local! {
    /// The parts that have come: they are drawn at once.
    static READY: [Cell<Option<Draw>>; 7] = const { [const { Cell::new(None) }; 7] };
}

fn at_hand(part: Part) -> Option<Draw> {
    READY.with(|ready| ready.get(part as usize).and_then(Cell::get))
}

/// The view, once its code is there.
pub(crate) fn fetched(part: Part) -> AnyView {
    let state = RwSignal::new(at_hand(part).map_or(State::Loading, State::Ready));
    let fetch = move || {
        state.set(State::Loading);
        leptos::task::spawn_local(async move {
            let come = part.fetch().await;
            for &(part, draw) in come.unwrap_or_default() {
                READY
                    .with(|ready| ready.get(part as usize).into_iter().for_each(|cell| cell.set(Some(draw))));
            }
            // The view may be closed by now.
            state.try_set(at_hand(part).map_or(State::Failed, State::Ready));
        });
    };
    if at_hand(part).is_none() {
        fetch();
    }
    let inside = move || match state.get() {
        State::Ready(draw) => draw(),
        State::Loading => view! { <p class="dim late" role="status">"Loading the view…"</p> }.into_any(),
        State::Failed => view! {
            <div class="notice" role="alert">
                <p>"The code of this view could not be loaded. Check that the server runs."</p>
                <button class="tool" on:click=move |_| fetch()>"Try again"</button>
            </div>
        }
        .into_any(),
    };
    inside.into_any()
}

/// Saves something that is shown.
type Save = fn(Session);

/// Functions that save the calls that are shown.
pub(crate) struct Exports {
    pub(crate) report: Save,
    pub(crate) trace: Save,
}

const EXPORTS: Exports = Exports { report: super::saved::save_report, trace: super::saved::save_trace };

#[cfg_attr(
    feature = "split",
    wasm_split::wasm_split(exports, wasm_split_path = leptos::wasm_split, fallible)
)]
#[cfg(feature = "split")]
fn exports() -> Result<Exports, SplitLoaderError> {
    Ok(EXPORTS)
}

#[cfg(not(feature = "split"))]
async fn exports() -> Result<Exports, SplitLoaderError> {
    Ok(EXPORTS)
}

/// Fetches the code of the exports before it is needed: the server may have ended by then.
pub(crate) fn fetch_exports() {
    leptos::task::spawn_local(async {
        let _ = exports().await;
    });
}

/// Saves what is shown, once the code for it is there.
pub(crate) fn save(session: Session, kind: fn(&Exports) -> Save) {
    leptos::task::spawn_local(async move {
        match exports().await {
            Ok(exports) => kind(&exports)(session),
            Err(_) => session.intake.notice.set(Some(Notice::Export(
                "Nothing was saved, because the code of the export could not be loaded. Check that the server runs, and try again.".into(),
            ))),
        }
    });
}
