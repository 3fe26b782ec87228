//! A sheet over the page: the browser's own dialog, which keeps the focus within it, closes at Escape, and gives the focus
//! back to where it was.

use leptos::prelude::*;

/// A dialog that is open while it is in the page. `open` becomes `false` when it has been closed.
#[component]
pub(crate) fn Dialog(
    id: &'static str,
    title: &'static str,
    open: RwSignal<bool>,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<leptos::html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            let _ = dialog.show_modal();
        }
    });
    // Removing it without closing it would lose the focus.
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    // A click on the dialog itself is one on its backdrop, because its contents cover the rest.
    let close_by_veil = move |event: web_sys::MouseEvent| {
        let on_veil = dialog.get_untracked().is_some_and(|dialog| {
            event.target().is_some_and(|target| js_sys::Object::is(&target, dialog.as_ref()))
        });
        if on_veil {
            close(event);
        }
    };
    view! {
        <dialog class="sheet" node_ref=dialog aria-labelledby=id on:close=move |_| open.set(false) on:click=close_by_veil>
            <div class="sheet-inside">
                <header>
                    <h2 id=id>{title}</h2>
                    <button class="icon" aria-label="Close" on:click=close>"✕"</button>
                </header>
                {children()}
            </div>
        </dialog>
    }
}
