//! The only loop of animation frames. Each frame applies new lines first, then updates the DOM, then draws canvases, so that
//! rows and their bars show the same moment.

use leptos::prelude::*;
use std::rc::Rc;

/// The loop: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Frames(StoredValue<State, LocalStorage>);

#[derive(Default)]
struct State {
    /// Whether a frame is requested.
    requested: bool,
    /// Whether another frame follows this one.
    goes_on: bool,
    apply: Option<Rc<dyn Fn() -> bool>>,
    drawings: Vec<Drawing>,
}

impl Frames {
    pub(super) fn new() -> Self {
        Self(StoredValue::new_local(State::default()))
    }

    /// Sets the function that each frame begins with. It returns whether another frame must follow.
    pub(super) fn begin_with(self, apply: impl Fn() -> bool + 'static) {
        self.0.update_value(|state| state.apply = Some(Rc::new(apply)));
    }

    /// Requests a frame, unless one is requested already.
    pub(super) fn request(self) {
        let on_its_way = self.0.try_update_value(|state| std::mem::replace(&mut state.requested, true));
        if on_its_way == Some(false) {
            // The browser runs both in one frame, and Leptos's effects between them: they are microtasks (HTML,
            // "clean up after running script").
            request_animation_frame(move || self.apply());
            request_animation_frame(move || self.draw());
        }
    }

    /// Applies new lines without a frame, because a page in the background has none.
    pub(super) fn apply(self) {
        let apply = self.0.with_value(|state| state.apply.clone());
        let goes_on = apply.is_some_and(|apply| apply());
        self.0.update_value(|state| state.goes_on = goes_on);
    }

    fn draw(self) {
        let drawings = self.0.try_update_value(|state| {
            state.requested = false;
            std::mem::take(&mut state.drawings)
        });
        drawings.into_iter().flatten().for_each(Drawing::run);
        if self.0.with_value(|state| state.goes_on) {
            self.request();
        }
    }

    /// Registers a drawing that runs at the end of a frame, as long as the current owner lives.
    pub(crate) fn drawing(self, draw: impl Fn() + 'static) -> Drawing {
        let draw: Rc<dyn Fn()> = Rc::new(draw);
        Drawing { frames: self, draw: StoredValue::new_local(draw), waits: StoredValue::new(false) }
    }
}

/// A drawing that runs at the end of a frame: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Drawing {
    frames: Frames,
    draw: StoredValue<Rc<dyn Fn()>, LocalStorage>,
    waits: StoredValue<bool>,
}

impl Drawing {
    /// Requests the drawing for the end of this frame, or of the next one. Several requests draw once.
    pub(crate) fn request(self) {
        if self.waits.try_update_value(|waits| std::mem::replace(waits, true)) == Some(false) {
            self.frames.0.update_value(|state| state.drawings.push(self));
            self.frames.request();
        }
    }

    fn run(self) {
        // The view that it belonged to may be gone.
        if self.waits.try_update_value(|waits| *waits = false).is_some()
            && let Some(draw) = self.draw.try_get_value()
        {
            draw();
        }
    }
}
