//! What moves the timeline's rows: following the newest, and the keys that select.

use crate::session::Session;
use halfopen_model::layout::sight::{Sight, scroll_to, scroll_to_middle, tall, top};
use halfopen_store::numbers::CallNumber;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Keeps the newest rows in sight while following, unless the user scrolled up. Returns what scrolls down where that is
/// due: for the end of a frame, when the rows are there. A file is read from its beginning: its rows stay where they are.
pub(super) fn follow_the_end(
    session: Session,
    body: NodeRef<leptos::html::Div>,
    count: Memo<usize>,
    stuck: RwSignal<bool>,
    scroll: RwSignal<f64>,
) -> impl Fn() + Copy {
    let due = StoredValue::new(false);
    Effect::new(move |_| {
        let rows = count.get();
        let follows = session.range.get().follow && !session.intake.shows_file();
        due.set_value(follows && rows > 0 && stuck.get_untracked());
    });
    move || {
        if let Some(body) = body.get_untracked().filter(|_| due.get_value()) {
            due.set_value(false);
            #[expect(clippy::cast_possible_truncation, reason = "at most TALLEST")]
            body.set_scroll_top(tall(count.get_untracked()) as i32);
            scroll.set(f64::from(body.scroll_top()));
        }
    }
}

/// Returns what scrolls to the selected call after it was selected, and after another filter or time has changed the rows: for the
/// end of a frame, when the rows are there. Otherwise, the user scrolls.
pub(super) fn scroll_to_selected(
    session: Session,
    body: NodeRef<leptos::html::Div>,
    rows: Memo<Arc<Vec<CallNumber>>>,
    scroll: RwSignal<f64>,
) -> impl Fn() + Copy {
    let drawn = StoredValue::new(Arc::<Vec<CallNumber>>::default());
    let due = StoredValue::new(Due::No);
    Effect::new(move |_| {
        due.set_value(if session.navigation.selected.get().is_some() { Due::Now } else { Due::No });
    });
    Effect::new(move |before: Option<()>| {
        session.scope.query.track();
        session.scope.span.track();
        if before.is_some() && session.navigation.selected.get_untracked().is_some() {
            due.set_value(Due::After(drawn.get_value()));
        }
    });
    move || {
        let rows = rows.get_untracked();
        let is_due = due.with_value(|due| match due {
            Due::No => false,
            Due::Now => true,
            Due::After(old) => !Arc::ptr_eq(old, &rows),
        });
        let selected = session.navigation.selected.get_untracked().filter(|_| is_due);
        let row = selected.and_then(|selected| rows.iter().position(|&row| row == selected));
        let count = rows.len();
        drawn.set_value(rows);
        let Some((row, body)) = row.zip(body.get_untracked()) else { return };
        // The elements may still be those of swimlanes.
        if f64::from(body.scroll_height()) < tall(count) {
            return;
        }
        due.set_value(Due::No);
        let (top, height) = (f64::from(body.scroll_top()), f64::from(body.client_height()));
        if let Some(top) = scroll_to_middle(row, top, height) {
            #[expect(clippy::cast_possible_truncation, reason = "at most TALLEST")]
            body.set_scroll_top(top as i32);
            scroll.set(f64::from(body.scroll_top()));
        }
    }
}

/// Returns what scrolls to the call at which the list of a swimlane begins that was just opened: for the end of a frame, when the
/// rows are there.
pub(super) fn scroll_to_first(
    body: NodeRef<leptos::html::Div>,
    rows: Memo<Arc<Vec<CallNumber>>>,
    scroll: RwSignal<f64>,
    first: StoredValue<Option<CallNumber>>,
) -> impl Fn() + Copy {
    move || {
        let Some((wanted, body)) = first.get_value().zip(body.get_untracked()) else { return };
        let rows = rows.get_untracked();
        let Some(row) = rows.iter().position(|&row| row == wanted) else { return };
        // The elements may still be those of swimlanes.
        if f64::from(body.scroll_height()) < tall(rows.len()) {
            return;
        }
        first.set_value(None);
        #[expect(clippy::cast_possible_truncation, reason = "at most TALLEST")]
        body.set_scroll_top(top(row) as i32);
        scroll.set(f64::from(body.scroll_top()));
    }
}

/// When the timeline scrolls to the selected call.
enum Due {
    No,
    Now,
    /// As soon as the rows are others than these: a filter is applied in steps.
    After(Arc<Vec<CallNumber>>),
}

/// Moves the selection by the steps that keys ask for.
pub(super) fn step_through(session: Session, body: NodeRef<leptos::html::Div>, sight: Memo<Sight>) {
    Effect::new(move |_| {
        let steps = session.navigation.step.get();
        if steps == 0 {
            return;
        }
        session.navigation.step.set(0);
        let selected = session.navigation.selected.get_untracked();
        let Some((row, number)) = sight.with_untracked(|sight| sight.step(selected, steps)) else {
            // In place of rows there may be swimlanes.
            focus_swimlane(steps);
            return;
        };
        session.navigation.select(number, false);
        let Some(body) = body.get_untracked() else { return };
        let (scroll, height) = (f64::from(body.scroll_top()), f64::from(body.client_height()));
        if let Some(scroll) = scroll_to(row, scroll, height) {
            #[expect(clippy::cast_possible_truncation, reason = "pixels of a page")]
            body.set_scroll_top(scroll as i32);
        }
    });
}

/// Moves the focus to the next swimlane or to the one before, whose button Enter presses; first to the first.
fn focus_swimlane(steps: i32) {
    const SWIMLANE: &str = ".tl-swimlane";
    let at = document().active_element().and_then(|active| active.closest(SWIMLANE).ok().flatten());
    let to = match at {
        Some(at) if steps > 0 => at.next_element_sibling(),
        Some(at) => at.previous_element_sibling(),
        None => document().query_selector(SWIMLANE).ok().flatten(),
    };
    let button = to.and_then(|to| to.query_selector("button").ok().flatten());
    if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = button.focus();
    }
}
