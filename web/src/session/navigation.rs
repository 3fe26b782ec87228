//! The user's place: the view, the filter, and the selection in each view.

use super::breaker::BreakerId;
use halfopen_model::view::{View, swimlanes};
use halfopen_store::group::Key;
use halfopen_store::numbers::{CallNumber, RunNumber};
use halfopen_store::time::Moment;
use leptos::prelude::*;
use std::collections::BTreeSet;

/// The user's place: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    pub(crate) view: RwSignal<View>,
    /// The filter, as it was typed.
    pub(crate) query: RwSignal<String>,
    /// Whether the user is typing it, so that its last word may be incomplete.
    pub(crate) typing: RwSignal<bool>,
    /// The selected call.
    pub(crate) selected: RwSignal<Option<CallNumber>>,
    /// The call that the selected one is compared with.
    pub(crate) compared: RwSignal<Option<CallNumber>>,
    /// `true` if the next selection is compared with the selected call.
    pub(crate) picks: RwSignal<bool>,
    /// The folded calls, whose nested calls are not listed.
    pub(crate) folded: RwSignal<BTreeSet<CallNumber>>,
    /// The calls that have a swimlane in the timeline.
    pub(crate) swimlanes_by: RwSignal<swimlanes::By>,
    /// The swimlane that is open: the timeline lists its calls.
    pub(crate) swimlane: RwSignal<Option<swimlanes::Key>>,
    /// Steps up or down the timeline's rows that keys have requested. The timeline resets it to 0 after it has made them.
    pub(crate) step: RwSignal<i32>,
    /// The selected group of failures or refusals.
    pub(crate) group: RwSignal<Option<Key>>,
    /// The breaker that the Breakers view must scroll to. That view takes it.
    pub(crate) breaker: RwSignal<Option<BreakerId>>,
    /// The moment for which the Breakers view says why that breaker was open.
    pub(crate) opening: RwSignal<Option<(BreakerId, Moment)>>,
    /// The open run.
    pub(crate) run: RwSignal<Option<RunNumber>>,
    /// An error that another view passes to the Classify view, as JSON. That view takes it.
    pub(crate) pasted: RwSignal<String>,
}

impl Navigation {
    pub(super) fn new() -> Self {
        Self {
            view: RwSignal::new(View::default()),
            query: RwSignal::new(String::new()),
            typing: RwSignal::new(false),
            selected: RwSignal::new(None),
            compared: RwSignal::new(None),
            picks: RwSignal::new(false),
            folded: RwSignal::new(BTreeSet::new()),
            swimlanes_by: RwSignal::new(swimlanes::By::default()),
            swimlane: RwSignal::new(None),
            step: RwSignal::new(0),
            group: RwSignal::new(None),
            breaker: RwSignal::new(None),
            opening: RwSignal::new(None),
            run: RwSignal::new(None),
            pasted: RwSignal::new(String::new()),
        }
    }

    /// Filters the calls.
    pub(crate) fn filter(self, filter: String) {
        self.typing.set(false);
        self.query.set(filter);
    }

    /// Shows the calls that pass a filter: all of them, so the swimlane that is open closes, and with it the call that would open
    /// it again.
    pub(crate) fn show_calls(self, filter: String) {
        self.filter(filter);
        self.compared.set(None);
        self.close_details();
        self.swimlane.set(None);
        self.view.set(View::Timeline);
    }

    /// Shows the calls of the present filter that also pass another one.
    pub(crate) fn show_calls_of_these(self, filter: &str) {
        let both = self.query.with_untracked(|query| format!("{} {filter}", query.trim()));
        self.show_calls(both.trim_start().to_owned());
    }

    /// Selects a call, or compares it with the selected one if the user requested that.
    pub(crate) fn select(self, number: CallNumber, compare: bool) {
        let before = self.selected.get_untracked().filter(|&before| before != number);
        if before.is_some() && (compare || self.picks.get_untracked()) {
            self.compared.set(Some(number));
        } else {
            self.compared.set(None);
            self.selected.set(Some(number));
        }
        self.picks.set(false);
    }

    /// Deselects the call, or ends a comparison and keeps the first call.
    pub(crate) fn close_details(self) {
        if self.compared.get_untracked().is_none() {
            self.selected.set(None);
        }
        self.compared.set(None);
        self.picks.set(false);
    }

    /// Folds or unfolds the calls within a call.
    pub(crate) fn fold(self, number: CallNumber) {
        self.folded.update(|folded| {
            if !folded.remove(&number) {
                folded.insert(number);
            }
        });
    }

    /// Shows a group of failures or refusals.
    pub(crate) fn show_group(self, key: Key) {
        self.group.set(Some(key));
        self.view.set(View::Errors);
    }

    /// Shows a breaker.
    pub(crate) fn show_breaker(self, id: BreakerId) {
        self.opening.set(None);
        self.breaker.set(Some(id));
        self.view.set(View::Breakers);
    }

    /// Shows why a breaker was open at a moment.
    pub(crate) fn show_opening(self, id: BreakerId, at: Moment) {
        self.show_breaker(id);
        self.opening.set(Some((id, at)));
    }

    /// Shows a run.
    pub(crate) fn show_run(self, number: RunNumber) {
        self.run.set(Some(number));
        self.view.set(View::Runs);
    }

    /// Shows how the classifier reads an error, which is given as JSON.
    pub(crate) fn classify(self, error: String) {
        self.pasted.set(error);
        self.view.set(View::Classify);
    }

    /// Deselects everything, because it belongs to a log that is gone.
    pub(super) fn deselect(self) {
        self.compared.set(None);
        self.close_details();
        self.folded.update(BTreeSet::clear);
        self.swimlane.set(None);
        self.group.set(None);
        self.breaker.set(None);
        self.opening.set(None);
        self.run.set(None);
    }
}
