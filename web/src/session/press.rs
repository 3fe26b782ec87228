//! A pressed control: until the pointer is lifted, the page does not move, so that the click goes to that control.

use crate::ui::wall_clock;
use halfopen_store::time::Moment;
use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

/// The elements that count as controls.
const CONTROLS: &str = "button, a, summary";
/// A longer press is not a click, in milliseconds.
const LONGEST: f64 = 5_000.0;
/// How long after the pointer is lifted the click may follow, in milliseconds: for touch, it is a separate task.
const CLICK: f64 = 50.0;

/// The control that is pressed: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Press {
    until: StoredValue<Moment>,
}

impl Press {
    /// Listens to the pointers of the page.
    pub(super) fn listen() -> Self {
        let press = Self { until: StoredValue::new(Moment::FIRST) };
        let _ = window_event_listener(ev::pointerdown, move |event| {
            let control = event_target::<Element>(&event).closest(CONTROLS);
            if control.is_ok_and(|control| control.is_some()) {
                press.hold(LONGEST);
            }
        });
        let lift = move |_| {
            if press.holds() {
                press.hold(CLICK);
            }
        };
        let _ = window_event_listener(ev::pointerup, lift);
        let _ = window_event_listener(ev::pointercancel, lift);
        press
    }

    fn hold(self, ms: f64) {
        self.until.set_value(wall_clock::now() + ms);
    }

    /// Whether a control is pressed. A clock that is set back does not prolong a press.
    pub(crate) fn holds(self) -> bool {
        (0.0..=LONGEST).contains(&(self.until.get_value() - wall_clock::now()))
    }
}
