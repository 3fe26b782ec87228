//! A row for each policy of each process, over its calls that have ended, evicted ones too: `npx halfopen diagnose` shows it.

use super::prices::{Prices, Spent};
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::query::term;
use halfopen_store::store::Log;
use halfopen_store::summary::Summary;
use std::cmp::Reverse;

/// Most rows that are shown; the rest is counted.
const MOST: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub key: PolicyId,
    pub name: String,
    /// Its process, where another one has a policy of that name.
    pub process: String,
    /// The filter that its calls pass.
    pub filter: String,
    pub calls: u64,
    /// The share that succeeded without a fallback, of the calls that were not cancelled; `None` where all were.
    pub success: Option<f64>,
    pub fallbacks: u64,
    /// Calls that failed or were refused.
    pub failed: u64,
    pub retries: u64,
    /// How long calls took, in milliseconds; `None` where no call has a duration.
    pub p50: Option<f64>,
    pub p95: Option<f64>,
    /// Milliseconds lost to waiting, in all calls.
    pub waited_ms: f64,
    pub spent: Spent,
}

/// What the view shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub rows: Vec<Row>,
    /// Policies that are not shown.
    pub more: usize,
    /// Calls of policies that are not summed up.
    pub beyond: u64,
}

/// The table, the policies with the most calls first.
pub fn table(log: &Log, prices: &Prices) -> Table {
    let all: Vec<_> = log.summaries.iter().collect();
    let shared = |name| all.iter().filter(|other| other.id.name == name).count() > 1;
    let mut rows: Vec<_> =
        all.iter().map(|summary| row(log, summary, shared(summary.id.name), prices)).collect();
    order::sort_by(&mut rows, |a, b| {
        Reverse(a.calls).cmp(&Reverse(b.calls)).then_with(|| a.name.cmp(&b.name))
    });
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    Table { rows, more, beyond: log.summaries.beyond }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn row(log: &Log, summary: &Summary, is_shared: bool, prices: &Prices) -> Row {
    let text = |name| log.names.text(name).to_owned();
    let Summary { id, calls, succeeded, degraded, failed, rejected, cancelled, retries, waited_ms, .. } =
        *summary;
    let (name, process) = (text(id.name), text(id.source));
    let mut filter = term("policy", std::slice::from_ref(&name));
    if is_shared {
        filter = format!("{filter} {}", term("source", std::slice::from_ref(&process)));
    }
    let mut spent = Spent::default();
    for one in &summary.tokens {
        let (all, lost) = ((one.input, one.output), (one.failed_input, one.failed_output));
        spent.add(log.names.text(one.model), all, lost, prices);
    }
    let counted = calls.saturating_sub(cancelled);
    Row {
        key: id,
        name,
        process: if is_shared { process } else { String::new() },
        filter,
        calls,
        success: (counted > 0).then(|| succeeded as f64 / counted as f64),
        fallbacks: degraded,
        failed: failed + rejected,
        retries,
        p50: summary.durations.quantile(0.5),
        p95: summary.durations.quantile(0.95),
        waited_ms,
        spent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::query::Query;
    use halfopen_store::time::Moment;

    const USAGE: &str = r#","usage":{"inputTokens":1000000,"outputTokens":500000}"#;

    /// Three calls of `chat`: one answers at once, one after a retry, one fails.
    fn log() -> Log {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed_with(call, USAGE);
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff").succeed(call);
        let call = stage.call("chat");
        stage.fail_with_more(call, "TIMEOUT", USAGE).give_up(call, "TIMEOUT", "exhausted");
        stage.call("search");
        stage.log()
    }

    #[test]
    fn a_policys_ended_calls_are_one_row() {
        let table = table(&log(), &Prices::default());
        let [row] = &table.rows[..] else { panic!("one row expected: {table:?}") };
        assert_eq!((row.name.as_str(), row.process.as_str()), ("chat", ""));
        assert_eq!((row.calls, row.failed, row.fallbacks, row.retries), (3, 1, 0, 1));
        assert!((row.success.unwrap() - 2.0 / 3.0).abs() < 1e-9);
        assert!((row.waited_ms - 400.0).abs() < 20.0, "{}", row.waited_ms);
        assert!(row.p50 <= row.p95 && row.p50.is_some());
    }

    #[test]
    fn tokens_of_failed_attempts_cost_what_the_prices_say() {
        let free = table(&log(), &Prices::default());
        assert_eq!(
            (free.rows[0].spent.tokens, free.rows[0].spent.lost),
            ((2_000_000, 1_000_000), (1_000_000, 500_000))
        );
        assert_eq!(
            (free.rows[0].spent.cost, free.rows[0].spent.unpriced.as_slice()),
            (None, &["gpt-5".to_owned()][..])
        );
        let priced = table(&log(), &Prices::parse("gpt-5* 1 10"));
        assert_eq!(priced.rows[0].spent.cost, Some((12.0, 6.0)));
        assert!(priced.rows[0].spent.unpriced.is_empty());
    }

    #[test]
    fn two_processes_with_one_name_are_two_rows_with_a_filter_each() {
        let mut stage = Stage::new();
        for process in ["one", "two"] {
            let call = stage.process(process).call("chat");
            stage.succeed(call);
        }
        let log = stage.log();
        let table = table(&log, &Prices::default());
        let processes: Vec<_> = table.rows.iter().map(|row| row.process.as_str()).collect();
        assert_eq!(processes, ["one", "two"]);
        for row in &table.rows {
            let filter = Query::parse(&row.filter).unwrap().prepare(&log.names);
            assert_eq!(log.calls().filter(|(_, call)| filter.passes(&log, call, Moment::LAST)).count(), 1);
        }
    }

    #[test]
    fn policies_beyond_the_most_are_counted() {
        let mut stage = Stage::new();
        for number in 0..MOST + 3 {
            let call = stage.call(&format!("policy {number}"));
            stage.succeed(call);
        }
        let table = table(&stage.log(), &Prices::default());
        assert_eq!((table.rows.len(), table.more), (MOST, 3));
    }

    /// Else the view would be drawn four times a second.
    #[test]
    fn the_same_log_shows_the_same() {
        let log = log();
        assert!(table(&log, &Prices::default()) == table(&log, &Prices::default()));
    }
}
