//! The dashboard: an agent's calls, retries and breakers as they happen, or from a recorded log.

mod address;
mod app;
mod layout;
mod session;
mod ui;
mod view;

fn main() {
    leptos::mount::mount_to_body(app::App);
}
