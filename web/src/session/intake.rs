//! Where the events come from, and how that stands.

use crate::source::{Connection, Feed, ServerStats};
use halfopen_store::time::Moment;
use leptos::prelude::*;

pub(crate) use halfopen_model::view::status::Origin;

/// Something that the user should know, in the bar at the bottom until it no longer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// About where the events come from: gone when they come from elsewhere, or when the connection is well again.
    Feed(String),
    /// About an export that was not made because of the filter: gone when the filter is another.
    Filter(String),
}

impl Notice {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Feed(text) | Self::Filter(text) => text,
        }
    }
}

/// How many times as fast as the wall clock the demonstration goes at most.
const FASTEST: f64 = 16.0;

/// Where the events come from: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Intake {
    feed: StoredValue<Option<Feed>, LocalStorage>,
    pub(crate) origin: RwSignal<Origin>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) server: RwSignal<ServerStats>,
    /// How much of a file has been read, from 0 to 1; nothing while none is being read.
    pub(crate) loading: RwSignal<Option<f64>>,
    pub(crate) notice: RwSignal<Option<Notice>>,
    /// How many times as fast as the wall clock the demonstration goes.
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

    /// A file is shown: nothing comes in, and its end is now.
    pub(crate) fn shows_file(self) -> bool {
        matches!(self.origin.get(), Origin::File(_))
    }

    /// Ends the present source.
    pub(super) fn stop(self) {
        self.feed.update_value(|feed| drop(feed.take()));
    }

    /// Begins with another source, which `start` starts.
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

    /// The source's own time, where it has one.
    pub(super) fn now(self) -> Option<Moment> {
        self.feed.with_value(|feed| feed.as_ref().and_then(Feed::now))
    }

    /// Lets the source's own time stand still, or go on.
    pub(super) fn hold(self, held: bool) {
        let pace = if held { 0.0 } else { self.speed.get_untracked() };
        self.feed.with_value(|feed| feed.iter().for_each(|feed| feed.set_pace(pace)));
    }

    /// Makes the demonstration four times as fast, or after the fastest as fast as the wall clock again.
    pub(crate) fn next_speed(self, held: bool) {
        self.speed.update(|speed| *speed = if *speed >= FASTEST { 1.0 } else { *speed * 4.0 });
        self.hold(held);
    }

    /// Whether events would be heard if any came: not while there is no connection.
    pub(super) fn listens(self) -> bool {
        self.origin.get_untracked() != Origin::Live || self.connection.get_untracked() == Connection::Open
    }
}
