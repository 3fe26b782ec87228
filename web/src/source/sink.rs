//! The interface to which a source passes its events and its state.

use halfopen_store::store::Log;

pub(crate) use halfopen_model::view::status::Connection;

/// The server's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerStats {
    /// The number of its agents.
    pub(crate) agents: u64,
    /// Lines that it refused, because they were no events or too long.
    pub(crate) refused: u64,
}

/// Takes events and reports from a source.
pub(crate) trait Sink {
    /// Takes events, one a line.
    fn take(&self, lines: String);
    /// Lends the log to a source that takes its own time, such as a file.
    fn write(&self, write: &mut dyn FnMut(&mut Log));
    /// The state of the connection has changed. When it is open, earlier reports about the source no longer apply.
    fn connection(&self, connection: Connection);
    fn server(&self, stats: ServerStats);
    /// A problem of the source, for the user.
    fn report(&self, trouble: String);
    /// The next lines belong to another log: that of the events so far is gone.
    fn restart(&self);
    /// All earlier events have been sent: the next ones are new.
    fn replayed(&self);
    /// The share of a file that has been read, from 0 to 1.
    fn progress(&self, share: f64);
    /// All of a file has been read.
    fn ended(&self);
}
