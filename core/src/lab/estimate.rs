//! How large a scenario is, before it is run.

use super::misfit::Misfit;
use super::scenario::{Arrivals, Clients, FaultKind, LabPolicy, Scenario};

/// Larger scenarios are refused.
const MOST_EVENTS: f64 = 1e10;
/// How fast the slowest host is taken to be that a scenario is run on.
const EVENTS_PER_SECOND: f64 = 5e6;
/// A call arrives, is answered, and its think time or timeout ends.
const EVENTS_PER_CALL: f64 = 2.0;
/// A request is served, and a wait leads to the next.
const EVENTS_PER_ATTEMPT: f64 = 2.0;
/// A process learns of an attempt elsewhere, and of its result.
const EVENTS_PER_NEWS: f64 = 0.1;

impl Scenario {
    /// How many events a run of each policy has at most, in all.
    #[must_use]
    pub fn estimated_events(&self) -> f64 {
        let calls = self.estimated_calls();
        let attempts = |policy: &LabPolicy| 1.0 + f64::from(policy.config.call.retry.max_retries);
        let around: f64 = self.clients.nested.iter().map(attempts).product();
        // Where state is shared late, every process counts every attempt.
        let Clients { shared, staleness_ms, processes, .. } = self.clients;
        let is_late = shared && staleness_ms > 0.0 && staleness_ms.is_finite();
        let counted = if is_late { EVENTS_PER_NEWS * f64::from(processes) } else { 0.0 };
        let per_attempt = EVENTS_PER_ATTEMPT + counted;
        let events = |policy| calls * (EVENTS_PER_CALL + per_attempt * around * attempts(policy));
        self.policies.iter().map(|(_, policy)| events(policy)).sum()
    }

    fn estimated_calls(&self) -> f64 {
        let load =
            |kind: &FaultKind| if let FaultKind::Load(load) = kind { load.factor.max(1.0) } else { 1.0 };
        let load: f64 = self.faults.iter().map(|fault| load(&fault.kind)).product();
        let count = f64::from(self.clients.count);
        match &self.clients.arrivals {
            Arrivals::Once => count,
            Arrivals::Closed { think } => count * (1.0 + self.duration_ms * load / think.mean()),
            Arrivals::Open { per_second, .. } => per_second * load * self.duration_ms / 1000.0,
        }
    }
}

/// Refuses what would take too long.
pub(super) fn check(scenario: &Scenario) -> Result<(), Misfit> {
    let events = scenario.estimated_events();
    if events <= MOST_EVENTS {
        return Ok(());
    }
    let took = duration(events / EVENTS_PER_SECOND);
    Err(Misfit {
        path: "scenario".to_owned(),
        expected: format!("{MOST_EVENTS:e} events at most"),
        got: format!(
            "up to {events:.0e}, which would take {took}: fewer clients, a shorter time or fewer retries help"
        ),
    })
}

fn duration(seconds: f64) -> String {
    let units = [(86_400.0 * 365.0, "years"), (86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let (length, unit) =
        units.into_iter().find(|(length, _)| seconds >= 2.0 * length).unwrap_or((1.0, "seconds"));
    format!("{:.0} {unit}", seconds / length)
}
