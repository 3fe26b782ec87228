//! The calls of a span of time that a view lists, in its order.

use crate::numbers::CallNumber;
use crate::order;
use crate::query::{Filter, Group};
use crate::store::Log;
use crate::time::Moment;
use std::collections::{BTreeSet, HashMap};

/// A search for the calls that touch a span of time and pass a filter. It runs in steps, because it looks for texts in
/// the lines of failures, and a log may have a million of them.
pub struct Search {
    from: Moment,
    to: Moment,
    /// The end of calls that are still open.
    now: Moment,
    next: CallNumber,
    found: Vec<CallNumber>,
}

impl Search {
    pub fn begin(from: Moment, to: Moment, now: Moment) -> Self {
        Self { from, to, now, next: CallNumber(0), found: Vec::new() }
    }

    /// Checks up to `calls` more. Returns `true` if some are left.
    pub fn step(&mut self, log: &Log, filter: &Filter, calls: usize) -> bool {
        let mut left = log.calls_since(self.next, self.from, self.to);
        for (number, call) in left.by_ref().take(calls) {
            self.next = CallNumber(number.0 + 1);
            let touches = call.started <= self.to && call.end_or(self.now) >= self.from;
            if touches && filter.passes(log, call, self.now) {
                self.found.push(number);
            }
        }
        left.next().is_some()
    }

    /// The calls, oldest first.
    pub fn found(self) -> Vec<CallNumber> {
        self.found
    }
}

/// Calls in the order of their rows: by start, with nested calls below their outermost call, and the calls of a group
/// together. `None` if that is the order of their numbers.
pub fn in_rows(log: &Log, group: Option<Group>, numbers: &[CallNumber]) -> Option<Vec<CallNumber>> {
    let root = |number| log.call(number).map_or(number, |call| call.root);
    if let Some(group) = group {
        // The order of groups is that of the first call of each. Calls without a name are a group as well.
        let of = |number| log.call(number).map(|call| group.of(log, call));
        let mut places = HashMap::new();
        for &number in numbers {
            let next = places.len();
            places.entry(of(number)).or_insert(next);
        }
        let mut rows = numbers.to_vec();
        order::sort_by_key(&mut rows, |&number| (places.get(&of(number)).copied(), root(number), number));
        return Some(rows);
    }
    let nested = numbers.iter().any(|&number| root(number) != number);
    nested.then(|| {
        let mut rows = numbers.to_vec();
        order::sort_by_key(&mut rows, |&number| (root(number), number));
        rows
    })
}

/// The rows that are not within a folded call.
pub fn unfolded(log: &Log, folded: &BTreeSet<CallNumber>, rows: &[CallNumber]) -> Vec<CallNumber> {
    let parent = |number: &CallNumber| log.call(*number)?.parent;
    // A call names its parent in an event, which may be wrong: parents may form a cycle.
    let outer = |number: CallNumber| std::iter::successors(parent(&number), parent).take(DEEPEST);
    rows.iter().copied().filter(|number| !outer(*number).any(|outer| folded.contains(&outer))).collect()
}

/// Most levels of nested calls that are followed.
const DEEPEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::stage::Stage;

    /// The rows of the whole log.
    fn rows(log: &Log, filter: &Filter, now: Moment) -> Vec<CallNumber> {
        let mut search = Search::begin(Moment::FIRST, Moment::LAST, now);
        assert!(!search.step(log, filter, usize::MAX));
        let found = search.found();
        in_rows(log, filter.group, &found).unwrap_or(found)
    }

    #[test]
    fn a_search_in_steps_finds_each_call_once_and_in_order() {
        let mut stage = Stage::new();
        for call in 0..1_000 {
            stage
                .call("s", &format!("c{call}"), if call % 3 == 0 { r#","task":"a""# } else { "" })
                .pass(10.0);
        }
        let log = &stage.log;
        let filter = Query::parse("task:a").unwrap().prepare(&log.names);
        let mut search = Search::begin(Moment::FIRST, Moment::LAST, stage.time);
        let mut steps = 1;
        while search.step(log, &filter, 7) {
            steps += 1;
        }
        assert_eq!(steps, 143);
        assert_eq!(search.found(), rows(log, &filter, stage.time));
        assert_eq!(rows(log, &filter, stage.time).len(), 334);
    }

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
            let rows = rows(log, &filter, stage.time);
            rows.iter().map(|&row| log.call(row).unwrap().id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("group:task"), ["a1", "a2", "b1", "inner", "none"]);
        assert_eq!(of("group:policy"), ["a1", "b1", "inner", "none", "a2"]);
        assert_eq!(of("group:task -task:a"), ["b1", "inner", "none"]);
    }

    #[test]
    fn a_folded_call_hides_all_calls_within_it_and_no_others() {
        let mut stage = Stage::new();
        for (call, rest) in
            [("a", ""), ("b", ""), ("a1", r#","parentCall":"a""#), ("a11", r#","parentCall":"a1""#)]
        {
            stage.call("s", call, rest).pass(10.0);
        }
        let log = &stage.log;
        let all = rows(log, &Query::default().prepare(&log.names), stage.time);
        let of = |folded: &[&str]| {
            let folded = folded.iter().map(|id| log.call_by_id(id).unwrap()).collect();
            let rows = unfolded(log, &folded, &all);
            rows.iter().map(|&row| log.call(row).unwrap().id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of(&[]), ["a", "a1", "a11", "b"]);
        assert_eq!(of(&["a"]), ["a", "b"]);
        assert_eq!(of(&["a1", "b"]), ["a", "a1", "b"]);
    }

    #[test]
    fn two_processes_with_one_policy_name_are_two_groups() {
        let mut stage = Stage::new();
        for (process, call) in [("one", "a1"), ("two", "b1"), ("one", "a2"), ("two", "b2")] {
            stage.call(process, call, "").pass(10.0);
        }
        let log = &stage.log;
        let filter = Query::parse("group:policy").unwrap().prepare(&log.names);
        let rows = rows(log, &filter, stage.time);
        let ids: Vec<_> = rows.iter().map(|&row| &*log.call(row).unwrap().id).collect();
        assert_eq!(ids, ["a1", "a2", "b1", "b2"]);
    }
}
