//! What stands there while there is nothing to show: how to connect, and the demonstration.

use crate::session::intake::Origin;
use crate::session::use_session;
use crate::source::is_embedded;
use crate::ui::copy::Copy;
use leptos::prelude::*;
use std::sync::Arc;

const CODE: &str = "import { connectDevtools } from 'halfopen/devtools';\n\n// once, where your agent starts\nconnectDevtools();";

/// The file that the address names, whose call somebody has sent a link to.
fn linked_file() -> Option<String> {
    let parameters = web_sys::UrlSearchParams::new_with_str(&window().location().search().ok()?).ok()?;
    parameters.get("file").filter(|_| parameters.has("call"))
}

/// Shown until the first event.
#[component]
pub(crate) fn Empty() -> impl IntoView {
    let session = use_session();
    if let Origin::File(name) = session.intake.origin.get() {
        return view! {
            <section class="empty">
                <h2>"No event in "{name}</h2>
                <p>"None of its lines is an event of Halfopen. Select a count in the bar below to see why, or open another file."</p>
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
            {linked_file().map(|file| view! { <p class="notice" role="status">"This link shows a call of the file "<b>{file}</b>": open that file, or drop it here."</p> })}
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
                <span>{if is_embedded() { "Drop a JSONL file here." } else { "or drop a JSONL file here." }}</span>
            </div>
        </section>
    }
    .into_any()
}
