//! Which calls a view of some span of time lists, and in which order.

use crate::query::Filter;
use crate::store::Log;

/// The calls that touch a span of time and pass a filter, in the order of their rows: by beginning, what is nested below
/// its outermost call.
pub fn rows(log: &Log, filter: &Filter, from: f64, to: f64, now: f64) -> Vec<u32> {
    let (mut numbers, mut nested) = (Vec::new(), false);
    for (number, call) in log.calls_within(from, to) {
        if call.started <= to && call.end_or(now) >= from && filter.passes(call, now) {
            nested |= call.parent.is_some();
            numbers.push(number);
        }
    }
    if nested {
        numbers.sort_unstable_by_key(|&number| (log.call(number).map_or(number, |call| call.root), number));
    }
    numbers
}
