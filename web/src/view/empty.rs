//! What stands there while there is nothing to show: how to connect, and the demonstration.

use crate::session::intake::Origin;
use crate::session::use_session;
use crate::source::is_embedded;
use crate::ui::copy::Copy;
use leptos::prelude::*;
use std::sync::Arc;

const CODE: &str = "import { connectDevtools } from 'halfopen/devtools';\n\n// once, where your agent starts\nconnectDevtools();";

/// Shown until the first event.
#[component]
pub(crate) fn Empty() -> impl IntoView {
    let session = use_session();
    if let Origin::File(name) = session.intake.origin.get() {
        return view! {
            <section class="empty">
                <h2>"No event in "{name}</h2>
                <p>"None of its lines is an event that Halfopen wrote. The bar below says what became of them: a click lists why."</p>
            </section>
        }
        .into_any();
    }
    let url = window().location().origin().unwrap_or_default();
    let code = if url.ends_with(":4319") {
        CODE.to_owned()
    } else {
        CODE.replace("connectDevtools();", &format!("connectDevtools({{ url: '{url}' }});"))
    };
    view! {
        <section class="empty">
            <h2>"Nothing has happened yet"</h2>
            <p>"Connect an agent that uses Halfopen. Its calls, retries and breakers show here as they happen."</p>
            <div class="code">
                <pre><code>{code.clone()}</code></pre>
                <Copy text=Arc::new(move || code.clone())/>
            </div>
            <div class="empty-ways">
                <Show when=|| !is_embedded()>
                    <button class="tool strong" on:click=move |_| session.show_demo()>"▶ Run the demonstration"</button>
                </Show>
                <span>{if is_embedded() { "drop a JSONL file here." } else { "or drop a JSONL file here." }}</span>
            </div>
        </section>
    }
    .into_any()
}
