//! The time spans of blocks of 256 calls: a search for a span of time skips the other blocks.

use crate::numbers::CallNumber;
use crate::time::Moment;
use std::collections::VecDeque;

/// Calls of one summary.
const CALLS: u32 = 256;

#[derive(Clone, Copy)]
struct Summary {
    from: Moment,
    to: Moment,
    open: u32,
}

const NOTHING: Summary = Summary { from: Moment::LAST, to: Moment::FIRST, open: 0 };

/// The summaries, by the calls' numbers.
#[derive(Default)]
pub(crate) struct Spans {
    first: u32,
    summaries: VecDeque<Summary>,
}

impl Spans {
    /// A call began.
    pub(crate) fn begun(&mut self, number: CallNumber, at: Moment) {
        if let Some(summary) = self.of(number) {
            summary.from = summary.from.min(at);
            summary.to = summary.to.max(at);
        }
    }

    /// It is open.
    pub(crate) fn opened(&mut self, number: CallNumber) {
        if let Some(summary) = self.of(number) {
            summary.open += 1;
        }
    }

    /// It is no longer open.
    pub(crate) fn ended(&mut self, number: CallNumber) {
        if let Some(summary) = self.of(number) {
            summary.open = summary.open.saturating_sub(1);
        }
    }

    /// Something happened in it.
    pub(crate) fn at(&mut self, number: CallNumber, at: Moment) {
        if let Some(summary) = self.of(number) {
            summary.from = summary.from.min(at);
            summary.to = summary.to.max(at);
        }
    }

    fn of(&mut self, number: CallNumber) -> Option<&mut Summary> {
        let index = (number.0 / CALLS).checked_sub(self.first)? as usize;
        while self.summaries.len() <= index {
            self.summaries.push_back(NOTHING);
        }
        self.summaries.get_mut(index)
    }

    /// Drops the blocks that are entirely before a call.
    pub(crate) fn keep_from(&mut self, number: CallNumber) {
        while self.first < number.0 / CALLS && self.summaries.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Candidates for a span of time, in order. They include every call that touches it and some that do not: check each
    /// call's own bounds.
    pub(crate) fn within(&self, from: Moment, to: Moment) -> impl Iterator<Item = CallNumber> {
        let first = self.first;
        let touches = move |(index, summary): (usize, &Summary)| {
            let start = (first + u32::try_from(index).ok()?) * CALLS;
            let shown = summary.from <= to && (summary.open > 0 || summary.to >= from);
            shown.then(|| start..start + CALLS)
        };
        self.summaries.iter().enumerate().filter_map(touches).flatten().map(CallNumber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_summaries_that_touch_the_span_are_gone_through() {
        let mut spans = Spans::default();
        for number in (0..1_024).map(CallNumber) {
            let at = Moment::from_ms(f64::from(number.0));
            spans.begun(number, at);
            spans.opened(number);
            if number.0 != 300 {
                spans.at(number, at + 10.0);
                spans.ended(number);
            }
        }
        let found = |spans: &Spans, from: f64, to: f64| {
            spans
                .within(Moment::from_ms(from), Moment::from_ms(to))
                .map(|number| number.0)
                .filter(|number| number % CALLS == 0)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&spans, 520.0, 530.0), [256, 512]);
        assert_eq!(found(&spans, 2_000.0, 3_000.0), [256], "one call goes on");
        assert_eq!(found(&spans, 0.0, 9.0), [0]);
        spans.keep_from(CallNumber(600));
        assert_eq!(found(&spans, 0.0, 9_000.0), [512, 768]);
    }
}
