//! The session as the views see it: the log, one signal that says it changed, and what the person chose.

use super::arrivals::{Arrivals, Take};
use super::navigation::Navigation;
use super::store::Log;
use super::time_range::TimeRange;
use super::view::View;
use crate::source::demonstration;
use crate::source::embedded;
use crate::source::{self, Feed};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;

/// Where the events come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The server that served this page, and pages of this origin.
    Live,
    /// A file that was opened.
    File(String),
    /// The demonstration in this page.
    Demo,
}

/// How the line to the server stands.
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
    /// Lines that it did not take, for they were no events or too long.
    pub(crate) refused: u64,
}

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

/// How often a file that is being read is shown, in milliseconds.
const LOADING_PAUSE: u64 = 500;
/// From one coarse tick to the next.
const BEAT: std::time::Duration = std::time::Duration::from_millis(250);
/// With nothing new for so long, in milliseconds, the log has what there is: a replay is over.
const CALM: f64 = 1_000.0;
/// Most lines that wait while paused; more are counted as lost here.
const MOST_HELD: usize = 200_000;

/// How long what was forgotten can be brought back, in milliseconds. It takes memory until then.
const REMEMBERED: u32 = 20_000;

/// A log that was forgotten a moment ago.
struct Forgotten {
    log: Log,
    _until: Timeout,
}

/// The session: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    pub(crate) navigation: Navigation,
    pub(crate) range: TimeRange,
    log: StoredValue<Log, LocalStorage>,
    generation: StoredValue<u32>,
    arrivals: StoredValue<Arrivals, LocalStorage>,
    held: StoredValue<Vec<String>, LocalStorage>,
    /// When lines came last.
    arrived: StoredValue<f64>,
    frame: StoredValue<bool>,
    smooth: StoredValue<bool>,
    forgotten: StoredValue<Option<Forgotten>, LocalStorage>,
    /// How many events can be brought back.
    pub(crate) forgotten_count: RwSignal<usize>,
    pub(crate) feed: StoredValue<Option<Feed>, LocalStorage>,
    /// Told at most once a frame that the log changed.
    pub(crate) version: RwSignal<u64>,
    /// The session's clock: wall time when live, the end of a file, the demonstration's own time.
    pub(crate) now: RwSignal<f64>,
    pub(crate) held_count: RwSignal<usize>,
    pub(crate) origin: RwSignal<Origin>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) server: RwSignal<ServerStats>,
    pub(crate) loading: RwSignal<Option<f64>>,
    pub(crate) paused: RwSignal<bool>,
    pub(crate) notice: RwSignal<Option<Notice>>,
    /// Told four times a second: for what is too much work for every frame.
    pub(crate) coarse: RwSignal<u64>,
    /// The same, halfway between: what both do would be too much for one frame.
    pub(crate) offbeat: RwSignal<u64>,
    /// How fast the demonstration's time goes.
    pub(crate) speed: RwSignal<f64>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let now = js_sys::Date::now();
        let session = Self {
            navigation: Navigation::new(),
            range: TimeRange::new(now),
            log: StoredValue::new_local(Log::default()),
            generation: StoredValue::new(0),
            arrivals: StoredValue::new_local(Arrivals::default()),
            held: StoredValue::new_local(Vec::new()),
            arrived: StoredValue::new(now),
            frame: StoredValue::new(false),
            smooth: StoredValue::new(false),
            forgotten: StoredValue::new_local(None),
            forgotten_count: RwSignal::new(0),
            feed: StoredValue::new_local(None),
            version: RwSignal::new(0),
            now: RwSignal::new(now),
            held_count: RwSignal::new(0),
            origin: RwSignal::new(Origin::Live),
            connection: RwSignal::new(Connection::Connecting),
            server: RwSignal::new(ServerStats::default()),
            loading: RwSignal::new(None),
            paused: RwSignal::new(false),
            notice: RwSignal::new(None),
            coarse: RwSignal::new(0),
            offbeat: RwSignal::new(0),
            speed: RwSignal::new(1.0),
        };
        set_interval(move || session.tick(), BEAT);
        set_timeout(move || set_interval(move || session.offbeat.update(|tick| *tick += 1), BEAT), BEAT / 2);
        session
    }

    /// Reads the log and is run again when it changed.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Log) -> T) -> T {
        self.version.track();
        self.log.with_value(read)
    }

    /// Reads the log once.
    pub(crate) fn peek<T>(&self, read: impl FnOnce(&Log) -> T) -> T {
        self.log.with_value(read)
    }

    /// The number of the log: it is another after all events were forgotten.
    pub(crate) fn generation(&self) -> u32 {
        self.generation.get_value()
    }

    /// Takes lines, or holds them while paused.
    pub(crate) fn take(&self, lines: String) {
        self.arrived.set_value(js_sys::Date::now());
        if self.paused.get_untracked() {
            let lost = self.held.try_update_value(|held| {
                let before = held.len();
                held.extend(lines.lines().take(MOST_HELD.saturating_sub(before)).map(str::to_owned));
                lines.lines().count() - (held.len() - before)
            });
            let lost = lost.unwrap_or(0);
            if lost > 0 {
                self.log.update_value(|log| log.losses.dropped += lost as u64);
            }
        } else {
            self.arrivals.update_value(|arrivals| arrivals.push(lines));
            // A page in the background draws no frames, and may yet be asked for its number of events.
            if document().hidden() || self.arrivals.with_value(Arrivals::is_too_much) {
                self.take_arrived(Arrivals::take_all);
            }
        }
        self.changed();
    }

    /// Moves lines that have come into the log.
    fn take_arrived(&self, take: Take) {
        self.log.update_value(|log| {
            self.arrivals.update_value(|arrivals| {
                take(arrivals, &mut |line| {
                    log.take(line);
                })
            })
        });
    }

    /// Says, once in this frame, that the log changed.
    pub(crate) fn changed(&self) {
        if self.frame.get_value() {
            return;
        }
        self.frame.set_value(true);
        let session = *self;
        let tell = move || {
            session.frame.set_value(false);
            session.take_arrived(Arrivals::take_some);
            session.advance();
            let held = session.held.with_value(Vec::len);
            if session.held_count.get_untracked() != held {
                session.held_count.set(held);
            }
            session.version.update(|version| *version += 1);
            if !session.arrivals.with_value(Arrivals::is_empty) {
                session.changed();
            }
        };
        // While a file is read the reading goes before the showing.
        if self.loading.get_untracked().is_some() {
            set_timeout(tell, std::time::Duration::from_millis(LOADING_PAUSE));
        } else {
            request_animation_frame(tell);
        }
    }

    fn advance(&self) {
        if self.paused.get_untracked() {
            return;
        }
        let now = match self.origin.get_untracked() {
            Origin::Live => js_sys::Date::now(),
            Origin::File(_) => self.peek(|log| log.bounds().map_or(0.0, |bounds| bounds.1)),
            Origin::Demo => self.feed.with_value(|feed| feed.as_ref().map_or(0.0, Feed::now)),
        };
        self.now.set(now);
    }

    /// Moves the clock four times a second, and in every frame while somebody watches something go on.
    fn tick(&self) {
        self.coarse.update(|tick| *tick += 1);
        if matches!(self.origin.get_untracked(), Origin::File(_)) || self.paused.get_untracked() {
            return;
        }
        self.advance();
        self.note_silence();
        let watched = self.navigation.view.get_untracked() == View::Timeline && self.range.peek().follow;
        if watched && self.peek(Log::is_busy) && !self.smooth.get_value() && !reduced_motion() {
            self.smooth.set_value(true);
            self.run_smoothly();
        }
    }

    /// Lets the log know that nothing comes, so that it sets aside the calls of processes that do not report any more.
    fn note_silence(&self) {
        // Without a connection nothing can be heard of any process.
        let listens = self.origin.get_untracked() != Origin::Live
            || self.connection.get_untracked() == Connection::Open;
        let calm = js_sys::Date::now() - self.arrived.get_value() > CALM;
        if listens && calm && self.arrivals.with_value(Arrivals::is_empty) {
            let now = self.now.get_untracked();
            if self.log.try_update_value(|log| log.pass_time(now)).unwrap_or(false) {
                self.changed();
            }
        }
    }

    fn run_smoothly(self) {
        request_animation_frame(move || {
            self.advance();
            let watched = self.navigation.view.get_untracked() == View::Timeline && self.range.peek().follow;
            if watched && self.peek(Log::is_busy) && !self.paused.get_untracked() {
                self.run_smoothly();
            } else {
                self.smooth.set_value(false);
            }
        });
    }

    /// Stops taking events into the views, or goes on with those that came meanwhile.
    pub(crate) fn toggle_pause(&self) {
        let paused = !self.paused.get_untracked();
        self.take_arrived(Arrivals::take_all);
        self.paused.set(paused);
        self.feed.with_value(|feed| {
            if let Some(feed) = feed {
                feed.set_paused(paused);
            }
        });
        if !paused {
            self.take_held();
            self.changed();
        }
    }

    /// Moves lines that were held while paused into the log.
    fn take_held(&self) {
        let lines = self.held.try_update_value(std::mem::take).unwrap_or_default();
        self.log.update_value(|log| {
            for line in &lines {
                log.take(line);
            }
        });
    }

    /// A file is shown: nothing comes in, and its end is now.
    pub(crate) fn shows_file(&self) -> bool {
        matches!(self.origin.get(), Origin::File(_))
    }

    /// Forgets all events, for good after a while.
    pub(crate) fn forget(&self) {
        self.take_arrived(Arrivals::take_all);
        self.take_held();
        let log = self.log.try_update_value(std::mem::take).unwrap_or_default();
        self.clear();
        let session = *self;
        let end = move || {
            session.forgotten.set_value(None);
            session.forgotten_count.set(0);
        };
        let count = log.kept();
        if count > 0 {
            self.forgotten.set_value(Some(Forgotten { log, _until: Timeout::new(REMEMBERED, end) }));
            self.forgotten_count.set(count);
        }
    }

    /// Brings back what was forgotten, with what has come since.
    pub(crate) fn remember(&self) {
        let Some(Forgotten { mut log, .. }) = self.forgotten.try_update_value(Option::take).flatten() else {
            return;
        };
        self.take_arrived(Arrivals::take_all);
        self.peek(|since| {
            for line in since.all_lines() {
                log.take(line);
            }
            log.losses.torn += since.losses.torn;
            log.losses.rejected += since.losses.rejected;
        });
        self.clear();
        self.log.set_value(log);
    }

    /// Forgets all events, for good.
    pub(crate) fn clear(&self) {
        self.forgotten.set_value(None);
        self.forgotten_count.set(0);
        self.log.set_value(Log::default());
        self.generation.update_value(|generation| *generation += 1);
        self.arrivals.set_value(Arrivals::default());
        self.held.set_value(Vec::new());
        self.navigation.deselect();
        self.changed();
    }

    /// Shows events from elsewhere: forgets those of before.
    pub(crate) fn switch(&self, origin: Origin) {
        self.feed.update_value(|feed| drop(feed.take()));
        self.clear();
        self.notice.set(None);
        self.paused.set(false);
        let now = js_sys::Date::now();
        self.now.set(now);
        self.range.restart(now);
        self.origin.set(origin.clone());
        self.loading.set(None);
        self.server.set(ServerStats::default());
        let feed = match origin {
            Origin::Live => Some(source::connect(*self)),
            Origin::Demo => Some(demonstration::demonstrate(*self)),
            Origin::File(_) => None,
        };
        self.connection.set(match origin {
            Origin::Live if embedded::is_embedded() => Connection::Open,
            Origin::Live => Connection::Connecting,
            _ => Connection::Off,
        });
        self.feed.set_value(feed);
    }

    /// Takes a piece of a file, cut into lines already.
    pub(crate) fn fill(&self, take: impl FnOnce(&mut Log)) {
        self.log.update_value(take);
        self.changed();
    }

    /// What is told four times a second is told now: nothing more will come for a while.
    pub(crate) fn settle(&self) {
        self.coarse.update(|tick| *tick += 1);
        self.offbeat.update(|tick| *tick += 1);
    }
}

impl Session {
    /// Shows the whole log.
    pub(crate) fn fit(&self) {
        self.peek(|log| self.range.fit(log, self.now.get_untracked()));
    }

    /// Selects a call and shows it.
    pub(crate) fn show_call(&self, number: u32) {
        self.select_call(number);
        self.navigation.view.set(View::Timeline);
    }

    /// Selects a call and brings it into the timeline's range, whichever view is shown.
    pub(crate) fn select_call(&self, number: u32) {
        self.navigation.selected.set(Some(number));
        self.peek(|log| self.range.bring_into_sight(log, number, self.now.get_untracked()));
    }
}

/// The session of this page.
pub(crate) fn use_session() -> Session {
    expect_context::<Session>()
}

/// Whether the person asked for less motion.
pub(crate) fn reduced_motion() -> bool {
    window()
        .match_media("(prefers-reduced-motion: reduce)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches())
}
