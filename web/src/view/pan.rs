//! The window moved by hand: a drag over the bars, by mouse or finger, and two fingers that go apart or together.

use crate::layout::Viewport;
use crate::session::time_range::TimeRange;
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;
use web_sys::{HtmlElement, PointerEvent};

/// Pixels that a pointer may move and still be a press.
const SLACK: f64 = 4.0;
/// Fingers this near, in pixels, are not told apart.
const NEAR: f64 = 20.0;

/// A finger, or the mouse: where it was when the window was as it is kept, and where it is.
#[derive(Clone, Copy, PartialEq)]
struct Pointer {
    id: i32,
    was: f64,
    is: f64,
}

/// What is on the bars, and the window that was shown when the last of it came or went.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    one: Pointer,
    other: Option<Pointer>,
    from: Viewport,
    moved: bool,
}

/// What the hand does.
#[derive(Clone, Copy, PartialEq)]
enum Hand {
    Away,
    Down(Held),
    /// Just lifted, after it had moved the window: the click that the browser may make of it is still to come.
    Lifted,
}

/// A hand on the timeline.
#[derive(Clone, Copy)]
pub(super) struct Pan {
    range: TimeRange,
    viewport: Memo<Viewport>,
    bars: NodeRef<Canvas>,
    hand: RwSignal<Hand>,
}

impl Pan {
    pub(super) fn new(range: TimeRange, viewport: Memo<Viewport>, bars: NodeRef<Canvas>) -> Self {
        Self { range, viewport, bars, hand: RwSignal::new(Hand::Away) }
    }

    /// Whether the window is being moved: a press that does not move selects the row.
    pub(super) fn moves(self) -> bool {
        match self.hand.get() {
            Hand::Away => false,
            Hand::Down(held) => held.moved,
            Hand::Lifted => true,
        }
    }

    fn left(self) -> f64 {
        self.bars.get_untracked().map_or(f64::INFINITY, |canvas| canvas.get_bounding_client_rect().left())
    }

    pub(super) fn press(self, event: &PointerEvent) {
        let x = f64::from(event.client_x());
        if event.button() != 0 || x < self.left() {
            return;
        }
        let pointer = Pointer { id: event.pointer_id(), was: x, is: x };
        let from = self.viewport.get_untracked();
        let held = match self.hand.get_untracked() {
            Hand::Down(Held { one, other: None, .. }) if !event.is_primary() => {
                Held { one: Pointer { was: one.is, ..one }, other: Some(pointer), from, moved: true }
            }
            Hand::Down(held @ Held { other: Some(_), .. }) => held,
            _ => Held { one: pointer, other: None, from, moved: false },
        };
        self.hand.set(Hand::Down(held));
    }

    /// Moves the window, if that is what the pointer does.
    pub(super) fn follow(self, event: &PointerEvent, body: Option<HtmlElement>) -> bool {
        let Hand::Down(mut held) = self.hand.get_untracked() else { return false };
        if event.buttons() & 1 == 0 {
            return false;
        }
        let (id, x) = (event.pointer_id(), f64::from(event.client_x()));
        for pointer in [Some(&mut held.one), held.other.as_mut()].into_iter().flatten() {
            if pointer.id == id {
                pointer.is = x;
            }
        }
        if !held.moved && (held.one.is - held.one.was).abs() >= SLACK {
            held.moved = true;
            if let Some(body) = body {
                let _ = body.set_pointer_capture(id);
            }
        }
        self.hand.set(Hand::Down(held));
        if held.moved {
            self.range.show(held.window(self.left()));
        }
        held.moved
    }

    pub(super) fn release(self, event: &PointerEvent) {
        let Hand::Down(held) = self.hand.get_untracked() else { return };
        if let Some(other) = held.other {
            let one = if held.one.id == event.pointer_id() { other } else { held.one };
            let from = self.viewport.get_untracked();
            let one = Pointer { was: one.is, ..one };
            self.hand.set(Hand::Down(Held { one, other: None, from, moved: true }));
            return;
        }
        if !held.moved {
            self.hand.set(Hand::Away);
            return;
        }
        self.hand.set(Hand::Lifted);
        let hand = self.hand;
        let leave = move || {
            // Unless it has come down again meanwhile.
            if hand.get_untracked() == Hand::Lifted {
                hand.set(Hand::Away);
            }
        };
        set_timeout(leave, Duration::ZERO);
    }

    /// The browser took the pointers, to scroll.
    pub(super) fn cancel(self) {
        self.hand.set(Hand::Away);
    }
}

impl Held {
    /// The window in which what was under the pointers is under them still; the bars begin at `left`.
    fn window(&self, left: f64) -> Viewport {
        let Self { one, other, from, .. } = self;
        let Some(other) = other else { return from.moved(one.was - one.is) };
        let (was, is) = (f64::midpoint(one.was, other.was), f64::midpoint(one.is, other.is));
        let (apart, now) = ((one.was - other.was).abs().max(NEAR), (one.is - other.is).abs().max(NEAR));
        from.zoomed(apart / now, was - left).moved(was - is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(one: (f64, f64), other: Option<(f64, f64)>) -> Held {
        let pointer = |id, (was, is)| Pointer { id, was, is };
        let from = Viewport { from: 1_000.0, to: 2_000.0, width: 500.0 };
        Held { one: pointer(1, one), other: other.map(|other| pointer(2, other)), from, moved: true }
    }

    #[test]
    fn what_is_under_a_finger_stays_under_it() {
        let held = held((150.0, 100.0), None);
        assert!((held.window(50.0).place(50.0) - held.from.place(100.0)).abs() < 1e-9);
    }

    #[test]
    fn two_fingers_that_go_apart_show_less_and_keep_what_is_under_them() {
        let held = held((150.0, 100.0), Some((250.0, 300.0)));
        let window = held.window(50.0);
        assert!((window.to - window.from - 500.0).abs() < 1e-9);
        for pointer in [held.one, held.other.unwrap()] {
            let (was, is) = (held.from.place(pointer.was - 50.0), window.place(pointer.is - 50.0));
            assert!((was - is).abs() < 1e-9, "{was} {is}");
        }
    }
}
