//! Which calls a view of some span of time lists, and in which order.

use crate::numbers::CallNumber;
use crate::query::Filter;
use crate::store::Log;
use crate::time::Moment;
use std::collections::HashMap;

/// The calls that touch a span of time and pass a filter, in the order of their rows: by beginning, what is nested below
/// its outermost call. Where the filter groups them, the calls of a group stand together.
pub fn rows(log: &Log, filter: &Filter, from: Moment, to: Moment, now: Moment) -> Vec<CallNumber> {
    let (mut numbers, mut nested) = (Vec::new(), false);
    for (number, call) in log.calls_within(from, to) {
        if call.started <= to && call.end_or(now) >= from && filter.passes(log, call, now) {
            nested |= call.parent.is_some();
            numbers.push(number);
        }
    }
    if let Some(group) = filter.group {
        // Groups stand in the order in which the first call of each began; what has no name is a group as well.
        let of = |number| log.call(number).map(|call| group.of(log, call));
        let mut places = HashMap::new();
        for &number in &numbers {
            let next = places.len();
            places.entry(of(number)).or_insert(next);
        }
        numbers.sort_unstable_by_key(|&number| {
            let root = log.call(number).map_or(number, |call| call.root);
            (places.get(&of(number)).copied(), root, number)
        });
    } else if nested {
        numbers.sort_unstable_by_key(|&number| (log.call(number).map_or(number, |call| call.root), number));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::stage::Stage;

    #[test]
    fn the_calls_of_a_group_stand_together_those_within_a_call_with_it() {
        let mut stage = Stage::new();
        for (call, rest) in [
            ("a1", r#","task":"a""#),
            ("b1", r#","task":"b""#),
            ("none", ""),
            ("a2", r#","task":"a""#),
            ("inner", r#","parentCall":"b1""#),
        ] {
            stage.call("s", call, rest).pass(10.0);
        }
        let log = &stage.log;
        let of = |text: &str| {
            let filter = Query::parse(text).unwrap().prepare(&log.names);
            let rows = rows(log, &filter, Moment::FIRST, Moment::LAST, stage.time);
            rows.iter().map(|&row| log.call(row).unwrap().id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("group:task"), ["a1", "a2", "b1", "inner", "none"]);
        assert_eq!(of("group:policy"), ["a1", "b1", "inner", "none", "a2"]);
        assert_eq!(of("group:task -task:a"), ["b1", "inner", "none"]);
    }

    #[test]
    fn two_processes_with_one_policy_name_are_two_groups() {
        let mut stage = Stage::new();
        for (process, call) in [("one", "a1"), ("two", "b1"), ("one", "a2"), ("two", "b2")] {
            stage.call(process, call, "").pass(10.0);
        }
        let log = &stage.log;
        let filter = Query::parse("group:policy").unwrap().prepare(&log.names);
        let rows = rows(log, &filter, Moment::FIRST, Moment::LAST, stage.time);
        let ids: Vec<_> = rows.iter().map(|&row| &*log.call(row).unwrap().id).collect();
        assert_eq!(ids, ["a1", "a2", "b1", "b2"]);
    }
}
