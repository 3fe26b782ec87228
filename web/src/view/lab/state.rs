//! The state of the Lab view: the scenario under edit, the run that goes on, and its results. It outlives the view.

use super::real;
use super::worker::{Link, ToWorker};
use crate::session::Session;
use crate::view::steps::collect_events;
use halfopen_model::view::lab::edit;
use halfopen_model::view::lab::incident;
use halfopen_model::view::lab::json::Json;
use halfopen_model::view::lab::outcome::{News, Outcome, PolicyOutcome, Report, read};
use halfopen_model::view::lab::presets::{PRESETS, Preset, scenario};
use halfopen_model::view::lab::report::{varied, varied_at_first};
use halfopen_model::view::lab::share;
use halfopen_store::time::Moment;
use leptos::prelude::*;

/// The tasks of the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Compare,
    Replay,
    Explore,
}

impl Mode {
    pub(super) const ALL: [(Self, &'static str); 3] = [
        (Self::Compare, "Compare policies"),
        (Self::Replay, "Replay the log"),
        (Self::Explore, "Explore options"),
    ];
}

/// The state of the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    Idle,
    /// The worker has not come yet.
    Loading,
    Running(&'static str, f64),
    Cancelled,
    Failed(String),
}

/// The state of a run for real.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Real {
    None,
    /// For so many seconds.
    Running(f64),
    Measured(Vec<PolicyOutcome>),
    Failed(String),
}

/// The lab of the page: a handle that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Lab {
    /// The scenario under edit.
    pub(crate) document: RwSignal<Json>,
    /// The text that was typed as JSON and is none.
    pub(crate) draft: RwSignal<Option<String>>,
    /// The reason why it does not fit, in the words of the core.
    pub(crate) misfit: RwSignal<Option<String>>,
    pub(crate) phase: RwSignal<Phase>,
    pub(crate) mode: RwSignal<Mode>,
    /// The policy of the log that is replaced; all, if empty. And the results.
    pub(crate) replaced: RwSignal<String>,
    pub(crate) replayed: RwSignal<Option<Report>>,
    /// Of which policy's incident the scenario is, of all if empty; and those that it may be of.
    pub(crate) incident_of: RwSignal<String>,
    pub(crate) failed_policies: RwSignal<Vec<String>>,
    /// The number of the policy whose options are varied, with which values, and what came of it.
    pub(crate) explored_policy: RwSignal<usize>,
    pub(crate) varied: RwSignal<Vec<String>>,
    pub(crate) explored: RwSignal<Option<Report>>,
    pub(crate) outcome: RwSignal<Option<Outcome>>,
    pub(crate) real: RwSignal<Real>,
    /// The moment under the scrubber, as the number of an interval.
    pub(crate) at: RwSignal<usize>,
    link: StoredValue<Option<Link>, LocalStorage>,
    measuring: StoredValue<Option<real::Run>, LocalStorage>,
    /// Numbers of the newest question, the newest check and the newest run.
    ids: StoredValue<(f64, f64, f64)>,
}

impl Lab {
    /// The root of the page makes it, so that it outlives the view.
    pub(crate) fn new() -> Self {
        Self {
            document: RwSignal::new(Json::Null),
            draft: RwSignal::new(None),
            misfit: RwSignal::new(None),
            phase: RwSignal::new(Phase::Idle),
            mode: RwSignal::new(Mode::Compare),
            replaced: RwSignal::new(String::new()),
            replayed: RwSignal::new(None),
            incident_of: RwSignal::new(String::new()),
            failed_policies: RwSignal::new(Vec::new()),
            explored_policy: RwSignal::new(0),
            varied: RwSignal::new(varied_at_first()),
            explored: RwSignal::new(None),
            outcome: RwSignal::new(None),
            real: RwSignal::new(Real::None),
            at: RwSignal::new(0),
            link: StoredValue::new_local(None),
            measuring: StoredValue::new_local(None),
            ids: StoredValue::new((0.0, 0.0, 0.0)),
        }
    }

    /// Called whenever the view is shown. The first time there is something to look at, without a click.
    pub(super) fn open(self) {
        if self.document.with_untracked(|document| *document == Json::Null) {
            let shared = window().location().hash().ok().and_then(|hash| share::scenario(&hash));
            match (shared, PRESETS.first()) {
                (Some(shared), _) => self.show(shared),
                (None, Some(first)) => self.show(scenario(first)),
                (None, None) => {}
            }
        }
    }

    /// Shows a scenario and runs it.
    pub(crate) fn show(self, scenario: Json) {
        self.draft.set(None);
        self.document.set(scenario);
        self.misfit.set(None);
        self.mode.set(Mode::Compare);
        self.run();
    }

    pub(crate) fn show_preset(self, preset: &Preset) {
        self.show(scenario(preset));
    }

    /// Shows a scenario fitted to the last incident of what the timeline shows: of a policy, of all where it is empty, or of the
    /// one that failed most where none is chosen.
    pub(crate) fn show_incident(self, session: Session, chosen: Option<String>) {
        let range = session.range.peek();
        let fitted = session.log.peek(|log| {
            let sight = if range.follow {
                (Moment::FIRST, Moment::LAST)
            } else {
                (log.folds.moment(range.from), log.folds.moment(range.to))
            };
            let failed = incident::failed_policies(log, sight);
            let policy = chosen.or_else(|| failed.first().cloned()).unwrap_or_default();
            let range = incident::last_incident(log, sight, &policy)?;
            let fitted = incident::scenario(log, range, &policy);
            self.failed_policies.set(failed);
            self.incident_of.set(policy);
            fitted
        });
        match fitted {
            Some(scenario) => self.show(scenario),
            None => self.phase.set(Phase::Failed(
                "No attempt failed in what the timeline shows. Show another part of it, or connect an agent."
                    .into(),
            )),
        }
    }

    /// Runs the scenario for real, on the devtools server.
    pub(crate) fn run_for_real(self) {
        self.real.set(Real::Running(0.0));
        let scenario = self.document.with_untracked(Json::compact);
        let run = real::Run::start(
            scenario,
            move |seconds| self.real.set(Real::Running(seconds)),
            move |measured| {
                self.real.set(match measured {
                    Ok(policies) => Real::Measured(policies),
                    Err(why) => Real::Failed(why),
                });
            },
        );
        self.measuring.set_value(run);
    }

    /// Ends a run for real.
    pub(crate) fn end_run_for_real(self) {
        self.measuring.set_value(None);
        self.real.set(Real::None);
    }

    /// Changes the scenario; the core checks it at once.
    pub(crate) fn edit(self, change: impl FnOnce(&mut Json)) {
        self.draft.set(None);
        self.document.update(change);
        self.check();
    }

    /// Takes the scenario as it was typed.
    pub(crate) fn edit_text(self, text: String) {
        match Json::parse(&text) {
            Ok(document) => {
                self.document.set(document);
                self.draft.set(Some(text));
                self.check();
            }
            Err(why) => {
                self.draft.set(Some(text));
                self.misfit.set(Some(format!("scenario: expected JSON, got {why}")));
            }
        }
    }

    fn next_id(self) -> f64 {
        let mut next = 0.0;
        self.ids.update_value(|ids| {
            ids.0 += 1.0;
            next = ids.0;
        });
        next
    }

    fn check(self) {
        let id = self.next_id();
        self.ids.update_value(|ids| ids.1 = id);
        self.request(move |link, check| link.post(&ToWorker::Check { id, check }));
    }

    /// Ends what runs. Returns the number of the run that begins.
    fn begin_run(self) -> f64 {
        self.cancel();
        let id = self.next_id();
        self.ids.update_value(|ids| ids.2 = id);
        self.phase.set(Phase::Loading);
        id
    }

    /// Compares the policies.
    pub(crate) fn run(self) {
        let id = self.begin_run();
        self.end_run_for_real();
        self.outcome.set(Some(Outcome::of(self.document.get_untracked())));
        self.request(move |link, compare| link.post(&ToWorker::Compare { id, compare }));
        self.keep_in_address();
    }

    /// Replays the log of the session.
    pub(crate) fn replay(self, session: Session) {
        let id = self.begin_run();
        self.replayed.set(None);
        collect_events(session, move |parts| {
            let Ok(log) = web_sys::Blob::new_with_blob_sequence(parts) else { return };
            let policy = self.replaced.get_untracked();
            self.request(move |link, replay| {
                link.post(&ToWorker::Replay { id, replay, log, policy: &policy });
            });
        });
    }

    /// Explores options of a policy.
    pub(crate) fn explore(self) {
        let id = self.begin_run();
        self.explored.set(None);
        let vary = self.varied.with_untracked(|values| varied(values));
        let policies = self.document.with_untracked(edit::policies);
        let policy = policies.into_iter().nth(self.explored_policy.get_untracked()).unwrap_or_default();
        self.request(move |link, explore| {
            link.post(&ToWorker::Explore { id, explore, policy: &policy, vary: &vary });
        });
    }

    /// Ends what runs; what has come so far stays.
    pub(crate) fn cancel(self) {
        let id = self.ids.with_value(|ids| ids.2);
        self.link.with_value(|link| link.iter().for_each(|link| link.post(&ToWorker::Cancel { cancel: id })));
    }

    /// Sends a request about the scenario that is edited.
    fn request(self, send: impl FnOnce(&Link, &str) + 'static) {
        leptos::task::spawn_local(async move {
            if let Err(why) = self.connect().await {
                let why = why.as_string().unwrap_or_else(|| format!("{why:?}"));
                self.phase.set(Phase::Failed(format!(
                    "The lab could not be loaded: {why}. Check that the server runs, then reload the page."
                )));
                return;
            }
            let scenario = self.document.with_untracked(Json::compact);
            self.link.with_value(|link| {
                if let Some(link) = link {
                    send(link, &scenario);
                }
            });
        });
    }

    async fn connect(self) -> Result<(), wasm_bindgen::JsValue> {
        if self.link.with_value(Option::is_some) {
            return Ok(());
        }
        let failed = move |why: String| {
            self.link.set_value(None);
            self.phase.set(Phase::Failed(why));
        };
        let link = Link::start(move |message| self.take(&message), failed).await?;
        self.link.set_value(Some(link));
        Ok(())
    }

    fn take(self, message: &str) {
        let Some((id, news)) = read(message) else { return };
        let (_, check, run) = self.ids.get_value();
        #[expect(clippy::float_cmp, reason = "whole numbers")]
        let (is_check, is_run) = (id == check, id == run);
        if is_check {
            self.misfit.set(if let News::Failed(why) = news { Some(why) } else { None });
        } else if is_run {
            self.take_of_run(news);
        }
    }

    fn take_of_run(self, news: News) {
        match news {
            News::Progress(stage, share) => self.phase.set(Phase::Running(stage, share)),
            News::Done => self.phase.set(Phase::Idle),
            News::Failed(why) if why == "cancelled" => self.phase.set(Phase::Cancelled),
            News::Failed(why) if self.mode.get_untracked() == Mode::Compare => {
                self.misfit.set(Some(why));
                self.phase.set(Phase::Idle);
            }
            // Of the log, or of what is varied: the scenario fits.
            News::Failed(why) => self.phase.set(Phase::Failed(why)),
            News::Report(report) => {
                let place = if report.is_replay { self.replayed } else { self.explored };
                place.set(Some(report));
            }
            news => {
                self.outcome.update(|outcome| {
                    if let Some(outcome) = outcome {
                        outcome.take(news);
                    }
                });
                let end =
                    self.outcome.with_untracked(|outcome| outcome.as_ref().map_or(0, Outcome::intervals));
                // The end says most: whether it came back.
                if self.outcome.with_untracked(|outcome| {
                    outcome.as_ref().is_some_and(|outcome| outcome.policies.len() == 1)
                }) {
                    self.at.set(end.saturating_sub(1));
                }
            }
        }
    }

    /// Writes the scenario into the page's address, which can be shared.
    fn keep_in_address(self) {
        if crate::source::is_embedded() {
            return;
        }
        let Some(fragment) = self.document.with_untracked(share::fragment) else { return };
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&fragment));
        }
    }
}
