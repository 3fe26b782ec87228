//! Where events come from: the server, pages of this origin, the page around this one, a file, the demonstration. A
//! source knows the [`Sink`] that takes its events, and nothing else of the dashboard.

mod demonstration;
mod embedded;
mod file;
mod pages;
mod stream;

use halfopen_store::store::Log;
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

pub(crate) use demonstration::demonstrate;
pub(crate) use embedded::is_embedded;
pub(crate) use file::read;

/// How the connection to the server stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Connection {
    Connecting,
    Open,
    /// The next try is at that moment.
    Lost(f64),
    /// Not wanted: a file or the demonstration is shown.
    Off,
}

/// What the server says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerStats {
    /// Agents that it has heard of.
    pub(crate) agents: u64,
    /// Lines that it did not take, because they were no events or too long.
    pub(crate) refused: u64,
}

/// Takes what a source brings.
pub(crate) trait Sink {
    /// Takes events, one a line.
    fn take(&self, lines: String);
    /// Lends the log to a source that takes its own time, such as a file.
    fn write(&self, write: &mut dyn FnMut(&mut Log));
    /// The connection is another one. What was reported of the source before no longer holds when it is open.
    fn connection(&self, connection: Connection);
    fn server(&self, stats: ServerStats);
    /// Something that the user should know of the source.
    fn report(&self, trouble: String);
    /// What comes next is of another log: the events so far are of one that is gone.
    fn restart(&self);
    /// All earlier events have been sent: the next ones are new.
    fn replayed(&self);
    /// So much of a file has been read, from 0 to 1.
    fn progress(&self, share: f64);
    /// All of a file has been read.
    fn ended(&self);
}

/// A source that brings events, until it is dropped.
pub(crate) struct Feed {
    /// Connections, listeners and timers, which end when they are dropped.
    _parts: Box<dyn Any>,
    time: Rc<OwnTime>,
}

/// The time of a source that makes its events itself.
struct OwnTime {
    /// How many times as fast as the wall clock it goes: 0 while it stands still.
    pace: Cell<f64>,
    now: Cell<Option<f64>>,
}

impl Default for OwnTime {
    fn default() -> Self {
        Self { pace: Cell::new(1.0), now: Cell::default() }
    }
}

impl Feed {
    fn new(parts: impl Any) -> Self {
        Self { _parts: Box::new(parts), time: Rc::default() }
    }

    /// Sets how fast a source's own time goes; 0 stops it. Other sources ignore it.
    pub(crate) fn set_pace(&self, pace: f64) {
        self.time.pace.set(pace);
    }

    /// The source's own time, where it has one.
    pub(crate) fn now(&self) -> Option<f64> {
        self.time.now.get()
    }
}

/// Listens to the page around this one, or else to the server and this origin's pages.
pub(crate) fn connect(sink: &Rc<dyn Sink>) -> Feed {
    if is_embedded()
        && let Some(listener) = embedded::Listener::start(sink)
    {
        return Feed::new(listener);
    }
    Feed::new((stream::Stream::open(sink), pages::Channel::open(sink)))
}
