//! The session as the views see it: the log, one signal that says it changed, and what the person chose.

use super::arrivals::{Arrivals, Take};
use super::intake::{Intake, Notice, Origin};
use super::navigation::Navigation;
use super::store::Log;
use super::time_range::TimeRange;
use super::view::View;
use crate::source::{self, Connection, Feed, ServerStats, Sink};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use std::rc::Rc;

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
    pub(crate) intake: Intake,
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
    /// Told at most once a frame that the log changed.
    pub(crate) version: RwSignal<u64>,
    /// The session's clock: wall time when live, the end of a file, the demonstration's own time.
    pub(crate) now: RwSignal<f64>,
    pub(crate) held_count: RwSignal<usize>,
    pub(crate) paused: RwSignal<bool>,
    /// Told four times a second: for what is too much work for every frame.
    pub(crate) coarse: RwSignal<u64>,
    /// The same, halfway between: what both do would be too much for one frame.
    pub(crate) offbeat: RwSignal<u64>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let now = js_sys::Date::now();
        let session = Self {
            intake: Intake::new(),
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
            version: RwSignal::new(0),
            now: RwSignal::new(now),
            held_count: RwSignal::new(0),
            paused: RwSignal::new(false),
            coarse: RwSignal::new(0),
            offbeat: RwSignal::new(0),
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
        if self.intake.loading.get_untracked().is_some() {
            set_timeout(tell, std::time::Duration::from_millis(LOADING_PAUSE));
        } else {
            request_animation_frame(tell);
        }
    }

    fn advance(&self) {
        if self.paused.get_untracked() {
            return;
        }
        let now = match self.intake.origin.get_untracked() {
            Origin::Live => js_sys::Date::now(),
            Origin::File(_) => self.peek(|log| log.bounds().map_or(0.0, |bounds| bounds.1)),
            Origin::Demo => self.intake.now().unwrap_or(0.0),
        };
        self.now.set(now);
    }

    /// Moves the clock four times a second, and in every frame while somebody watches something go on.
    fn tick(&self) {
        self.coarse.update(|tick| *tick += 1);
        if matches!(self.intake.origin.get_untracked(), Origin::File(_)) || self.paused.get_untracked() {
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
        let calm = js_sys::Date::now() - self.arrived.get_value() > CALM;
        if self.intake.listens() && calm && self.arrivals.with_value(Arrivals::is_empty) {
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
        self.intake.hold(paused);
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

    /// Shows what the server and pages of this origin send.
    pub(crate) fn show_live(&self) {
        let connection = if source::is_embedded() { Connection::Open } else { Connection::Connecting };
        self.begin(Origin::Live, connection, |sink| source::connect(&sink));
    }

    /// Shows the demonstration.
    pub(crate) fn show_demo(&self) {
        self.begin(Origin::Demo, Connection::Off, source::demonstrate);
    }

    /// Shows a file.
    pub(crate) fn open_file(&self, file: web_sys::File) {
        self.begin(Origin::File(file.name()), Connection::Off, |sink| source::read(file, sink));
    }

    /// Shows events from elsewhere: forgets those of before.
    fn begin(&self, origin: Origin, connection: Connection, start: impl FnOnce(Rc<dyn Sink>) -> Feed) {
        self.intake.stop();
        self.clear();
        self.paused.set(false);
        let now = js_sys::Date::now();
        self.now.set(now);
        self.range.restart(now);
        self.intake.begin(origin, connection, || start(Rc::new(*self)));
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

impl Sink for Session {
    fn take(&self, lines: String) {
        Self::take(self, lines);
    }

    fn write(&self, write: &mut dyn FnMut(&mut Log)) {
        self.log.update_value(write);
        self.changed();
    }

    fn connection(&self, connection: Connection) {
        if connection == Connection::Open {
            self.intake.notice.set(None);
        }
        self.intake.connection.set(connection);
    }

    fn server(&self, stats: ServerStats) {
        self.intake.server.set(stats);
    }

    fn report(&self, trouble: String) {
        self.intake.notice.set(Some(Notice::Feed(trouble)));
    }

    fn restart(&self) {
        self.clear();
    }

    fn replayed(&self) {
        self.peek(|log| self.range.follow_all(log));
    }

    fn progress(&self, share: f64) {
        self.intake.loading.set(Some(share));
    }

    fn ended(&self) {
        self.intake.loading.set(None);
        self.settle();
        self.fit();
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
