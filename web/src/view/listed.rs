//! Which calls the timeline lists, in the order of their rows.

use crate::session::store::Log;
use crate::session::{Session, Slow};
use halfopen_model::layout::Viewport;
use halfopen_model::layout::range::listed;
use halfopen_model::view::swimlanes::{self, By};
use halfopen_store::numbers::CallNumber;
use halfopen_store::rows::{in_rows, unfolded};
use halfopen_store::scope::Calls;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::sync::Arc;

/// Of more calls the rows are found four times a second, not in every frame.
const MANY: usize = 4_000;

/// The part of a log that is listed while the scope is all of it.
#[derive(Clone, PartialEq)]
struct InSight {
    log: (u32, u64),
    viewport: Viewport,
    /// The time, while calls last.
    now: Option<Moment>,
}

/// The calls of the scope; if the scope is all of the log, those of the part of time in sight.
pub(super) fn listed_rows(session: Session, viewport: Memo<Viewport>) -> Memo<Arc<Vec<CallNumber>>> {
    let in_sight = Memo::new(move |_| {
        let viewport = if session.log.peek(|log| log.calls_kept() > MANY) {
            session.clock.slow(Slow::Lists);
            viewport.get_untracked()
        } else {
            session.log.track();
            viewport.get()
        };
        let log = (session.log.generation(), session.log.version());
        let now = session.log.peek(Log::is_busy).then(|| session.clock.now.get_untracked());
        InSight { log, viewport, now }
    });
    Memo::new(move |_| {
        let group = session.scope.query.with(|query| query.group);
        let calls = match session.scope.calls.get() {
            Calls::All => in_sight.with(|InSight { viewport, .. }| {
                let now = session.clock.now.get_untracked();
                session.log.peek(|log| Calls::All.within(log, Some(listed(log, viewport)), now))
            }),
            calls @ Calls::Only(_) => calls,
        };
        let Calls::Only(numbers) = calls else { return Arc::default() };
        session.log.peek(|log| in_rows(log, group, &numbers)).map_or(numbers, Arc::new)
    })
}

/// `true` if swimlanes are shown in place of rows. To select a call opens its swimlane.
pub(super) fn swimlaned(session: Session, listed: Memo<Arc<Vec<CallNumber>>>) -> Memo<bool> {
    let navigation = session.navigation;
    let swimlaned = Memo::new(move |before: Option<&bool>| {
        let calls = listed.with(|listed| listed.len());
        navigation.swimlane.get().is_none()
            && navigation.swimlanes_by.get() != By::Call
            && swimlanes::are_shown(before.copied().unwrap_or(false), calls)
    });
    Effect::new(move |_| {
        let Some(selected) = navigation.selected.get().filter(|_| swimlaned.get()) else { return };
        let by = navigation.swimlanes_by.get_untracked();
        let key = session.log.peek(|log| log.call(selected).map(|call| by.of(log, call)));
        navigation.swimlane.set(key);
    });
    swimlaned
}

/// The rows: the calls that are listed, or those of the open swimlane. While swimlanes are shown, it is empty.
pub(super) fn opened_rows(
    session: Session,
    listed: Memo<Arc<Vec<CallNumber>>>,
    swimlaned: Memo<bool>,
) -> Memo<Arc<Vec<CallNumber>>> {
    Memo::new(move |_| {
        if swimlaned.get() {
            return Arc::default();
        }
        let mut rows = listed.get();
        if let Some(key) = session.navigation.swimlane.get() {
            rows = session.log.peek(|log| Arc::new(swimlanes::calls_of(log, key, &rows)));
        }
        session.navigation.folded.with(|folded| {
            if folded.is_empty() {
                rows
            } else {
                session.log.peek(|log| Arc::new(unfolded(log, folded, &rows)))
            }
        })
    })
}
