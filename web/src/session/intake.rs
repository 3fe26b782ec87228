//! The source of the events, and the state of the connection to it.

use crate::source::{Connection, Feed, ServerStats};
use halfopen_store::time::Moment;
use leptos::prelude::*;

pub(crate) use halfopen_model::view::status::Origin;

/// A notice for the user, in the bar at the bottom until it no longer applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// About the source of the events. It disappears with another source, or when the connection is restored.
    Feed(String),
    /// About an export that saved nothing. It disappears with the next one, and with another filter.
    Export(String),
}

impl Notice {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Feed(text) | Self::Export(text) => text,
        }
    }
}

/// The highest speed of the demonstration, relative to the wall clock.
const FASTEST: f64 = 16.0;

/// The source of the events: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Intake {
    feed: StoredValue<Option<Feed>, LocalStorage>,
    pub(crate) origin: RwSignal<Origin>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) server: RwSignal<ServerStats>,
    /// The share of a file that has been read, from 0 to 1; `None` while no file is being read.
    pub(crate) loading: RwSignal<Option<f64>>,
    pub(crate) notice: RwSignal<Option<Notice>>,
    /// The speed of the demonstration, relative to the wall clock.
    pub(crate) speed: RwSignal<f64>,
}

impl Intake {
    pub(super) fn new() -> Self {
        Self {
            feed: StoredValue::new_local(None),
            origin: RwSignal::new(Origin::Live),
            connection: RwSignal::new(Connection::Connecting),
            server: RwSignal::new(ServerStats::default()),
            loading: RwSignal::new(None),
            notice: RwSignal::new(None),
            speed: RwSignal::new(1.0),
        }
    }

    /// Whether a file is shown: then no event arrives, and its end is now.
    pub(crate) fn shows_file(self) -> bool {
        matches!(self.origin.get(), Origin::File(_))
    }

    /// Ends the present source.
    pub(super) fn stop(self) {
        self.feed.update_value(|feed| drop(feed.take()));
    }

    /// Switches to another source, which `start` starts.
    pub(super) fn begin(self, origin: Origin, connection: Connection, start: impl FnOnce() -> Feed) {
        self.stop();
        self.notice.set(None);
        self.loading.set(None);
        self.server.set(ServerStats::default());
        self.origin.set(origin);
        self.connection.set(connection);
        let feed = start();
        feed.set_pace(self.speed.get_untracked());
        self.feed.set_value(Some(feed));
    }

    /// The source's own time, if it has one.
    pub(super) fn now(self) -> Option<Moment> {
        self.feed.with_value(|feed| feed.as_ref().and_then(Feed::now))
    }

    /// Stops or resumes the source's own time.
    pub(super) fn hold(self, held: bool) {
        let pace = if held { 0.0 } else { self.speed.get_untracked() };
        self.feed.with_value(|feed| feed.iter().for_each(|feed| feed.set_pace(pace)));
    }

    /// Makes the demonstration four times as fast. After the highest speed, it returns to that of the wall clock.
    pub(crate) fn next_speed(self, held: bool) {
        self.speed.update(|speed| *speed = if *speed >= FASTEST { 1.0 } else { *speed * 4.0 });
        self.hold(held);
    }

    /// Whether events can arrive: not while there is no connection.
    pub(super) fn listens(self) -> bool {
        self.origin.get_untracked() != Origin::Live || self.connection.get_untracked() == Connection::Open
    }
}
