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
        let processes = f64::from(self.clients.processes);
        let counted = if self.is_shared_late() { EVENTS_PER_NEWS * processes } else { 0.0 };
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

/// Refuses what would take too long, and names the value that does most to make it so long.
pub(super) fn check(scenario: &Scenario) -> Result<(), Misfit> {
    let events = scenario.estimated_events();
    if events <= MOST_EVENTS {
        return Ok(());
    }
    let took = duration(events / EVENTS_PER_SECOND);
    let cause = scenario.causes().into_iter().max_by(|a, b| a.times.total_cmp(&b.times));
    let (path, value) = cause.map_or_else(|| ("scenario".to_owned(), 0.0), |cause| (cause.path, cause.value));
    Err(Misfit {
        path,
        expected: format!("what needs {} events at most", roughly(MOST_EVENTS)),
        got: format!("{value}, with which the run has up to {} and takes {took}", roughly(events)),
    })
}

/// A value of the scenario, and how many times more events there are for it.
struct Cause {
    path: String,
    value: f64,
    times: f64,
}

impl Scenario {
    fn causes(&self) -> Vec<Cause> {
        let cause = |path: &str, value, times| Cause { path: path.to_owned(), value, times };
        let Clients { count, processes, .. } = self.clients;
        let (count, processes) = (f64::from(count), f64::from(processes));
        let seconds = cause("durationMs", self.duration_ms, self.duration_ms / 1000.0);
        let mut all = match &self.clients.arrivals {
            Arrivals::Once => vec![cause("clients.count", count, count)],
            Arrivals::Closed { think } => vec![
                cause("clients.count", count, count),
                cause("clients.arrivals.think", think.mean(), 1000.0 / think.mean()),
                seconds,
            ],
            Arrivals::Open { per_second, .. } => {
                vec![cause("clients.arrivals.perSecond", *per_second, *per_second), seconds]
            }
        };
        if self.is_shared_late() {
            all.push(cause("clients.processes", processes, EVENTS_PER_NEWS * processes));
        }
        for (index, fault) in self.faults.iter().enumerate() {
            if let FaultKind::Load(load) = fault.kind {
                all.push(cause(&format!("faults[{index}].factor"), load.factor, load.factor));
            }
        }
        let nested = self.clients.nested.iter().enumerate();
        let nested = nested.map(|(index, policy)| (format!("clients.nested[{index}]"), policy));
        let compared = self.policies.iter().map(|(name, policy)| (format!("policies.{name}"), policy));
        all.extend(nested.chain(compared).map(|(path, policy)| {
            let retries = f64::from(policy.config.call.retry.max_retries);
            cause(&format!("{path}.retry.maxRetries"), retries, 1.0 + retries)
        }));
        all
    }

    /// Where state is shared late, every process counts every attempt.
    fn is_shared_late(&self) -> bool {
        let Clients { shared, staleness_ms, .. } = self.clients;
        shared && staleness_ms > 0.0 && staleness_ms.is_finite()
    }
}

/// Formats a large count by its first digit, as in `6e11`. The standard library's formatting would take 2 kB of the
/// module.
fn roughly(count: f64) -> String {
    let (mut digit, mut exponent) = (count, 0);
    while digit >= 9.5 && exponent < 308 {
        digit /= 10.0;
        exponent += 1;
    }
    format!("{digit:.0}e{exponent}")
}

fn duration(seconds: f64) -> String {
    let units = [(86_400.0 * 365.0, "years"), (86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let (length, unit) =
        units.into_iter().find(|(length, _)| seconds >= 2.0 * length).unwrap_or((1.0, "seconds"));
    format!("{:.0} {unit}", seconds / length)
}
