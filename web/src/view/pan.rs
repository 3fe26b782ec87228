//! The window moved by hand: a drag over the bars, by mouse or finger, and two fingers that go apart or together.

use crate::session::Session;
use halfopen_model::layout::Viewport;
use halfopen_model::layout::pan::{Held, Pointer};
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;
use web_sys::{HtmlElement, PointerEvent};

/// Pixels that a pointer may move and still be a press.
const SLACK: f64 = 4.0;

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
    session: Session,
    viewport: Memo<Viewport>,
    bars: NodeRef<Canvas>,
    hand: RwSignal<Hand>,
}

impl Pan {
    pub(super) fn new(session: Session, viewport: Memo<Viewport>, bars: NodeRef<Canvas>) -> Self {
        Self { session, viewport, bars, hand: RwSignal::new(Hand::Away) }
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
            self.session.show_range(held.viewport(self.left()));
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
