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
    halfopen_store::set_seed(random());
    leptos::mount::mount_to_body(app::App);
    // The page shows a static frame until this program runs, which then draws its own.
    if let Some(shell) = leptos::prelude::document().get_element_by_id("shell") {
        shell.remove();
    }
    if let Some(performance) = leptos::prelude::window().performance() {
        let _ = performance.mark("halfopen: first view");
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "any 53 bits will do")]
fn random() -> u64 {
    (js_sys::Math::random() * 2f64.powi(53)) as u64
}
