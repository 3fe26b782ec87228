//! The dashboard: an agent's calls, retries and breakers as they happen, or from a recorded log.

#![allow(unreachable_pub, reason = "`#[component]` makes functions with a `pub` of its own")]

mod address;
mod answers;
mod app;
mod keys;
mod session;
mod source;
mod ui;
mod view;

fn main() {
    leptos::mount::mount_to_body(app::App);
    // The page shows its frame before this program has come; now the frame is the program's own.
    if let Some(shell) = leptos::prelude::document().get_element_by_id("shell") {
        shell.remove();
    }
    if let Some(performance) = leptos::prelude::window().performance() {
        let _ = performance.mark("halfopen: first view");
    }
}
