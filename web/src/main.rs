//! The dashboard: an agent's calls, retries and breakers as they happen, or from a recorded log.

#![allow(unreachable_pub, reason = "`#[component]` makes functions with a `pub` of its own")]

mod address;
mod app;
mod demo;
mod export;
mod layout;
mod lint;
mod session;
mod ui;
mod view;

fn main() {
    leptos::mount::mount_to_body(app::App);
}
