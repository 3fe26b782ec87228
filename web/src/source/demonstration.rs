//! The demonstration: it runs in the core's module (web/answers), which sends its lines here.

use super::Sink;
use super::feed::{Feed, OwnTime};
use crate::answers::{self, Failure, MODULE, query};
use crate::ui::wall_clock;
use gloo_timers::callback::Interval;
use halfopen_answers::{Begin, RunUntil};
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// The time that has passed at the start, in milliseconds, so that there is something to see at once.
const PRELUDE: f64 = 75_000.0;
/// Milliseconds between two steps.
const STEP: u32 = 50;
/// The longest time that a step makes up for, in milliseconds: a tab that slept resumes where it was.
const LONGEST_STEP: f64 = 1_000.0;

/// Runs the demonstration, until the feed is dropped.
pub(crate) fn demonstrate(sink: Rc<dyn Sink>) -> Feed {
    let now = wall_clock::now();
    let time = Rc::new(OwnTime { pace: Cell::new(1.0), now: Cell::new(Some(now)) });
    let timer = Rc::new(Cell::new(None));
    answers::load();
    let run = RefCell::new(Run {
        sink,
        time: Rc::clone(&time),
        timer: Rc::downgrade(&timer),
        began: now - PRELUDE,
        last: now,
        at: None,
    });
    timer.set(Some(Interval::new(STEP, move || run.borrow_mut().step())));
    Feed::with_time(timer, time)
}

struct Run {
    sink: Rc<dyn Sink>,
    time: Rc<OwnTime>,
    timer: Weak<Cell<Option<Interval>>>,
    /// When it began, by the wall clock.
    began: Moment,
    /// When the last step was, by the wall clock.
    last: Moment,
    /// Milliseconds of its own time since then; `None` until the core is loaded.
    at: Option<f64>,
}

impl Run {
    fn step(&mut self) {
        if let Some(failure) = untrack(answers::failure) {
            self.sink.report(match failure {
                Failure::Load(why) => format!(
                    "The demonstration could not be loaded ({why}): {MODULE} should lie beside this page."
                ),
                Failure::Trap(why) => {
                    format!("The demonstration stopped ({why}). Press d to start it again.")
                }
            });
            drop(self.timer.upgrade().and_then(|timer| timer.take()));
            return;
        }
        let now = wall_clock::now();
        let passed = (now - self.last).clamp(0.0, LONGEST_STEP) * self.time.pace.get();
        self.last = now;
        let at = match self.at {
            Some(_) if passed <= 0.0 => return,
            Some(at) => at + passed,
            None if untrack(|| query(&Begin { wall: self.began.ms() })).is_some() => PRELUDE,
            None => return,
        };
        self.at = Some(at);
        let lines = untrack(|| query(&RunUntil { until: at })).unwrap_or_default();
        self.time.now.set(Some(self.began + at));
        if !lines.is_empty() {
            self.sink.take(lines);
        }
    }
}
