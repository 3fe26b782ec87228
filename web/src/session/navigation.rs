//! Where the user is: the view, the filter, and what is selected in each view.

use super::breaker::BreakerId;
use super::names::Name;
use halfopen_model::view::View;
use halfopen_store::numbers::{CallNumber, RunNumber};
use leptos::prelude::*;

/// Where the user is: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    pub(crate) view: RwSignal<View>,
    /// The filter, as it was typed.
    pub(crate) query: RwSignal<String>,
    /// Whether it is being typed: its last word may become a longer one.
    pub(crate) typing: RwSignal<bool>,
    /// The selected call.
    pub(crate) selected: RwSignal<Option<CallNumber>>,
    /// Steps up or down the timeline's rows that the keys ask for; the timeline sets it to 0 when it has made them.
    pub(crate) step: RwSignal<i32>,
    /// The selected group of failures: its code and its rule.
    pub(crate) group: RwSignal<Option<(Name, Name)>>,
    /// The breaker that Breakers is to bring into sight; Breakers takes it.
    pub(crate) breaker: RwSignal<Option<BreakerId>>,
    /// The open run.
    pub(crate) run: RwSignal<Option<RunNumber>>,
    /// Whether the Lab is to show the last incident; the Lab takes it.
    pub(crate) incident: RwSignal<bool>,
    /// An error that another view hands to Classify, as JSON; Classify takes it.
    pub(crate) pasted: RwSignal<String>,
}

impl Navigation {
    pub(super) fn new() -> Self {
        Self {
            view: RwSignal::new(View::default()),
            query: RwSignal::new(String::new()),
            typing: RwSignal::new(false),
            selected: RwSignal::new(None),
            step: RwSignal::new(0),
            group: RwSignal::new(None),
            breaker: RwSignal::new(None),
            run: RwSignal::new(None),
            incident: RwSignal::new(false),
            pasted: RwSignal::new(String::new()),
        }
    }

    /// Filters the calls.
    pub(crate) fn filter(self, filter: String) {
        self.typing.set(false);
        self.query.set(filter);
    }

    /// Shows the calls that pass a filter.
    pub(crate) fn show_calls(self, filter: String) {
        self.filter(filter);
        self.view.set(View::Timeline);
    }

    /// Shows a group of failures.
    pub(crate) fn show_group(self, code: Name, rule: Name) {
        self.group.set(Some((code, rule)));
        self.view.set(View::Errors);
    }

    /// Shows a breaker.
    pub(crate) fn show_breaker(self, id: BreakerId) {
        self.breaker.set(Some(id));
        self.view.set(View::Breakers);
    }

    /// Shows a run.
    pub(crate) fn show_run(self, number: RunNumber) {
        self.run.set(Some(number));
        self.view.set(View::Runs);
    }

    /// Shows the last incident in the Lab.
    pub(crate) fn show_incident(self) {
        self.incident.set(true);
        self.view.set(View::Lab);
    }

    /// Shows what the classifier reads of an error, which is given as JSON.
    pub(crate) fn classify(self, error: String) {
        self.pasted.set(error);
        self.view.set(View::Classify);
    }

    /// Forgets what is selected: it is of a log that is gone.
    pub(super) fn deselect(self) {
        self.selected.set(None);
        self.group.set(None);
        self.breaker.set(None);
        self.run.set(None);
    }
}
