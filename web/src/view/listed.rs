//! Which calls the timeline lists: found at once where that is little work, else in steps while the page stays alive.

use crate::session::names::Names;
use crate::session::query::{Filter, Query};
use crate::session::store::Log;
use crate::session::{Session, Slow};
use crate::ui::wall_clock;
use gloo_timers::future::TimeoutFuture;
use halfopen_model::layout::Viewport;
use halfopen_model::layout::range::listed;
use halfopen_store::numbers::CallNumber;
use halfopen_store::rows::Search;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::sync::Arc;

/// Of more calls the rows are found four times a second, not in every frame.
const MANY: usize = 4_000;
/// With a filter, which looks at every call.
const MANY_FILTERED: usize = 2_000;
/// So many calls are looked at before the search looks at the clock.
const STEP: usize = 1_000;

/// For so long the search goes on before the page may do something else, in milliseconds.
const SLICE: f64 = 8.0;

/// What the rows are found from: with the same, they are the same.
#[derive(Clone, PartialEq)]
struct Key {
    query: Query,
    log: (u32, u64),
    /// Without a filter, the part of time that is shown.
    viewport: Option<Viewport>,
    /// The time, while calls last that are measured by it.
    now: Option<Moment>,
    in_steps: bool,
}

/// A filter, with the names of the log as numbers: it learns the names that come.
type Ready = StoredValue<(Query, Filter), LocalStorage>;
/// What was found in steps, and by which filter.
type Searched = RwSignal<(Query, Arc<Vec<CallNumber>>)>;

/// The calls that the timeline lists, in the order of their rows.
pub(super) fn listed_rows(
    session: Session,
    query: Memo<Query>,
    viewport: Memo<Viewport>,
) -> Memo<Arc<Vec<CallNumber>>> {
    let ready = StoredValue::new_local((Query::default(), Query::default().prepare(&Names::default())));
    let searched = RwSignal::new((Query::default(), Arc::default()));
    let key = Memo::new(move |_| {
        let query = query.get();
        let filtered = !query.is_empty();
        let most = if filtered { MANY_FILTERED } else { MANY };
        let many = session.log.peek(|log| log.calls_kept() > most);
        let viewport = if many {
            session.clock.slow(Slow::Lists);
            viewport.get_untracked()
        } else {
            session.log.track();
            viewport.get()
        };
        Key {
            log: (session.log.generation(), session.log.version()),
            viewport: (!filtered).then_some(viewport),
            now: session.log.peek(Log::is_busy).then(|| session.clock.now.get_untracked()),
            in_steps: many && filtered,
            query,
        }
    });
    search_in_steps(session, key, ready, searched);
    Memo::new(move |last: Option<&Arc<Vec<CallNumber>>>| {
        let key = key.get();
        if key.in_steps {
            let found = searched.with(|(query, rows)| (*query == key.query).then(|| rows.clone()));
            // Until the search is over, the rows stay as they are.
            return found.or_else(|| last.cloned()).unwrap_or_default();
        }
        let now = session.clock.now.get_untracked();
        let rows = session.log.peek(|log| {
            let (from, to) = listed(log, key.viewport.as_ref());
            let mut search = Search::begin(from, to, now);
            with_filter(ready, &key.query, log, |filter| {
                search.step(log, filter, usize::MAX);
                search.rows(log, filter)
            })
        });
        Arc::new(rows.unwrap_or_default())
    })
}

/// Uses the filter of a query; nothing where the timeline is gone.
fn with_filter<T>(ready: Ready, query: &Query, log: &Log, with: impl FnOnce(&Filter) -> T) -> Option<T> {
    ready.try_update_value(|(of, filter)| {
        if of != query {
            (*of, *filter) = (query.clone(), query.prepare(&log.names));
        }
        filter.learn(&log.names);
        with(filter)
    })
}

/// Searches whenever the key says so. The same filter's search ends before another one of it begins.
fn search_in_steps(session: Session, key: Memo<Key>, ready: Ready, searched: Searched) {
    let wanted = StoredValue::new_local(None::<Key>);
    let searches = StoredValue::new(false);
    Effect::new(move |_| {
        let key = key.get();
        if !key.in_steps {
            wanted.set_value(None);
            return;
        }
        wanted.set_value(Some(key));
        if searches.try_update_value(|searches| std::mem::replace(searches, true)) == Some(false) {
            leptos::task::spawn_local(async move {
                while let Some(key) = wanted.try_update_value(Option::take).flatten() {
                    search(session, key, wanted, ready, searched).await;
                }
                searches.try_update_value(|searches| *searches = false);
            });
        }
    });
}

/// Makes one search, unless another filter or another log is wanted meanwhile.
async fn search(
    session: Session,
    key: Key,
    wanted: StoredValue<Option<Key>, LocalStorage>,
    ready: Ready,
    searched: Searched,
) {
    let now = key.now.unwrap_or_else(|| session.clock.now.get_untracked());
    let mut search = Search::begin(Moment::FIRST, Moment::LAST, now);
    let slice = |search: &mut Search| {
        session.log.peek(|log| {
            with_filter(ready, &key.query, log, |filter| {
                let end = wall_clock::now() + SLICE;
                while search.step(log, filter, STEP) {
                    if wall_clock::now() >= end {
                        return true;
                    }
                }
                false
            })
        })
    };
    while let Some(true) = slice(&mut search) {
        TimeoutFuture::new(0).await;
        let is_other = |next: &Key| next.query != key.query || next.log.0 != key.log.0;
        if wanted.try_with_value(|wanted| wanted.as_ref().is_some_and(is_other)) != Some(false) {
            return;
        }
    }
    let rows = session.log.peek(|log| with_filter(ready, &key.query, log, |filter| search.rows(log, filter)));
    if let Some(rows) = rows {
        searched.try_set((key.query, Arc::new(rows)));
    }
}
