//! A running source, which ends when it is dropped.

use halfopen_store::time::Moment;
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

/// A source that sends events until it is dropped.
pub(crate) struct Feed {
    /// Connections, listeners and timers, which end when they are dropped.
    _parts: Box<dyn Any>,
    time: Rc<OwnTime>,
}

/// The time of a source that makes its own events.
pub(super) struct OwnTime {
    /// Its speed relative to the wall clock; 0 while it is stopped.
    pub(super) pace: Cell<f64>,
    pub(super) now: Cell<Option<Moment>>,
}

impl Default for OwnTime {
    fn default() -> Self {
        Self { pace: Cell::new(1.0), now: Cell::default() }
    }
}

impl Feed {
    pub(super) fn new(parts: impl Any) -> Self {
        Self { _parts: Box::new(parts), time: Rc::default() }
    }

    /// A feed of a source that makes its own events.
    pub(super) fn with_time(parts: impl Any, time: Rc<OwnTime>) -> Self {
        Self { _parts: Box::new(parts), time }
    }

    /// Sets the speed of a source's own time; 0 stops it. Other sources ignore it.
    pub(crate) fn set_pace(&self, pace: f64) {
        self.time.pace.set(pace);
    }

    /// The source's own time, if it has one.
    pub(crate) fn now(&self) -> Option<Moment> {
        self.time.now.get()
    }
}
