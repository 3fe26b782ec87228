//! The result of a replay of the log or an exploration of options: sentences, and a row for each policy.

use super::field::{Field, Kind, POLICY};
use super::outcome::Report;
use super::verdict::{COLUMNS, COST, Column, FAILED, LOAD, REFUSED, USER_P95, column, whole};
use crate::format::{percent, span};
use halfopen_store::order;
use halfopen_store::store::Log;

/// The text of a replay.
const REPLAYED: &[Column] = &[
    column("successRate", "Success", "Calls that succeeded without a fallback", percent),
    FAILED,
    REFUSED,
    column("fallbacks", "Fallback", "Calls that a fallback answered", whole),
    column("userMs.p50", "User p50", "Half of the users waited at most so long", span),
    USER_P95,
    column("attempts", "Requests", "Requests sent to providers", whole),
    LOAD,
    column("tokens", "Tokens", "Tokens that the log has, and those of drawn results", whole),
    COST,
];

impl Report {
    /// The columns that say something.
    pub fn columns(&self) -> Vec<&'static Column> {
        let all = if self.is_replay { REPLAYED } else { COLUMNS };
        let says = |column: &&Column| self.rows.iter().any(|row| row.outcome.total(column.path) > 0.0);
        all.iter().filter(says).collect()
    }
}

/// The names of the policies in a log, those with the most calls first.
pub fn recorded_policies(log: &Log) -> Vec<String> {
    let mut names: Vec<(u64, &str)> = Vec::new();
    for summary in log.summaries.iter() {
        let name = log.names.text(summary.id.name);
        match names.iter_mut().find(|(_, known)| *known == name) {
            Some((calls, _)) => *calls += summary.calls,
            None => names.push((summary.calls, name)),
        }
    }
    order::sort_by(&mut names, |a, b| b.cmp(a));
    names.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// The options that can be varied, each once.
pub fn options() -> impl Iterator<Item = &'static Field> {
    POLICY.iter().filter(|field| field.kind == Kind::Number)
}

/// The options that are varied at first.
pub fn varied_at_first() -> Vec<String> {
    let first = |field: &Field| match field.path {
        "retry.maxRetries" => "0, 1, 2, 4",
        "retry.budget.ratio" => "0.1, 0.5",
        _ => "",
    };
    options().map(first).chain([""]).map(str::to_owned).collect()
}

/// The lines that the worker reads: the values of each of [`options`], and what was written out.
pub fn varied(values: &[String]) -> String {
    let lines = options().zip(values).filter(|(_, values)| !values.trim().is_empty());
    let mut text: String = lines.map(|(field, values)| format!("{}={values}\n", field.path)).collect();
    if let Some(written) = values.get(options().count()) {
        text.push_str(&written.replace(';', "\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::json::Json;
    use super::super::outcome::{News, read};
    use super::super::verdict::cell;
    use super::*;

    fn report(message: &str) -> Report {
        match read(message) {
            Some((_, News::Report(report))) => report,
            other => panic!("expected a report, got {other:?}"),
        }
    }

    #[test]
    fn a_replay_has_the_recorded_calls_first_and_only_columns_that_say_something() {
        let replay = report(
            r#"{"id":1,"report":"replay","says":["Identity 100 %"],"rows":[
                {"policy":"As recorded","totals":{"failed":18,"userMs":{"p95":16679}},"bands":{}},
                {"policy":"one","totals":{"failed":97.5,"userMs":{"p95":899}},"note":"79 calls end otherwise",
                 "bands":{"failed":{"mean":97.5,"low":90,"high":105}},"options":{"retry":false},"calls":["c1: a → b"]}]}"#,
        );
        let columns = replay.columns();
        assert_eq!(columns.iter().map(|column| column.name).collect::<Vec<_>>(), ["Failed", "User p95"]);
        let [recorded, one] = replay.rows.as_slice() else { panic!("two rows") };
        assert_eq!(cell(&recorded.outcome, columns[0]), ("18".into(), None));
        assert_eq!(cell(&one.outcome, columns[0]), ("98".into(), Some("90 to 105".into())));
        assert_eq!((one.meets, one.calls.len()), (None, 1));
        assert_eq!(one.options, Some(Json::parse(r#"{"retry":false}"#).unwrap()));
    }

    #[test]
    fn a_point_of_a_grid_keeps_to_the_limits_or_not() {
        let explored = report(
            r#"{"id":1,"report":"explore","says":[],"rows":[
                {"policy":"a","totals":{"successRate":0.9},"bands":{},"meets":true},
                {"policy":"b","totals":{"successRate":0.8},"bands":{},"meets":false}]}"#,
        );
        assert_eq!(explored.rows.iter().map(|row| row.meets).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert!(!explored.is_replay && explored.columns()[0].name == "Success");
    }

    #[test]
    fn what_is_varied_is_a_line_for_each_option() {
        let mut values = varied_at_first();
        assert_eq!(varied(&values), "retry.maxRetries=0, 1, 2, 4\nretry.budget.ratio=0.1, 0.5\n");
        values.iter_mut().for_each(String::clear);
        *values.last_mut().unwrap() = "retry.jitter=0.2,full; breakerScope=call,attempt".into();
        assert_eq!(varied(&values), "retry.jitter=0.2,full\n breakerScope=call,attempt");
    }

    #[test]
    fn the_log_names_its_policies() {
        let mut log = Log::default();
        for line in include_str!("../../../../../tests/fixtures/incident.jsonl").lines() {
            assert!(log.take(line));
        }
        assert_eq!(recorded_policies(&log).first().map(String::as_str), Some("support-desk"));
    }
}
