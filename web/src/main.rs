//! The dashboard's entry point.

mod session;

use leptos::prelude::*;

fn main() {
    mount_to_body(|| view! { <p>"Halfopen"</p> });
}
