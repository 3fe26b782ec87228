//! A row of a table whose rows sum up calls: its heading is a button that shows them.

use crate::session::use_session;
use leptos::prelude::*;

/// `heading`: what is summed up, and what distinguishes it from another of its name. `filter`: the calls. `cells`: the rest of the row.
pub(super) fn summary_row(
    heading: impl Fn() -> (String, String) + Copy + Send + Sync + 'static,
    filter: impl Fn() -> String + 'static,
    cells: impl Fn() -> Option<AnyView> + Send + 'static,
) -> AnyView {
    let session = use_session();
    let show = move |_| session.navigation.show_calls(filter());
    view! {
        <tr>
            <th scope="row">
                <button class="link" title="Show its calls" on:click=show>{move || heading().0}</button>
                <small>{move || heading().1}</small>
            </th>
            {cells}
        </tr>
    }
    .into_any()
}
