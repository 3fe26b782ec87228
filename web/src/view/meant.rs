//! The filter that the user meant.

use crate::session::use_session;
use halfopen_store::query::{self, meant};
use leptos::prelude::*;

/// A button that applies the filter that the user meant; nothing if it is the present one.
#[component]
pub(crate) fn Meant() -> impl IntoView {
    let navigation = use_session().navigation;
    move || {
        let query::Meant { term, filter } = navigation.query.with(|text| meant(text))?;
        let apply = move |_| navigation.filter(filter.clone());
        Some(view! { "Did you mean "<button class="link" on:click=apply>{term}</button>"? " })
    }
}
