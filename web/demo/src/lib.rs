//! The dashboard's demonstration, as a wasm module that is fetched when somebody asks for it: the engine, the
//! classifier and all messages run in it, and the dashboard's own module stays small.
//!
//! It imports nothing, so that no glue is needed. The dashboard calls, in this order:
//! 1. [`demo_begin`] with the wall time at the world's beginning;
//! 2. [`demo_run`] with a moment: what happened until then waits as lines of the log, and their length is returned;
//! 3. [`demo_lines`] for the place of these lines in the module's memory, as UTF-8; read them before the next call.

mod scene;
mod tell;
mod world;

pub use world::Demo;

use std::cell::RefCell;

struct Running {
    demo: Demo,
    lines: String,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Begins the world anew; `wall` is the wall time there, in milliseconds since 1970.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn demo_begin(wall: f64) {
    RUNNING
        .with_borrow_mut(|running| *running = Some(Running { demo: Demo::new(wall), lines: String::new() }));
}

/// Moves the world to `until`, in milliseconds from its beginning. Returns how many bytes of lines there are.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn demo_run(until: f64) -> usize {
    RUNNING.with_borrow_mut(|running| {
        let Some(running) = running else { return 0 };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds of a demonstration"
        )]
        let until = until as u64;
        running.lines = running.demo.run_until(until);
        running.lines.len()
    })
}

/// Where the lines of the last [`demo_run`] stand.
#[expect(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn demo_lines() -> *const u8 {
    RUNNING.with_borrow(|running| running.as_ref().map_or(std::ptr::null(), |running| running.lines.as_ptr()))
}
