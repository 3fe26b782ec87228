//! The session of a page: the event log, the clock, the user's place, the visible time range, and the source of the events.
//! Each has its own file; this one has the acts that concern several of them.

mod clock;
mod event_log;
mod frames;
pub(crate) mod intake;
pub(crate) mod navigation;
mod press;
pub(crate) mod scope;
pub(crate) mod time_range;

use crate::source::{self, Connection, Feed, ServerStats, Sink};
use crate::ui::wall_clock;
use halfopen_model::layout::Viewport;
use halfopen_model::session::beat::Frame;
use halfopen_model::view::View;
use halfopen_model::view::swimlanes::Key;
use halfopen_store::numbers::CallNumber;
use halfopen_store::time::Moment;
use intake::{Intake, Notice, Origin};
use leptos::prelude::*;
use navigation::Navigation;
use press::Press;
use scope::Scope;
use std::rc::Rc;
use store::Log;
use time_range::TimeRange;

pub(crate) use clock::{Clock, Slow};
pub(crate) use event_log::EventLog;
pub(crate) use halfopen_store::{breaker, call, names, query, store};

/// The session: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    pub(crate) log: EventLog,
    pub(crate) clock: Clock,
    pub(crate) navigation: Navigation,
    pub(crate) range: TimeRange,
    pub(crate) scope: Scope,
    pub(crate) intake: Intake,
    pub(crate) press: Press,
}

impl Session {
    pub(crate) fn new() -> Self {
        let now = wall_clock::now();
        let (log, clock, navigation) = (EventLog::new(now), Clock::new(now), Navigation::new());
        let session = Self {
            log,
            clock,
            navigation,
            range: TimeRange::new(now),
            scope: Scope::new(log, clock, navigation),
            intake: Intake::new(),
            press: Press::listen(),
        };
        session.clock.start(move || session.frame());
        // Slow work may depend on the visible time range.
        Effect::new(move |_| {
            session.range.get();
            session.clock.change();
        });
        session
    }

    /// The beginning of a frame. Returns whether another one must follow.
    fn frame(self) -> bool {
        // Lines that arrive now wait.
        if self.press.holds() {
            return true;
        }
        let is_live = !matches!(self.intake.origin.get_untracked(), Origin::File(_));
        let goes_on = is_live && !self.log.paused.get_untracked();
        let watched = goes_on
            && self.navigation.view.get_untracked() == View::Timeline
            && self.range.peek().follow
            && self.log.peek(Log::is_busy);
        let smooth = self.clock.is_smooth(watched);
        let writing = self.intake.loading.get_untracked().is_some();
        let changed = self.log.apply(writing);
        // While a source writes to the log, writing has priority over views.
        let calm = writing || !changed && !smooth;
        let frame = Frame { received: self.log.take_received(), changed, calm, goes_on: goes_on || writing };
        let first = (changed || !writing) && self.clock.turn(frame);
        if changed || smooth || first && goes_on {
            self.advance();
        }
        // Without a connection, silence says nothing about a process.
        if first && goes_on && self.intake.listens() {
            self.log.pass_time(self.clock.now.get_untracked());
        }
        smooth || self.log.has_more()
    }

    /// Sets the time.
    fn advance(self) {
        if self.log.paused.get_untracked() {
            return;
        }
        let now = match self.intake.origin.get_untracked() {
            Origin::Live => wall_clock::now(),
            Origin::File(_) => self.log.peek(|log| log.bounds().map_or(Moment::default(), |bounds| bounds.1)),
            Origin::Demo => self.intake.now().unwrap_or_default(),
        };
        self.clock.now.set(now);
    }

    /// Stops taking events into the views, or resumes with those that have arrived since.
    pub(crate) fn toggle_pause(self) {
        let paused = !self.log.paused.get_untracked();
        self.log.pause(paused);
        self.intake.hold(paused);
        self.clock.frames.request();
    }

    /// Clears all events. For a while, they can be restored.
    pub(crate) fn clear(self) {
        self.log.clear();
        self.forget_places();
        self.clock.frames.request();
    }

    /// Restores the cleared events, before those that have arrived since.
    pub(crate) fn undo(self) {
        if self.log.undo() {
            self.forget_places();
            self.clock.frames.request();
        }
    }

    /// Deselects everything, because it belongs to a log that is gone.
    fn forget_places(self) {
        self.navigation.deselect();
        self.scope.span.set(None);
    }

    /// Shows the events that the server and pages of this origin send.
    pub(crate) fn show_live(self) {
        let connection = if source::is_embedded() { Connection::Open } else { Connection::Connecting };
        self.begin(Origin::Live, connection, |sink| source::connect(&sink));
    }

    /// Shows the demonstration.
    pub(crate) fn show_demo(self) {
        self.begin(Origin::Demo, Connection::Off, source::demonstrate);
    }

    /// Shows a file.
    pub(crate) fn open_file(self, file: web_sys::File) {
        self.begin(Origin::File(file.name()), Connection::Off, |sink| source::read(file, sink));
    }

    /// Shows the events of another source, and drops those of the previous one.
    fn begin(self, origin: Origin, connection: Connection, start: impl FnOnce(Rc<dyn Sink>) -> Feed) {
        self.intake.stop();
        self.restart();
        self.log.paused.set(false);
        let now = wall_clock::now();
        self.clock.now.set(now);
        self.range.restart(now);
        self.intake.begin(origin, connection, || start(Rc::new(self)));
    }

    /// Shows the whole log.
    pub(crate) fn fit(self) {
        self.log.peek(|log| self.range.fit(log, self.clock.now.get_untracked()));
    }

    /// Shows a part of the time axis and stops following.
    pub(crate) fn show_range(self, viewport: Viewport) {
        self.log.peek(|log| self.range.show(&viewport, log, self.clock.now.get_untracked()));
    }

    /// Removes the filter and the selected time.
    pub(crate) fn show_all_calls(self) {
        self.navigation.filter(String::new());
        self.scope.span.set(None);
    }

    /// Selects a call and shows it.
    pub(crate) fn show_call(self, number: CallNumber) {
        self.select_call(number);
        self.navigation.view.set(View::Timeline);
    }

    /// Selects a call and brings it into the timeline's range, whichever view is shown. A swimlane without it closes.
    pub(crate) fn select_call(self, number: CallNumber) {
        let has = |key: Key| self.log.peek(|log| log.call(number).is_none_or(|call| key.has(log, call)));
        if self.navigation.swimlane.get_untracked().is_some_and(|key| !has(key)) {
            self.navigation.swimlane.set(None);
        }
        self.navigation.select(number, false);
        self.log.peek(|log| self.range.bring_into_sight(log, number, self.clock.now.get_untracked()));
    }
}

impl Sink for Session {
    fn take(&self, lines: String) {
        self.log.take(lines);
        self.clock.frames.request();
    }

    fn write(&self, write: &mut dyn FnMut(&mut Log)) {
        self.log.write(write);
        self.clock.change();
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
        self.log.restart();
        self.forget_places();
        self.clock.frames.request();
    }

    fn replayed(&self) {
        self.log.peek(|log| self.range.follow_all(log));
    }

    fn progress(&self, share: f64) {
        self.intake.loading.set(Some(share));
    }

    fn ended(&self) {
        self.intake.loading.set(None);
        self.clock.settle();
        // Calls in flight last until now, which is the end of the file and not the wall clock.
        self.advance();
        self.fit();
        self.clock.frames.request();
    }
}

/// The session of this page.
pub(crate) fn use_session() -> Session {
    expect_context::<Session>()
}
