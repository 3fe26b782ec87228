//! The verdict on each policy: whether it recovers, the faults that it survives, and its totals.

use super::outcome::{Outcome, PolicyOutcome, Survives};
use crate::format::{count, percent, span};

/// Over how long goodput is looked at, before the first fault and at the end, in milliseconds.
const LOOKED_AT: f64 = 30_000.0;
/// A policy has recovered where goodput is this share of what it was.
const RECOVERED: f64 = 0.9;

/// How a policy came through.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub good: bool,
    /// One sentence.
    pub says: String,
}

/// Calls answered a second, on average between two times.
fn goodput(outcome: &Outcome, policy: &PolicyOutcome, from_ms: f64, to_ms: f64) -> f64 {
    let interval = outcome.interval_ms;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of intervals")]
    let (first, end) = ((from_ms / interval).ceil() as usize, (to_ms / interval).floor() as usize);
    let values = policy.series.get("succeeded").get(first..end.max(first)).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
    let seconds = values.len() as f64 * interval / 1000.0;
    if seconds > 0.0 { values.iter().sum::<f64>() / seconds } else { 0.0 }
}

/// Tells whether a policy recovers from the faults of the scenario, and when.
pub fn verdict(outcome: &Outcome, policy: &PolicyOutcome) -> Verdict {
    let faults = outcome.faults();
    let end = outcome.duration_ms();
    let load = policy.total("amplification");
    let sent = format!("{load:.1} requests sent for each call");
    let Some(first) = faults.iter().map(|fault| fault.1).reduce(f64::min) else {
        let good = goodput(outcome, policy, 0.0, end) > 0.0;
        let answered = if good { "" } else { " No call is answered." };
        return Verdict { good, says: format!("No fault in this scenario; {sent}.{answered}") };
    };
    let over = faults.iter().map(|fault| fault.2).fold(0.0, f64::max).min(end);
    let before = goodput(outcome, policy, (first - LOOKED_AT).max(0.0), first);
    let last = goodput(outcome, policy, (end - LOOKED_AT).max(over), end);
    let rates = format!("{last:.1} of {before:.1} calls a second are answered at the end; {sent}.");
    if over >= end {
        let during = goodput(outcome, policy, first, end);
        let says = format!("{during:.1} of {before:.1} calls a second are answered in the fault; {sent}.");
        return Verdict { good: during > 0.0, says };
    }
    if before == 0.0 {
        let says =
            format!("{last:.1} calls a second are answered at the end, none before the fault; {sent}.");
        return Verdict { good: last > 0.0, says };
    }
    if last < 0.05 * before {
        return Verdict { good: false, says: format!("Never recovers: {rates}") };
    }
    if last < RECOVERED * before {
        return Verdict { good: false, says: format!("Has not recovered: {rates}") };
    }
    let mut from = over;
    while from + 5.0 * outcome.interval_ms <= end
        && goodput(outcome, policy, from, from + 5.0 * outcome.interval_ms) < RECOVERED * before
    {
        from += outcome.interval_ms;
    }
    Verdict { good: true, says: format!("Recovers {} after the fault; {sent}.", span(from - over)) }
}

/// The number to remember.
pub fn survives(survives: Survives) -> String {
    match survives {
        Survives::Unknown => "…".to_owned(),
        Survives::UpTo(ms) => format!("{:.1} s", ms / 1000.0),
        Survives::All => "over 20 s".to_owned(),
    }
}

/// A column of the table of totals.
pub struct Column {
    pub path: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    shown: fn(f64) -> String,
}

pub(super) const fn column(
    path: &'static str,
    name: &'static str,
    title: &'static str,
    shown: fn(f64) -> String,
) -> Column {
    Column { path, name, title, shown }
}

pub(super) const LOAD: Column = column("amplification", "Load", "Requests sent for each call", times);
pub(super) const USER_P95: Column =
    column("userMs.p95", "User p95", "95 % of the users waited at most so long, whatever for", span);
pub(super) const FAILED: Column = column("failed", "Failed", "Calls that failed", whole);
pub(super) const REFUSED: Column =
    column("rejected", "Refused", "Calls that the policy refused without trying", whole);
pub(super) const COST: Column = column("cost", "Cost", "Money for requests and tokens", money);

/// The totals that are shown.
pub const COLUMNS: &[Column] = &[
    column("successRate", "Success", "Calls that the provider answered while the user waited", percent),
    LOAD,
    USER_P95,
    FAILED,
    REFUSED,
    column("wastedServiceMs", "Wasted", "What servers spent on requests whose caller had left", span),
    COST,
];

fn times(value: f64) -> String {
    format!("{value:.2}×")
}

fn money(value: f64) -> String {
    format!("{value:.2}")
}

pub(super) fn whole(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    count(value.round().max(0.0) as u64)
}

/// A cell: the value of this run, and between which values 95 % of the runs with other seeds lie.
pub fn cell(policy: &PolicyOutcome, column: &Column) -> (String, Option<String>) {
    let band = policy.band(column.path).map(|band| {
        let (low, high) = ((column.shown)(band.low), (column.shown)(band.high));
        if low == high { low } else { format!("{low} to {high}") }
    });
    ((column.shown)(policy.total(column.path)), band)
}

/// The columns that say something: money only where it costs.
pub fn columns(outcome: &Outcome) -> impl Iterator<Item = &'static Column> {
    let costs = outcome.policies.iter().any(|policy| policy.total("cost") > 0.0);
    COLUMNS.iter().filter(move |column| column.path != "cost" || costs)
}

#[cfg(test)]
mod tests {
    use super::super::json::Json;
    use super::super::outcome::stage::{outcome, policy};
    use super::super::outcome::{Band, News};
    use super::*;

    #[test]
    fn a_policy_that_does_not_come_back_is_said_to() {
        let outcome = outcome();
        let says: Vec<_> = outcome.policies.iter().map(|policy| verdict(&outcome, policy)).collect();
        assert!(!says[0].good && says[1].good);
        assert!(says[0].says.starts_with("Never recovers: 0.0 of 7.0 calls a second"), "{}", says[0].says);
        assert_eq!(says[1].says, "Recovers 4.00 s after the fault; 2.0 requests sent for each call.");
    }

    #[test]
    fn a_policy_that_answers_nothing_is_not_good() {
        let nothing = policy("nothing", &[0.0; 100], &[7.0; 100]);
        let Verdict { good, says } = verdict(&outcome(), &nothing);
        assert!(
            !good && says.starts_with("0.0 calls a second are answered at the end, none before"),
            "{says}"
        );
        let without_faults = Outcome::of(Json::parse(r#"{"version":1,"durationMs":100000}"#).unwrap());
        assert!(!verdict(&without_faults, &nothing).good);
        let faulty =
            r#"{"version":1,"durationMs":100000,"faults":[{"kind":"outage","atMs":30000,"forMs":70000}]}"#;
        let until_the_end = Outcome::of(Json::parse(faulty).unwrap());
        let half = policy("half", &[[7.0; 30].as_slice(), &[3.0; 70]].concat(), &[7.0; 100]);
        let said = [&nothing, &half].map(|policy| verdict(&until_the_end, policy));
        assert_eq!((said[0].good, said[1].good), (false, true));
        assert!(
            said[1].says.starts_with("3.0 of 7.0 calls a second are answered in the fault"),
            "{}",
            said[1].says
        );
    }

    #[test]
    fn numbers_have_units_and_bands() {
        let mut outcome = outcome();
        let band = Band { mean: 0.5, low: 0.4, high: 0.6 };
        outcome.take(News::Bands("bad".into(), vec![("successRate".into(), band)]));
        let cells: Vec<_> = columns(&outcome).map(|column| cell(&outcome.policies[0], column)).collect();
        assert_eq!(cells[0], ("50 %".into(), Some("40 % to 60 %".into())));
        assert_eq!(cells[1], ("2.00×".into(), None));
        assert_eq!(cells[2].0, "1.50 s");
        assert_eq!(cells.len(), COLUMNS.len() - 1);
        let said = [Survives::Unknown, Survives::UpTo(400.0), Survives::All].map(survives);
        assert_eq!(said, ["…", "0.4 s", "over 20 s"]);
    }
}
