//! The demonstration: it runs in the core's module (web/answers), and its lines come here.

use super::Feed;
use crate::answers::{self, Failure, MODULE, ask};
use crate::session::live::{Notice, Session};
use gloo_timers::callback::Interval;
use halfopen_answers::{Begin, RunUntil};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How much has happened before somebody looks, in milliseconds: there is something to see at once.
const PRELUDE: f64 = 75_000.0;
/// Milliseconds between two steps.
const STEP: u32 = 50;

/// Runs the demonstration in the session, until the feed is dropped.
pub(crate) fn demonstrate(session: Session) -> Feed {
    let wall = js_sys::Date::now() - PRELUDE;
    let timer: Rc<Cell<Option<Interval>>> = Rc::default();
    let (paused, clock) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(wall + PRELUDE)));
    answers::load();
    let (holds, time, ticking) = (Rc::clone(&paused), Rc::clone(&clock), Rc::downgrade(&timer));
    let (mut at, mut last, mut begun) = (0.0, f64::NAN, false);
    let step = move || {
        if let Some(failure) = untrack(answers::failure) {
            session.notice.set(Some(Notice::Feed(match failure {
                Failure::Load(why) => format!(
                    "The demonstration could not be loaded ({why}): {MODULE} should lie beside this page."
                ),
                Failure::Trap(why) => {
                    format!("The demonstration stopped ({why}). Press d to start it again.")
                }
            })));
            drop(ticking.upgrade().and_then(|timer| timer.take()));
            return;
        }
        if !begun {
            begun = untrack(|| ask(&Begin { wall })).is_some();
            at = PRELUDE;
        } else if !holds.get() {
            // A tab that slept goes on where it was: it does not run after the lost time.
            let passed = (js_sys::Date::now() - last).clamp(0.0, 1_000.0);
            at += passed * session.speed.get_untracked();
        }
        last = js_sys::Date::now();
        if begun && !holds.get() {
            let lines = untrack(|| ask(&RunUntil { until: at })).unwrap_or_default();
            time.set(wall + at);
            if !lines.is_empty() {
                session.take(lines);
            }
        }
    };
    let step = RefCell::new(step);
    timer.set(Some(Interval::new(STEP, move || (step.borrow_mut())())));
    Feed::with_clock(timer, paused, clock)
}

#[cfg(test)]
mod tests {
    use crate::session::breaker::State;
    use crate::session::call::{Call, MarkKind, Status};
    use crate::session::store::Log;
    use halfopen_answers::Demo;

    #[test]
    fn the_demonstration_shows_waits_breakers_and_fallbacks_and_nothing_of_it_is_rejected() {
        let mut demo = Demo::new(1_700_000_000_000.0);
        let mut log = Log::default();
        for line in demo.run_until(150_000).lines() {
            assert!(log.take(line), "{line}: {:?}", log.losses);
        }
        assert!(log.totals.calls > 100, "{:?}", log.totals);
        assert!(log.totals.retries > 10, "{:?}", log.totals);
        // Fallbacks, and calls that were refused, whether or not a fallback answered for them.
        assert!(log.calls().any(|(_, call)| call.status == Status::Degraded));
        let refused = |call: &Call| call.marks.iter().any(|mark| mark.kind == MarkKind::Rejected);
        assert!(log.calls().any(|(_, call)| refused(call)));
        assert!(
            log.breakers.iter().any(|breaker| breaker.changes.iter().any(|change| change.to == State::Open))
        );
        assert!(log.breakers.iter().any(|breaker| !breaker.probes.is_empty()));
        let waits: Vec<_> = log.calls().flat_map(|(_, call)| call.waits.clone()).collect();
        assert!(
            waits.iter().all(|wait| wait.ended.is_nan() || wait.due.is_nan() || wait.ended >= wait.due),
            "a wait was cut short"
        );
        assert!(log.calls().any(|(_, call)| call.depth > 0));
        // It plays what it says of its options: where calls are counted, as many have failed as opened the breaker.
        for (index, breaker) in log.breakers.iter().enumerate() {
            let options = log.options_of(log.policy_of(index)).unwrap();
            let counts_attempts = options.at(&["breakerScope"]).is_some_and(|scope| scope.is_text("attempt"));
            let trip = breaker.changes.iter().find(|change| change.to == State::Open);
            let Some(change) = trip.filter(|_| !counts_attempts) else { continue };
            let failed = |call: &Call| {
                let last = call.attempts.last().filter(|_| call.policy == breaker.policy);
                call.ended <= change.at && last.is_some_and(|attempt| attempt.counted)
            };
            let failed = log.calls().filter(|(_, call)| failed(call)).count();
            let counted = change.window.as_ref().unwrap().failures;
            assert!(failed >= counted as usize, "{failed} calls, {counted} counted");
        }
        assert!(log.losses.unknown + log.losses.rejected + log.losses.torn == 0, "{:?}", log.losses);
    }
}
