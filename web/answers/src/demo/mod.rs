//! The demonstration: one world, which restarts on request.

mod record;
mod scene;
#[cfg(test)]
mod tests;
mod world;

pub use world::Demo;

use crate::wire::crossing;
use std::cell::RefCell;

crossing! {
    /// Restarts the world.
    pub struct Begin {
        /// The wall time there, in milliseconds since 1970.
        pub wall: f64,
    }

    /// Move the world: the lines of what happened until then are the answer.
    pub struct RunUntil {
        /// Milliseconds from its beginning.
        pub until: f64,
    }
}

thread_local! {
    static WORLD: RefCell<Option<Demo>> = const { RefCell::new(None) };
}

pub(crate) fn begin(question: &Begin) -> bool {
    WORLD.with_borrow_mut(|world| *world = Some(Demo::new(question.wall)));
    true
}

pub(crate) fn run_until(question: &RunUntil) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "milliseconds of a demonstration"
    )]
    let until = question.until as u64;
    WORLD.with_borrow_mut(|world| world.as_mut().map_or_else(String::new, |world| world.run_until(until)))
}
