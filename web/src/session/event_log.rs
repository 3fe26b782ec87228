//! The log, and one signal that says it changed. Lines wait here for a frame, or while the user has paused.

use crate::ui::wall_clock;
use gloo_timers::callback::Timeout;
use halfopen_model::arrivals::{Arrivals, Take};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use leptos::prelude::*;

/// Most lines that wait while paused; more are counted as lost here.
const MOST_HELD: usize = 200_000;
/// How often a log that a source writes to is shown, in milliseconds: the writing goes before the showing.
const WRITING: f64 = 500.0;
/// With nothing new for so long, in milliseconds, the log has what there is: a replay is over.
const CALM: f64 = 1_000.0;
/// How long what was forgotten can be brought back, in milliseconds. It takes memory until then.
const REMEMBERED: u32 = 20_000;

/// A log that was forgotten a moment ago.
struct Forgotten {
    log: Log,
    _until: Timeout,
}

/// When things happened, by the wall clock.
#[derive(Clone, Copy)]
struct Times {
    /// Lines came.
    arrived: Moment,
    /// Views were last notified of a change.
    shown: Moment,
}

/// The log: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct EventLog {
    log: StoredValue<Log, LocalStorage>,
    arrivals: StoredValue<Arrivals, LocalStorage>,
    held: StoredValue<Vec<String>, LocalStorage>,
    forgotten: StoredValue<Option<Forgotten>, LocalStorage>,
    generation: StoredValue<u32>,
    /// Whether the log has changed since the version did.
    changed: StoredValue<bool>,
    /// Whether lines have come since the last frame.
    has_received: StoredValue<bool>,
    times: StoredValue<Times>,
    /// Another one after a change, at most once a frame.
    version: RwSignal<u64>,
    pub(crate) paused: RwSignal<bool>,
    /// How many lines wait while paused.
    pub(crate) held_count: RwSignal<usize>,
    /// How many events can be brought back.
    pub(crate) forgotten_count: RwSignal<usize>,
}

impl EventLog {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            log: StoredValue::new_local(Log::default()),
            arrivals: StoredValue::new_local(Arrivals::default()),
            held: StoredValue::new_local(Vec::new()),
            forgotten: StoredValue::new_local(None),
            generation: StoredValue::new(0),
            changed: StoredValue::new(false),
            has_received: StoredValue::new(false),
            times: StoredValue::new(Times { arrived: now, shown: Moment::FIRST }),
            version: RwSignal::new(0),
            paused: RwSignal::new(false),
            held_count: RwSignal::new(0),
            forgotten_count: RwSignal::new(0),
        }
    }

    /// Reads the log; who reads it is run again when it has changed.
    pub(crate) fn read<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.track();
        self.peek(read)
    }

    /// Runs who calls this again when the log has changed.
    pub(crate) fn track(self) {
        self.version.track();
    }

    /// Reads the log once.
    pub(crate) fn peek<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.log.with_value(read)
    }

    /// The number of the log: it is another after all events were forgotten.
    pub(crate) fn generation(self) -> u32 {
        self.generation.get_value()
    }

    /// Takes lines for the next frame, or holds them while paused.
    pub(super) fn take(self, lines: String) {
        self.times.update_value(|times| times.arrived = wall_clock::now());
        self.changed.set_value(true);
        self.has_received.set_value(true);
        if self.paused.get_untracked() {
            self.hold(&lines);
            return;
        }
        self.arrivals.update_value(|arrivals| arrivals.push(lines));
        // A page in the background draws no frames, and may yet be asked for its number of events.
        if document().hidden() || self.arrivals.with_value(Arrivals::is_too_much) {
            self.take_arrived(Arrivals::take_all);
        }
    }

    fn hold(self, lines: &str) {
        let dropped = self.held.try_update_value(|held| {
            let before = held.len();
            held.extend(lines.lines().take(MOST_HELD.saturating_sub(before)).map(str::to_owned));
            lines.lines().count() - (held.len() - before)
        });
        self.log.update_value(|log| log.losses.dropped += dropped.unwrap_or(0) as u64);
    }

    /// Writes to the log at once.
    pub(super) fn write(self, write: impl FnOnce(&mut Log)) {
        self.log.update_value(write);
        self.changed.set_value(true);
    }

    /// Moves some of the lines that wait into the log and lets views know of what changed. `writing` says whether a source
    /// writes to the log meanwhile. Returns whether views have something new to show.
    pub(super) fn apply(self, writing: bool) -> bool {
        let now = wall_clock::now();
        let waits = writing && (0.0..WRITING).contains(&(now - self.times.get_value().shown));
        if waits || !self.changed.get_value() {
            return false;
        }
        self.take_arrived(Arrivals::take_some);
        self.changed.set_value(self.has_more());
        self.times.update_value(|times| times.shown = now);
        let held = self.held.with_value(Vec::len);
        if self.held_count.get_untracked() != held {
            self.held_count.set(held);
        }
        self.version.update(|version| *version += 1);
        true
    }

    /// Whether lines have come since this was last called.
    pub(super) fn take_received(self) -> bool {
        self.has_received.try_update_value(std::mem::take).unwrap_or(false)
    }

    /// Whether lines wait for a frame.
    pub(super) fn has_more(self) -> bool {
        !self.arrivals.with_value(Arrivals::is_empty)
    }

    /// Moves lines that wait into the log.
    fn take_arrived(self, take: Take) {
        self.log.update_value(|log| {
            self.arrivals.update_value(|arrivals| {
                take(arrivals, &mut |line| {
                    log.take(line);
                })
            })
        });
    }

    /// Moves lines that were held while paused into the log.
    fn take_held(self) {
        let lines = self.held.try_update_value(std::mem::take).unwrap_or_default();
        self.write(|log| {
            for line in &lines {
                log.take(line);
            }
        });
    }

    /// Stops taking events into the log, or goes on with those that came meanwhile.
    pub(super) fn pause(self, paused: bool) {
        self.take_arrived(Arrivals::take_all);
        self.paused.set(paused);
        if !paused {
            self.take_held();
        }
    }

    /// Lets the log know that time passes without anything new, so that it sets aside the calls of processes that do not
    /// report any more.
    pub(super) fn pass_time(self, now: Moment) {
        let calm = wall_clock::now() - self.times.get_value().arrived > CALM;
        if calm && !self.has_more() && self.log.try_update_value(|log| log.pass_time(now)).unwrap_or(false) {
            self.changed.set_value(true);
        }
    }

    /// Forgets all events, for good after a while.
    pub(super) fn forget(self) {
        self.take_arrived(Arrivals::take_all);
        self.take_held();
        let log = self.log.try_update_value(std::mem::take).unwrap_or_default();
        self.clear();
        let end = move || {
            self.forgotten.set_value(None);
            self.forgotten_count.set(0);
        };
        let count = log.kept();
        if count > 0 {
            self.forgotten.set_value(Some(Forgotten { log, _until: Timeout::new(REMEMBERED, end) }));
            self.forgotten_count.set(count);
        }
    }

    /// Brings back what was forgotten, with what has come since. Whether there was anything.
    pub(super) fn remember(self) -> bool {
        let Some(Forgotten { mut log, .. }) = self.forgotten.try_update_value(Option::take).flatten() else {
            return false;
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
        true
    }

    /// Forgets all events, for good.
    pub(super) fn clear(self) {
        self.forgotten.set_value(None);
        self.forgotten_count.set(0);
        self.log.set_value(Log::default());
        self.generation.update_value(|generation| *generation += 1);
        self.arrivals.set_value(Arrivals::default());
        self.held.set_value(Vec::new());
        self.changed.set_value(true);
    }
}
