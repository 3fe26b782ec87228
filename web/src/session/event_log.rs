//! The log as signals: an effect that reads it runs again after a change. `halfopen_model::session::live_log` decides what
//! happens to its lines.

use crate::ui::wall_clock;
use gloo_timers::callback::Timeout;
use halfopen_model::session::live_log::LiveLog;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use leptos::prelude::*;

/// How often a log is shown while a source writes to it, in milliseconds: writing has priority.
const WRITING: f64 = 500.0;
/// After this time without new lines, in milliseconds, the log is complete: a replay is over.
const CALM: f64 = 1_000.0;
/// How long cleared events can be restored, in milliseconds. They take memory until then.
const REMEMBERED: u32 = 20_000;

/// When things happened, by the wall clock.
#[derive(Clone, Copy)]
struct Times {
    /// Lines arrived.
    arrived: Moment,
    /// Views were last notified of a change.
    shown: Moment,
}

/// The log: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct EventLog {
    live: StoredValue<LiveLog, LocalStorage>,
    /// Drops the cleared events for good.
    forget: StoredValue<Option<Timeout>, LocalStorage>,
    /// Whether the log has changed since the last version.
    changed: StoredValue<bool>,
    /// Whether lines have arrived since the last frame.
    has_received: StoredValue<bool>,
    times: StoredValue<Times>,
    /// Changes with the log, at most once a frame.
    version: RwSignal<u64>,
    pub(crate) paused: RwSignal<bool>,
    /// How many lines wait while paused.
    pub(crate) held_count: RwSignal<usize>,
    /// How many events can be restored.
    pub(crate) cleared_count: RwSignal<usize>,
}

impl EventLog {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            live: StoredValue::new_local(LiveLog::default()),
            forget: StoredValue::new_local(None),
            changed: StoredValue::new(false),
            has_received: StoredValue::new(false),
            times: StoredValue::new(Times { arrived: now, shown: Moment::FIRST }),
            version: RwSignal::new(0),
            paused: RwSignal::new(false),
            held_count: RwSignal::new(0),
            cleared_count: RwSignal::new(0),
        }
    }

    /// Reads the log. The effect that calls this runs again after a change.
    pub(crate) fn read<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.track();
        self.peek(read)
    }

    /// Subscribes the effect that calls this to changes of the log.
    pub(crate) fn track(self) {
        self.version.track();
    }

    /// The version of the log, read without subscribing. It changes with the log.
    pub(crate) fn version(self) -> u64 {
        self.version.get_untracked()
    }

    /// Reads the log without subscribing.
    pub(crate) fn peek<T>(self, read: impl FnOnce(&Log) -> T) -> T {
        self.live.with_value(|live| read(live.log()))
    }

    /// The number of the log, which changes when all events are cleared.
    pub(crate) fn generation(self) -> u32 {
        self.live.with_value(LiveLog::generation)
    }

    /// Takes lines for the next frame.
    pub(super) fn take(self, lines: String) {
        self.times.update_value(|times| times.arrived = wall_clock::now());
        self.has_received.set_value(true);
        self.update(|live| {
            live.receive(lines);
            // A page in the background draws no frames, and its counts may be read all the same.
            if document().hidden() {
                live.apply_all();
            }
        });
    }

    /// Writes to the log at once.
    pub(super) fn write(self, write: &mut dyn FnMut(&mut Log)) {
        self.update(|live| live.write(write));
    }

    fn update<T>(self, update: impl FnOnce(&mut LiveLog) -> T) -> Option<T> {
        self.changed.set_value(true);
        self.live.try_update_value(update)
    }

    /// Moves some of the waiting lines into the log and notifies views of the changes. `writing` says whether a source
    /// writes to the log at the same time. Returns whether views have something new to show.
    pub(super) fn apply(self, writing: bool) -> bool {
        let now = wall_clock::now();
        let waits = writing && (0.0..WRITING).contains(&(now - self.times.get_value().shown));
        if waits || !self.changed.get_value() {
            return false;
        }
        self.live.update_value(LiveLog::apply);
        self.changed.set_value(self.has_more());
        self.times.update_value(|times| times.shown = now);
        self.count();
        self.version.update(|version| *version += 1);
        true
    }

    /// Sets the counts that the bars show.
    fn count(self) {
        let (held, cleared) = self.live.with_value(|live| (live.held(), live.cleared()));
        for (signal, count) in [(self.held_count, held), (self.cleared_count, cleared)] {
            if signal.get_untracked() != count {
                signal.set(count);
            }
        }
    }

    /// Whether lines have arrived since the last call.
    pub(super) fn take_received(self) -> bool {
        self.has_received.try_update_value(std::mem::take).unwrap_or(false)
    }

    /// Whether lines wait for a frame.
    pub(super) fn has_more(self) -> bool {
        self.live.with_value(LiveLog::has_more)
    }

    /// Stops taking events into the log, or resumes with those that have arrived since.
    pub(super) fn pause(self, paused: bool) {
        self.update(|live| live.pause(paused));
        self.paused.set(paused);
    }

    /// Advances the log's clock while no event arrives, so that the log sets aside the calls of processes that no longer
    /// report.
    pub(super) fn pass_time(self, now: Moment) {
        let calm = wall_clock::now() - self.times.get_value().arrived > CALM;
        if calm && self.live.try_update_value(|live| live.pass_time(now)).unwrap_or(false) {
            self.changed.set_value(true);
        }
    }

    /// Clears all events. For a while, they can be restored.
    pub(super) fn clear(self) {
        self.update(LiveLog::clear);
        let end = move || {
            self.live.update_value(LiveLog::forget_cleared);
            self.count();
        };
        self.forget.set_value(Some(Timeout::new(REMEMBERED, end)));
    }

    /// Restores the cleared events, before those that have arrived since. Returns whether there were any.
    pub(super) fn undo(self) -> bool {
        self.forget.set_value(None);
        self.update(LiveLog::undo).unwrap_or(false)
    }

    /// Drops all events for good.
    pub(super) fn restart(self) {
        self.forget.set_value(None);
        self.update(LiveLog::restart);
    }
}
