//! Attempts that begin beside others.

use super::frame::{State, What};
use super::{Pass, is_late};
use crate::replay::recorder::micros;
use crate::replay::under::Under;
use halfopen::policy::Step;

impl Pass {
    pub(super) fn hedge_later(&mut self, under: Under<'_>, call: u32, number: u32) {
        let Some((after, most)) = under.policy(call).and_then(|policy| policy.hedge) else { return };
        let Some(frame) = self.frame(call) else { return };
        if frame.hedges >= most {
            return;
        }
        frame.hedges += 1;
        let next = frame.attempts + 1;
        let due = self.now.saturating_add(micros(after));
        match under.attempt(call, next).and_then(|attempt| attempt.begun) {
            Some(begun) if is_late(due, begun.at) => self.as_recorded(begun, What::Hedge(call, number)),
            _ => self.at(due, What::Hedge(call, number)),
        }
    }

    pub(super) fn hedge(&mut self, under: Under<'_>, call: u32, number: u32) {
        let is_on = self.frame(call).is_some_and(|frame| {
            frame.state == State::Running && frame.round == number && !frame.running.is_empty()
        });
        if !is_on {
            return;
        }
        self.hedge_later(under, call, number);
        let step =
            self.input(under, call, |engine, context, handle, now| engine.hedge(context, handle, Some(now)));
        if let Some(Step::Attempt { attempt, .. }) = step {
            self.attempt(under, call, attempt);
        }
    }
}
