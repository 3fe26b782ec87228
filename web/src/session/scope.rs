//! The scope of the views: the calls that pass the filter, within the selected time.
//!
//! Every view of the log, the badge of the filter and the exports read it from here, and it is computed once for each version
//! of the log. A filter that is little work is applied at once, others in steps, so that the page keeps responding.

use super::navigation::Navigation;
use super::{Clock, EventLog, Slow};
use crate::ui::wall_clock;
use gloo_timers::future::TimeoutFuture;
use halfopen_store::names::Names;
use halfopen_store::query::{Filter, Misread, Query};
use halfopen_store::rows::Search;
use halfopen_store::scope::{self, Calls, Span};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::sync::Arc;

/// With more calls than this, a filter is applied in steps, four times a second.
const MANY: usize = 2_000;
/// The number of calls that a search checks before it checks the time.
const STEP: usize = 1_000;
/// The longest step of a search, in milliseconds. Then the page may do something else.
const SLICE: f64 = 8.0;

/// The scope: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// The filter; if it cannot be read, one that narrows nothing.
    pub(crate) query: Memo<Query>,
    /// Why the filter cannot be read.
    pub(crate) misread: Memo<Option<Misread>>,
    /// The selected time.
    pub(crate) span: RwSignal<Option<Span>>,
    /// The calls that pass the filter, at any time.
    pub(crate) matching: Memo<Calls>,
    /// Those of them in the selected time: the calls of the views.
    pub(crate) calls: Memo<Calls>,
    /// The same, with the selected time, for views of what is in the scope by its calls.
    pub(crate) whole: Memo<scope::Scope>,
}

/// The input of a search. The same input finds the same calls.
#[derive(Clone, PartialEq)]
struct Key {
    query: Query,
    log: (u32, u64),
    /// The time, while it changes the duration of open calls.
    now: Option<Moment>,
    in_steps: bool,
}

/// A filter, with the names of the log as numbers. It learns new names as they arrive.
type Ready = StoredValue<(Query, Filter), LocalStorage>;
/// The result of a search in steps, and its filter.
type Searched = RwSignal<(Query, Calls)>;

impl Scope {
    pub(super) fn new(log: EventLog, clock: Clock, navigation: Navigation) -> Self {
        let parsed = Memo::new(move |_| {
            let parse = if navigation.typing.get() { Query::parse_typed } else { Query::parse };
            navigation.query.with(|text| parse(text))
        });
        let query = Memo::new(move |_| parsed.get().unwrap_or_default());
        let misread = Memo::new(move |_| parsed.get().err());
        let span = RwSignal::new(None);
        let key = Memo::new(move |_| {
            let query = query.get();
            let many = log.peek(|log| log.calls_kept() > MANY);
            if many && !query.is_empty() {
                clock.slow(Slow::Lists);
            } else {
                log.track();
            }
            Key {
                log: (log.generation(), log.version()),
                now: log.peek(Log::is_busy).then(|| clock.now.get_untracked()),
                in_steps: many && !query.is_empty(),
                query,
            }
        });
        let ready = StoredValue::new_local((Query::default(), Query::default().prepare(&Names::default())));
        let searched = RwSignal::new((Query::default(), Calls::All));
        search_in_steps(log, clock, key, ready, searched);
        let matching = Memo::new(move |last: Option<&Calls>| {
            // Without a filter, frames that change the log compute nothing.
            if query.with(Query::is_empty) {
                return Calls::All;
            }
            let key = key.get();
            if key.in_steps {
                let found = searched.with(|(query, calls)| (*query == key.query).then(|| calls.clone()));
                // Until the search is over, the calls stay as they are.
                return found.or_else(|| last.cloned()).unwrap_or_default();
            }
            let now = clock.now.get_untracked();
            let found = log.peek(|log| {
                let mut search = Search::begin(Moment::FIRST, Moment::LAST, now);
                with_filter(ready, &key.query, log, |filter| search.step(log, filter, usize::MAX));
                search.found()
            });
            Calls::Only(Arc::new(found))
        });
        let calls = Memo::new(move |_| {
            let (matching, span) = (matching.get(), span.get());
            if span.is_some() && matching.is_all() {
                clock.slow(Slow::Lists);
            }
            log.peek(|log| matching.within(log, span, clock.now.get_untracked()))
        });
        let whole = Memo::new(move |_| scope::Scope {
            calls: calls.get(),
            span: span.get(),
            filtered: matching.with(|matching| !matching.is_all()),
        });
        Self { query, misread, span, matching, calls, whole }
    }
}

/// Uses the filter of a query; `None` if the page is gone.
fn with_filter<T>(ready: Ready, query: &Query, log: &Log, with: impl FnOnce(&Filter) -> T) -> Option<T> {
    ready.try_update_value(|(of, filter)| {
        if of != query {
            (*of, *filter) = (query.clone(), query.prepare(&log.names));
        }
        filter.learn(&log.names);
        with(filter)
    })
}

/// Searches at each change of the key. A search ends before the next one of the same filter begins.
fn search_in_steps(log: EventLog, clock: Clock, key: Memo<Key>, ready: Ready, searched: Searched) {
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
                    search(log, clock, key, wanted, ready, searched).await;
                }
                searches.try_update_value(|searches| *searches = false);
            });
        }
    });
}

/// Runs one search, which ends early if another filter or another log replaces it.
async fn search(
    log: EventLog,
    clock: Clock,
    key: Key,
    wanted: StoredValue<Option<Key>, LocalStorage>,
    ready: Ready,
    searched: Searched,
) {
    let now = key.now.unwrap_or_else(|| clock.now.get_untracked());
    let mut search = Search::begin(Moment::FIRST, Moment::LAST, now);
    let slice = |search: &mut Search| {
        log.peek(|log| {
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
    searched.try_set((key.query, Calls::Only(Arc::new(search.found()))));
}
