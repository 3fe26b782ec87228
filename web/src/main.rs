//! The dashboard's entry point.

use leptos::prelude::*;

fn main() {
    mount_to_body(|| view! { <p>"Halfopen"</p> });
}
