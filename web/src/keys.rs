//! Handles keys by the table of `halfopen_model::keys`, and shows the sheet of them.

use crate::session::Session;
use crate::session::query;
use crate::source::is_embedded;
use crate::ui::dialog::Dialog;
use crate::ui::storage;
use crate::ui::theme::Themes;
use crate::view::{export, saved};
use halfopen_model::keys::{Action, SHORTCUTS, SIGNS};
use halfopen_model::view::View;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The state that keys act on.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    session: Session,
    themes: Themes,
    /// Whether the sheet of keys is open.
    pub(crate) sheet: RwSignal<bool>,
    /// Whether keys of one character act. Users who dictate, or hit keys by accident, can switch them off (WCAG 2.1.4).
    characters: RwSignal<bool>,
}

/// The storage key for switching them off.
const STORED: &str = "halfopen-shortcuts";

/// Performs the action of a key. Returns `false` if it did nothing, so that the browser may use the key.
fn act(keys: Keys, action: Action, key: &str) -> bool {
    let session = keys.session;
    match action {
        Action::GoToView => go_to_view(keys, key),
        Action::Filter => focus("search"),
        Action::Step => step(keys, key),
        Action::Fold => session
            .navigation
            .selected
            .get_untracked()
            .is_some_and(|selected| done(|| session.navigation.fold(selected))),
        Action::Close => done(|| session.navigation.close_details()),
        Action::Zoom => zoom(keys, key),
        Action::MoveInTime => move_in_time(keys, key),
        Action::ShowAll => done(|| session.fit()),
        Action::Follow => done(|| session.range.follow()),
        Action::Pause => live(keys, Session::toggle_pause),
        Action::Clear => live(keys, Session::clear) || done(|| session.show_live()),
        Action::Undo => done(|| session.undo()),
        Action::OpenFile => click("open-file"),
        Action::SaveEvents => done(|| export::save_events(session)),
        Action::SaveReport => done(|| saved::save_report(session)),
        Action::SaveTrace => done(|| saved::save_trace(session)),
        Action::ShowTest => click("export-test"),
        Action::Demonstrate => !is_embedded() && done(|| session.show_demo()),
        Action::ChangeTheme => done(|| keys.themes.theme.update(|theme| *theme = theme.next())),
        Action::ShowKeys => done(|| keys.sheet.set(true)),
    }
}

/// For a key that always acts.
fn done(act: impl FnOnce()) -> bool {
    act();
    true
}

/// For a key that does nothing while a file is shown.
fn live(keys: Keys, act: fn(Session)) -> bool {
    !untrack(|| keys.session.intake.shows_file()) && done(|| act(keys.session))
}

fn go_to_view(keys: Keys, key: &str) -> bool {
    View::of_digit(key).is_some_and(|view| done(|| keys.session.navigation.view.set(view)))
}

/// Whether the timeline is shown, and the key is not for the details beside it, which arrows scroll.
fn on_timeline(keys: Keys) -> bool {
    let active = document().active_element();
    let in_details = active.is_some_and(|active| active.closest("#details").ok().flatten().is_some());
    keys.session.navigation.view.get_untracked() == View::Timeline && !in_details
}

fn step(keys: Keys, key: &str) -> bool {
    let by = if matches!(key, "ArrowDown" | "j") { 1 } else { -1 };
    on_timeline(keys) && done(|| keys.session.navigation.step.set(by))
}

fn zoom(keys: Keys, key: &str) -> bool {
    let factor = if matches!(key, "+" | "=") { 0.6 } else { 1.0 / 0.6 };
    on_timeline(keys) && done(|| keys.session.show_range(hundredths(keys).zoomed(factor, 50.0)))
}

fn move_in_time(keys: Keys, key: &str) -> bool {
    let by = if matches!(key, "ArrowLeft" | "h") { -20.0 } else { 20.0 };
    on_timeline(keys) && done(|| keys.session.show_range(hundredths(keys).moved(by)))
}

/// The timeline's range, a hundred units wide.
fn hundredths(keys: Keys) -> halfopen_model::layout::Viewport {
    keys.session.log.peek(|log| {
        untrack(|| keys.session.range.viewport(log, keys.session.clock.now.get_untracked(), 100.0))
    })
}

/// Listens to the keys of the page.
pub(crate) fn listen(session: Session, themes: Themes) -> Keys {
    let characters = RwSignal::new(storage::get(STORED).as_deref() != Some("off"));
    let keys = Keys { session, themes, sheet: RwSignal::new(false), characters };
    let _ = window_event_listener(leptos::ev::keydown, move |event| {
        // A dialog has its own keys, which must not change the page below it.
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_dialog_open() {
            return;
        }
        let key = event.key();
        if is_typing() {
            // In a text field, Enter accepts the text.
            if key == "Escape" || key == "Enter" && has_focus("search") {
                blur();
            }
            return;
        }
        if key.chars().count() == 1 && !characters.get_untracked() {
            return;
        }
        let row = SHORTCUTS.iter().find(|row| row.keys.contains(&key.as_str()));
        if row.is_some_and(|row| act(keys, row.action, &key)) {
            event.prevent_default();
        }
    });
    keys
}

/// The element that has the focus takes text.
fn is_typing() -> bool {
    let active = document().active_element();
    active.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            && element.dyn_ref::<web_sys::HtmlInputElement>().is_none_or(|input| input.type_() != "range")
    })
}

fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

fn element(id: &str) -> Option<web_sys::HtmlElement> {
    document().get_element_by_id(id).and_then(|element| element.dyn_into().ok())
}

fn has_focus(id: &str) -> bool {
    document().active_element().is_some_and(|active| active.id() == id)
}

fn focus(id: &str) -> bool {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
    true
}

fn click(id: &str) -> bool {
    if let Some(element) = element(id) {
        element.click();
    }
    true
}

fn blur() {
    let active =
        document().active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = active {
        let _ = element.blur();
    }
}

/// The sheet of keys, filters and signs.
#[component]
pub(crate) fn KeySheet(keys: Keys) -> impl IntoView {
    let row =
        |(term, says): (String, &'static str)| view! { <div><dt><kbd>{term}</kbd></dt><dd>{says}</dd></div> };
    let switch = move |event: web_sys::Event| {
        let on = event_target_checked(&event);
        keys.characters.set(on);
        storage::set(STORED, if on { "on" } else { "off" });
    };
    view! {
        <Dialog id="sheet-title" title="Keys, filters and signs" open=keys.sheet>
            <label class="choice">
                <input type="checkbox" prop:checked=move || keys.characters.get() on:change=switch/>
                "Keys of one character are shortcuts"
            </label>
            <div class="sheet-columns">
                <div>
                    <dl>{SHORTCUTS.iter().map(|shortcut| row((shortcut.shown.to_owned(), shortcut.says))).collect_view()}</dl>
                    <dl>{SIGNS.iter().map(|&(sign, says)| row((sign.to_owned(), says))).collect_view()}</dl>
                </div>
                <dl>
                    {query::help().map(row).collect_view()}
                    <div><dt><kbd>"-"</kbd></dt><dd>"before a term negates it: -status:ok"</dd></div>
                    <div><dt><kbd>"a,b  a*"</kbd></dt><dd>"one of several; a beginning: provider:open*"</dd></div>
                </dl>
            </div>
        </Dialog>
    }
}
