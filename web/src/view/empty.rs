//! What stands there while there is nothing to show: how to connect, and the demonstration.

use crate::session::live::{Origin, use_session};
use leptos::prelude::*;

const CODE: &str = "import { connectDevtools } from 'halfopen/devtools';\n\n// once, where your agent starts\nconnectDevtools();";

/// Shown until the first event.
#[component]
pub(crate) fn Empty() -> impl IntoView {
    let session = use_session();
    let url = window().location().origin().unwrap_or_default();
    let code = if url.ends_with(":4319") {
        CODE.to_owned()
    } else {
        CODE.replace("connectDevtools();", &format!("connectDevtools({{ url: '{url}' }});"))
    };
    let copied = RwSignal::new(false);
    let copy = {
        let code = code.clone();
        move |_| {
            let _ = window().navigator().clipboard().write_text(&code);
            copied.set(true);
        }
    };
    view! {
        <section class="empty">
            <h2>"Nothing has happened yet"</h2>
            <p>"Connect an agent that uses Halfopen. Its calls, retries and breakers show here as they happen."</p>
            <div class="code">
                <pre><code>{code}</code></pre>
                <button class="tool" on:click=copy>{move || if copied.get() { "Copied" } else { "Copy" }}</button>
            </div>
            <div class="empty-ways">
                <button class="tool strong" on:click=move |_| session.switch(Origin::Demo)>"▶ Run the demonstration"</button>
                <span>"or drop a JSONL file here."</span>
            </div>
        </section>
    }
}
